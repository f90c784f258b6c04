/// A watch for a run of rejections among the last answers.
///
/// Most of them are rejections in a run of bad tokens, as an export sorted by age has them, and not
/// in an ordinary list with its few per cent.
package struct RejectionRun: Sendable {
    /// The share of rejections among the last answers, in 1/4,096: each answer is a sixteenth of it.
    private var share = 0
    package private(set) var isOn = false

    package init() {}

    /// Takes an answer into account.
    ///
    /// A run begins at a half, which a list with 10 % of bad tokens in any order hardly ever has by chance
    /// (ten rejections in a row, about), and ends at an eighth: while good rows are mixed into it, half of the
    /// answers are rejections.
    package mutating func answered(isRejection: Bool) {
        share += ((isRejection ? 4096 : 0) - share) >> 4
        if share >= 2048 {
            isOn = true
        } else if share <= 512 {
            isOn = false
        }
    }

    /// Begins a run that has shown itself in another way.
    package mutating func begin() {
        share = 4096
        isOn = true
    }
}
