/// A watch for first answers of a lane that all blame a fact common to all rows.
///
/// One such answer may be about its row; twenty of them, and nothing else, are about the job.
package struct FirstAnswers: Sendable {
    /// The number that have to be alike.
    package static let count = 20

    private var left = Self.count

    package init() {}

    /// Notes an answer.
    /// - Parameter job: Its meaning for the job.
    /// - Returns: True if the job stops.
    package mutating func heard(_ job: ResponseClass.Job) -> Bool {
        guard left > 0 else { return false }
        guard job == .stopAtStart else {
            left = 0
            return false
        }
        left -= 1
        return left == 0
    }
}
