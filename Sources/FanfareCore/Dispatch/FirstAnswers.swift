/// Whether all of a lane's first answers blame what all rows have in common.
///
/// One such answer may be about its row; twenty of them, and nothing else, are about the job.
package struct FirstAnswers: Sendable {
    /// How many have to be alike.
    package static let count = 20

    private var left = Self.count

    package init() {}

    /// Takes note of an answer.
    /// - Parameter job: What it means for the job.
    /// - Returns: Whether the job stops.
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
