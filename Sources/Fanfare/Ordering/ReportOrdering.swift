import FanfareBase
import FanfareCore
import FanfareSystem

/// Puts the report of a job in the order of its rows, when all its lines are there.
///
/// The lines are copied, and the copy takes the report's place at one moment: if the process ends
/// before, the report is as the job has written it, and after it in order.
struct ReportOrdering: Sendable {
    /// The suffix of the report's name while the copy is made.
    static let suffix = ".ordered"

    private let kind: ReportFormat.Kind
    private let header: [UInt8]
    private let control: JobControl

    init(_ format: ReportFormat, control: JobControl) {
        kind = format.kind
        header = Array(format.header.utf8)
        self.control = control
    }

    /// Returns the path of a report's ordered copy: beside the file itself, even if the path is a
    /// link to it.
    static func copyPath(of report: String) -> String {
        ((try? FileDescriptor.resolved(report)) ?? report) + suffix
    }

    /// Checks that a job does not take another program's file for its own.
    ///
    /// Jobs that are carried on are checked, too, unless `CheckpointRecord.isBeingOrdered` says
    /// that the file may be theirs.
    static func prove(_ report: ReportOptions) throws(FanfareError) {
        let path = copyPath(of: report.path)
        guard report.isOrdered, !report.overwrites, FileDescriptor.exists(path) else { return }
        throw FanfareError(
            .configuration,
            "\(path) exists already, and is where the report is put in order; is it left of a job "
                + "that was killed? then remove it")
    }

    /// Takes away the copy that a job has left that was killed while it made it.
    static func removeCopy(of report: String) throws(FanfareError) {
        try told(\.outputError) { () throws(FileError) in
            try FileDescriptor.removeIfThere(copyPath(of: report))
        }
    }

    // MARK: In place

    /// Replaces a report by its lines in order.
    /// - Parameters:
    ///   - path: The report.
    ///   - lineCount: The lines that it has; `nil` if that is not known.
    ///   - willReplace: Called with the length of the new file before it takes the report's place.
    /// - Throws: `FanfareError.Code.output`; the report is as it was then.
    func replace(
        _ path: String, lineCount: UInt64?, willReplace: (Int) throws(FileError) -> Void
    ) throws(FanfareError) {
        let report = try told(\.outputError) { () throws(FileError) in
            try FileDescriptor.resolved(path)
        }
        let copy = report + Self.suffix
        do throws(FanfareError) {
            let output = try makeCopy(copy, of: report)
            try reserve(output, for: report)
            try write(
                report, to: output, folder: FileDescriptor.folder(of: report), lineCount: lineCount)
            try told(\.outputError) { () throws(FileError) in
                // Space that was reserved and not needed is released.
                try output.cut(toLength: output.length)
                try output.synchronize()
                try willReplace(output.length)
                try FileDescriptor.replace(report, by: copy)
            }
        } catch {
            // There is an error to be told already.
            try? FileDescriptor.remove(copy)
            throw error
        }
    }

    /// Makes the file that the lines are copied to.
    private func makeCopy(
        _ copy: String, of report: String
    ) throws(FanfareError) -> OutputFile {
        try told(\.outputError) { () throws(FileError) in
            // The file that `--overwrite` replaces is removed, and a link that another user has put
            // there is not followed.
            try? FileDescriptor.remove(copy)
            let output = try OutputFile(copy, mayExist: false, compressedAs: report)
            try output.first.copyAccess(from: report)
            return output
        }
    }

    /// Better said at once than after half an hour.
    private func reserve(_ output: OutputFile, for report: String) throws(FanfareError) {
        guard !output.isCompressed else { return }
        let bytes = try told(\.outputError) { () throws(FileError) in
            Int(clamping: try FileDescriptor.status(of: report).bytes)
        }
        do throws(FileError) {
            try output.first.reserve(bytes)
        } catch {
            throw FanfareError(
                .output,
                message:
                    "beside it \(bytes) bytes are needed, and \(output.name) cannot have them: "
                    + error.reason)
        }
    }

    // MARK: Copying

    /// Copies a report in order.
    /// - Parameters:
    ///   - report: The path of the report.
    ///   - output: The file for the copy, which is empty.
    ///   - folder: The folder for lines that are set aside.
    ///   - lineCount: The lines that the copy must have, each of another row; `nil` if their number
    ///     is not known.
    /// - Throws: `FanfareError.Code.output`.
    func write(
        _ report: String, to output: OutputFile, folder: String, lineCount: UInt64?
    ) throws(FanfareError) {
        var block = ByteBuffer(capacity: 2 * Limits.reportBlockBytes)
        var (count, lastRow) = (UInt64(0), UInt64(0))
        try told(\.outputError) { () throws(FileError) in try output.begin(with: header) }
        let lines = ReportLines(path: report, kind: kind, header: header, control: control)
        unsafe try LineOrdering(folder: folder).order(lines) { row, line throws(FanfareError) in
            guard row > lastRow else { throw twice(row) }
            (count, lastRow) = (count + 1, row)
            unsafe block.append(line)
            if block.count >= Limits.reportBlockBytes { try flush(&block, to: output) }
        }
        try flush(&block, to: output)
        guard lineCount == nil || lineCount == count else {
            throw FanfareError(
                .output, "it has \(count) lines, and the job has \(lineCount ?? 0) rows")
        }
    }

    private func twice(_ row: UInt64) -> FanfareError {
        FanfareError(.output, "row \(row) has two lines")
    }

    private func flush(_ block: inout ByteBuffer, to output: OutputFile) throws(FanfareError) {
        try told(\.outputError) { () throws(FileError) in
            _ = unsafe output.prepare(block.bytes)
            unsafe try output.append(block.bytes)
        }
        block.removeAll()
    }
}

/// The lines of a report as a job has written it.
private struct ReportLines: LineSource {
    let path: String
    let kind: ReportFormat.Kind
    let header: [UInt8]
    let control: JobControl

    func forEachLine(_ body: LineOrdering.Body) throws(FanfareError) {
        let source = try open()
        var scanner = ReportLineScanner(kind)
        var isHeader = !header.isEmpty
        while !source.isAtEnd {
            guard !control.isInterruptedAnew else { throw FanfareError(.output, "interrupted") }
            do throws(ByteSource.Failure) {
                scanner.commit(
                    unsafe try source.read(into: scanner.space(Limits.batchInputBytes)))
            } catch {
                throw FanfareError(.output, "it cannot be read: \(error.reason)")
            }
            while scanner.next() {
                if isHeader {
                    isHeader = false
                    continue
                }
                guard let row = scanner.row else { throw noLine }
                unsafe try body(row, scanner.line)
            }
            guard scanner.restBytes <= Limits.orderingLineBytesMax else { throw noLine }
        }
        guard scanner.restBytes == 0 else { throw noLine }
    }

    private func open() throws(FanfareError) -> ByteSource {
        do throws(FileError) {
            return try ByteSource(.file(path)) { false }
        } catch {
            throw FanfareError(.output, "it cannot be read: \(error.reason)")
        }
    }

    private var noLine: FanfareError {
        FanfareError(.output, "something in it is no line of a report")
    }
}
