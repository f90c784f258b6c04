/// A number of bytes for each of a job's output files; 0 for those that it does not write.
package struct OutputLengths: Equatable, Sendable {
    package var retryRows: Int
    package var unregistered: Int
    package var report: Int

    /// Describes lengths; nothing by default.
    package init(retryRows: Int = 0, unregistered: Int = 0, report: Int = 0) {
        self.retryRows = retryRows
        self.unregistered = unregistered
        self.report = report
    }

    /// The lengths as they stand in a checkpoint.
    var numbers: [UInt64] {
        [retryRows, unregistered, report].map { UInt64(clamping: $0) }
    }

    init(_ numbers: ArraySlice<UInt64>) {
        let lengths = numbers.map { Int(clamping: $0) }
        self.init(retryRows: lengths[0], unregistered: lengths[1], report: lengths[2])
    }

    package static func + (left: OutputLengths, right: OutputLengths) -> OutputLengths {
        OutputLengths(
            retryRows: left.retryRows + right.retryRows,
            unregistered: left.unregistered + right.unregistered,
            report: left.report + right.report)
    }
}
