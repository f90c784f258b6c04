import FanfareTestSupport

extension TemporaryFolder {
    /// The lines of a report by row number, without its header.
    func reportLines(_ name: String) throws -> [Int: [String]] {
        var lines: [Int: [String]] = [:]
        for line in try read(name).split(separator: "\n").dropFirst() {
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init)
            guard let row = Int(fields[0]), lines[row] == nil else {
                throw BadReport(line: String(line))
            }
            lines[row] = fields
        }
        return lines
    }
}

/// A line of a report that has no row of its own.
private struct BadReport: Error {
    let line: String
}
