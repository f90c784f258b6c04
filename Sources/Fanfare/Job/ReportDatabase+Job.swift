import FanfareBase
import FanfareCore

/// The end of a run whose report becomes a database.
extension ReportDatabase {
    /// Makes the database from the log, which has all its lines.
    /// - Parameters:
    ///   - lines: The lines that it must have.
    ///   - control: The control of the run, which may be stopped meanwhile.
    ///   - advice: Advice about the log for messages if there is no database.
    /// - Returns: The reason for a failure, if there is one.
    func make(lines: UInt64, control: JobControl, advice: Statement) -> JobStop? {
        do throws(FanfareError) {
            let count = try load { control.stop != nil }
            guard count == lines else {
                return JobStop(.bug, "BUG: \(count) lines of \(lines) are in \(path)")
            }
            return nil
        } catch {
            return control.stop ?? JobStop(.inputOutput, error.statement + "; " + advice)
        }
    }
}
