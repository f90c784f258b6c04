import FanfareBase
import FanfareCore
import FanfareSystem

/// Lines of reports in the order of their rows.
extension ReportExtract {
    /// Reads reports twice, and writes the selected lines in order.
    mutating func readInOrder(
        _ inputs: [RowInput]
    ) throws(FanfareError) -> [ReportDigest.File] {
        for input in inputs {
            if case .memory = input { continue }
            if case .file(let path) = input, FileDescriptor.isRegularFile(path) { continue }
            throw FanfareError(
                .configuration,
                "to put lines in order reports are read twice, and \(input.name) can be read "
                    + "only once; write it to a file")
        }
        if let first = inputs.first {
            // The first report shows the faults in the requested columns.
            _ = try begin(try ReportReader(first, wantsAll: true), first.name)
        }
        let lines = ExtractedLines(inputs, settings, file)
        let ordering = LineOrdering(folder: OutputFiles.collectingFolder)
        var last = LastLine()
        unsafe try ordering.order(lines) { row, line throws(FanfareError) in
            unsafe last.follow(by: line, ofRow: row, into: &block)
            if block.count >= Limits.reportBlockBytes { try flush() }
        }
        last.end(into: &block)
        try flush()
        return lines.files
    }

    /// Calls a closure with the lines of one report that are wanted, as they are written.
    fileprivate mutating func forEachLine(
        of input: RowInput, _ body: LineOrdering.Body
    ) throws(FanfareError) -> ReportDigest.File {
        let reader = try ReportReader(input, wantsAll: true)
        let lines = try begin(reader, input.name)
        // The caller has written the header.
        block.removeAll()
        return try reader.read { line, position throws(FanfareError) in
            guard lines.isWanted(position) else { return }
            append(position, lines)
            unsafe try body(line.row, block.bytes)
            block.removeAll()
        }
    }
}

/// The last line of those in order, which may give way to another one of the same row.
///
/// Where several workers had a job, one of them may have written off what a lost one was granted. If the report of that one is
/// there after all, its line says what came of the row. The same goes for lines that a person had written for a lost report.
struct LastLine: ~Copyable {
    private var row: UInt64?
    private var text = ByteBuffer(capacity: 4096)

    mutating func follow(
        by line: UnsafeBufferPointer<UInt8>, ofRow row: UInt64, into block: inout ByteBuffer
    ) {
        let isSame = self.row == row
        // Looked for only where it matters: few lines have it.
        if isSame {
            if unsafe Self.isWrittenOff(line) { return }
            let givesWay = unsafe Self.isWrittenOff(text.bytes)
            if !givesWay { end(into: &block) }
        } else {
            end(into: &block)
        }
        self.row = row
        text.removeAll()
        unsafe text.append(line)
    }

    mutating func end(into block: inout ByteBuffer) {
        unsafe block.append(text.bytes)
        text.removeAll()
        row = nil
    }

    private static func isWrittenOff(_ line: UnsafeBufferPointer<UInt8>) -> Bool {
        Outcome.lostReasons.contains { reason in
            let words = unsafe reason.bytes
            guard line.count >= words.count else { return false }
            return (0...line.count - words.count).contains { start in
                unsafe line[start..<start + words.count].elementsEqual(words)
            }
        }
    }
}

/// The extract's lines of some reports.
private final class ExtractedLines: LineSource {
    private let inputs: [RowInput]
    private let settings: ReportExtract.Settings
    private let file: OutputFile?
    /// The reports, as the last reading has found them.
    private(set) var files: [ReportDigest.File] = []

    init(_ inputs: [RowInput], _ settings: ReportExtract.Settings, _ file: OutputFile?) {
        self.inputs = inputs
        self.settings = settings
        self.file = file
    }

    func forEachLine(_ body: LineOrdering.Body) throws(FanfareError) {
        files = []
        var extract = ReportExtract(settings, file: file)
        for input in inputs { unsafe files.append(try extract.forEachLine(of: input, body)) }
    }
}
