import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// `fanfare generate`: deterministic rows for tests and benchmarks.
enum GenerateCommand {
    private static let rowsAtOnce = 1000

    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let path = arguments[Options.Generate.output]
        let named = path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl")
        let chosen = arguments[Options.Generate.format] ?? (named ? .ndjson : .csv)
        let format: RowGenerator.Format = chosen == .ndjson ? .ndjson : .csv
        // A pipe or a device has nothing to lose.
        let mayExist =
            arguments[Options.Generate.overwrite]
            || (FileDescriptor.exists(path) && !FileDescriptor.isRegularFile(path))
        do throws(FileError) {
            let file: FileDescriptor =
                path == "-"
                ? .standardOutput
                : try .writing(path, existing: mayExist ? .truncate : .refuse, isPublic: true)
            try write(
                arguments[Options.Generate.count], seed: UInt64(arguments[Options.Generate.seed]),
                mix: arguments[Options.Generate.mix], format: format, to: file)
            try file.close()
        } catch {
            // The reader of our output may stop when it has enough: `fanfare generate | head`.
            if error.kind == .brokenPipe { return 0 }
            guard error.kind != .exists else {
                throw .job(
                    FanfareError(
                        .configuration,
                        "\(path) exists already; --overwrite replaces it, --output FILE names "
                            + "another one"))
            }
            let name = path == "-" ? "standard output" : path
            throw .job(FanfareError(.output, "\(name) cannot be written: \(error.reason)"))
        }
        return 0
    }

    private static func write(
        _ count: Int, seed: UInt64, mix: RowMix?, format: RowGenerator.Format,
        to file: borrowing FileDescriptor
    ) throws(FileError) {
        ProcessSignal.blockBrokenPipe()
        var generator = RowGenerator(seed: seed, mix: mix)
        var bytes = ByteBuffer(capacity: 256 * 1024)
        generator.appendHeader(format: format, into: &bytes)
        var left = count
        repeat {
            let some = min(left, rowsAtOnce)
            generator.appendRows(count: some, format: format, into: &bytes)
            left -= some
            unsafe try file.writeAll(UnsafeRawBufferPointer(bytes.bytes))
            bytes.removeAll()
        } while left > 0
    }
}
