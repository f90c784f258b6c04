import FanfareBase
import FanfareCore
import FanfareSystem

/// The inputs of a job of several workers, which are read at any place.
struct ClusterInputs: Sendable {
    let inputs: [RowInput]
    let spec: InputSpec
    /// The beginning of each input.
    let heads: [InputHead]
    let cancellation: CancellationFlag
    private let summed = SummedCuts()

    /// Looks at the beginning of each input.
    /// - Throws: `FanfareError` with code `configuration` if one of them cannot be read from the middle on.
    init(_ source: RowSource) throws(FanfareError) {
        inputs = source.inputs
        spec = source.spec
        cancellation = source.cancellation
        var heads: [InputHead] = []
        for input in inputs {
            guard case .file(let path) = input, FileDescriptor.isRegularFile(path) else {
                throw FanfareError(
                    .configuration,
                    "\(input.name) is no plain file, and several workers begin at places in the middle. "
                        + "Write its rows to a CSV or NDJSON file that each of them can read")
            }
            let text = try TextSource(input, spec, cancellation: cancellation)
            let head = try InputHead(of: text, spec, behind: source.first)
            try text.read(toHand: 1)
            if text.isCompressed {
                throw FanfareError(
                    .configuration,
                    "\(path) is compressed, and several workers begin at places in the middle. "
                        + "Decompress it first: gzip -dk or zstd -d")
            }
            if text.isArray {
                throw FanfareError(
                    .configuration,
                    "\(path) is a JSON array, and several workers begin at places in the middle. "
                        + "Make lines of it first: jq -c '.[]'")
            }
            if text.isConverted {
                throw FanfareError(
                    .configuration,
                    "\(path) is not in UTF-8, and several workers begin at places in the middle. "
                        + "Convert it first: iconv -t UTF-8")
            }
            heads.append(head)
        }
        self.heads = heads
    }

    /// The place of the first row of an input.
    func beginning(ofInput index: Int) -> ClusterCut.Place {
        var place = ClusterCut.Place()
        place.input = index
        place.offset = UInt64(heads[index].firstRow.offset)
        place.line = heads[index].firstRow.line
        return place
    }

    /// Opens an input at a row boundary.
    /// - Parameters:
    ///   - place: The boundary.
    ///   - row: The rows before it, in all inputs.
    ///   - meter: Counts the bytes that are read.
    /// - Returns: The reader of the rows behind the boundary.
    /// - Throws: `FanfareError` if the job has no such input, or it cannot be read there.
    func reader(
        at place: ClusterCut.Place, rowsBefore row: UInt64, meter: InputMeter? = nil
    ) throws(FanfareError) -> RowReader {
        guard heads.indices.contains(place.input) else {
            throw FanfareError(.configuration, "the job has more inputs than this worker")
        }
        var head = heads[place.input]
        head.firstRow = (Int(clamping: place.offset), place.line)
        let text = try TextSource(
            inputs[place.input], from: Int(clamping: place.offset), cancellation: cancellation,
            meter: meter)
        return RowReader(head, text, spec, rowsBefore: row)
    }

    /// Returns the checksum of a cut's bytes, as this worker's copy of the input has them.
    func checksum(of cut: ClusterCut) throws(FanfareError) -> UInt32 {
        try withFile(of: cut) { file throws(FileError) in
            let version = try file.version()
            let sum = try Self.checksum(of: cut, in: file)
            var made = cut
            made.sum = sum
            summed.note(made, version)
            return sum
        } ?? ~cut.sum
    }

    /// True if this worker's copy of the input has the bytes of a cut.
    ///
    /// A cut that this process has summed itself is not summed again while the file is the same one, and was not
    /// written since.
    func has(_ cut: ClusterCut) throws(FanfareError) -> Bool {
        guard inputs.indices.contains(cut.place.input),
            case .file(let path) = inputs[cut.place.input]
        else { return false }
        let version = try told({ $0.inputError(path) }) { () throws(FileError) in
            try FileDescriptor.version(of: path)
        }
        if summed.has(cut, version) { return true }
        return try checksum(of: cut) == cut.sum
    }

    /// Opens the file of a cut; the result is `nil` if the job has more inputs than this worker.
    private func withFile<Result>(
        of cut: ClusterCut, _ body: (borrowing FileDescriptor) throws(FileError) -> Result
    ) throws(FanfareError) -> Result? {
        guard inputs.indices.contains(cut.place.input),
            case .file(let path) = inputs[cut.place.input]
        else { return nil }
        return try told({ $0.inputError(path) }) { () throws(FileError) in
            try body(try FileDescriptor.reading(path))
        }
    }

    private static func checksum(
        of cut: ClusterCut, in file: borrowing FileDescriptor
    ) throws(FileError) -> UInt32 {
        // An array would be cleared first, which costs as much as a third of the sum.
        let space = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Limits.checksumReadBytes, alignment: 64)
        defer { unsafe space.deallocate() }
        var (sum, offset) = (CRC32C(), Int(clamping: cut.place.offset))
        let end = offset + Int(clamping: cut.byteCount)
        while offset < end {
            let part = unsafe UnsafeMutableRawBufferPointer(
                rebasing: space[..<min(space.count, end - offset)])
            let count = unsafe try file.read(into: part, at: offset)
            guard count > 0 else { break }
            unsafe sum.add(UnsafeRawBufferPointer(rebasing: part[..<count]))
            offset += count
        }
        return sum.value
    }
}
