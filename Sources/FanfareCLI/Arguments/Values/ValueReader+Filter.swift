package import FanfareCore

extension ValueReader {
    /// Reads a filter for lines of a report: `outcome=failed,unknown`.
    package static func filter(_ text: String) throws(ValueFault) -> ReportFilter {
        do throws(ReportFilter.Fault) {
            return try ReportFilter(text)
        } catch {
            throw ValueFault(error.problem)
        }
    }
}
