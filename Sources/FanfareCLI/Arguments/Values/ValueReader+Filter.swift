package import FanfareCore

extension ValueReader {
    /// What lines of a report are wanted: `outcome=failed,unknown`.
    package static func filter(_ text: String) throws(ValueFault) -> ReportFilter {
        do throws(ReportFilter.Fault) {
            return try ReportFilter(text)
        } catch {
            throw ValueFault(error.problem)
        }
    }
}
