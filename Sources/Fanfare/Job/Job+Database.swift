import FanfareBase
import FanfareCore

/// The end of a job whose report is to be a database.
extension Job {
    /// Makes the database of the log, which has all its lines.
    /// - Parameter lines: The lines that it must have.
    /// - Returns: What kept it from that, if anything; the job can be carried on then, and only that is
    ///   left to do.
    func makeDatabase(lines: UInt64) -> JobStop? {
        guard let database else { return nil }
        do throws(FanfareError) {
            let count = try database.load { [control] in control.stop != nil }
            guard count == lines else {
                return JobStop(.bug, "BUG: \(count) lines of \(lines) are in \(database.path)")
            }
            return nil
        } catch {
            return control.stop
                ?? JobStop(
                    .inputOutput,
                    error.statement
                        + "; all outcomes are in \(database.logPath), and \(.resumes) makes the "
                        + "database of them")
        }
    }
}
