import FanfareBase
import FanfareCore
import FanfareSystem

/// Lines of reports in the order of their rows.
extension ReportExtract {
    /// Reads reports twice, and writes the selected lines in order.
    mutating func readInOrder(
        _ inputs: [RowInput]
    ) throws(FanfareError) -> [ReportDigest.File] {
        for input in inputs where !input.canBeReadAgain {
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
        unsafe try ordering.order(lines) { _, line throws(FanfareError) in
            unsafe block.append(line)
            if block.count >= Limits.reportBlockBytes { try flush() }
        }
        try flush()
        return lines.files
    }

    /// Calls a closure with the lines of one report that are wanted, as they are written.
    fileprivate mutating func forEachLine(
        of input: RowInput, _ counted: CountedLines, _ body: LineOrdering.Body
    ) throws(FanfareError) -> ReportDigest.File {
        let reader = try ReportReader(input, wantsAll: true)
        let lines = try begin(reader, input.name)
        // The caller has written the header.
        block.removeAll()
        return try reader.read { line, position throws(FanfareError) in
            guard lines.isWanted(position), try counted.has(line) else { return }
            append(position, lines)
            unsafe try body(line.row, block.bytes)
            block.removeAll()
        }
    }
}

/// The extract's lines of some reports.
private final class ExtractedLines: LineSource {
    private let inputs: [RowInput]
    private let settings: ReportExtract.Settings
    private let file: OutputFile?
    private let counted: CountedLines
    /// The reports, as the last reading has found them.
    private(set) var files: [ReportDigest.File] = []

    init(_ inputs: [RowInput], _ settings: ReportExtract.Settings, _ file: OutputFile?) {
        self.inputs = inputs
        self.settings = settings
        self.file = file
        counted = CountedLines(inputs)
    }

    func forEachLine(_ body: LineOrdering.Body) throws(FanfareError) {
        files = []
        counted.begin()
        var extract = ReportExtract(settings, file: file)
        for input in inputs {
            unsafe files.append(try extract.forEachLine(of: input, counted, body))
        }
    }
}
