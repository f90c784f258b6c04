import FanfareBase
import FanfareCore
import FanfareSystem

/// The lines of several reports that count.
///
/// A line that says that a row's worker or its report was lost gives way to a line of the row's own in any of the reports,
/// and to another line of its kind before it. At the first such line all reports are looked through for rows that have a line
/// of their own. So reports without such lines are read once, and lines stay in their order.
final class CountedLines {
    private let inputs: [RowInput]
    /// The rows with a line of their own; `nil` until they are looked for.
    private var own: RowSet?
    /// The rows of lines that count, of those about lost workers and reports.
    private var lost = RowSet()

    /// - Parameter inputs: The reports, of one job.
    init(_ inputs: [RowInput]) { self.inputs = inputs }

    /// Begins with another reading of the same reports.
    func begin() { lost = RowSet() }

    /// True if a line counts; to be asked once for each line.
    /// - Throws: `FanfareError` with code `configuration` if a report would have to be read twice, and cannot be.
    func has(_ line: ReportLine) throws(FanfareError) -> Bool {
        guard line.isWrittenOff else { return true }
        if own == nil {
            // A pipe alone is taken at its word.
            if inputs.count == 1, !inputs[0].canBeReadAgain { return true }
            own = try rowsWithLines()
        }
        return own?.contains(line.row) == false && lost.insert(line.row)
    }

    private func rowsWithLines() throws(FanfareError) -> RowSet {
        if let input = inputs.first(where: { !$0.canBeReadAgain }) {
            throw FanfareError(
                .configuration,
                message:
                    "these reports have lines of rows whose worker or report was lost. Which of them count is known "
                    + "when all reports have been read, and \(input.name) can be read only once; write it to a file"
            )
        }
        var rows = RowSet()
        for input in inputs {
            _ = try ReportReader(input).read { line, _ throws(FanfareError) in
                if !line.isWrittenOff { _ = rows.insert(line.row) }
            }
        }
        return rows
    }
}

extension RowInput {
    /// True if a report is there for another reading.
    var canBeReadAgain: Bool {
        switch self {
        case .memory: true
        case .file(let path): FileDescriptor.isRegularFile(path)
        case .sqlite, .standardInput, .generated, .sequence: false
        }
    }
}
