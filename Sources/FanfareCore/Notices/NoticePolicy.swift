import FanfareBase

/// The decision whether a notice is posted once more.
package enum NoticePolicy {
    /// The end of one try.
    package enum Try: Equatable, Sendable {
        /// An answer with this status, which may ask for a wait.
        case answered(status: UInt16, retryAfter: Duration?)
        /// No answer.
        ///
        /// A permanent failure would come again each time, as that of a certificate that is not
        /// trusted.
        case failed(isPermanent: Bool)
    }

    package enum Action: Equatable, Sendable {
        /// The receiver has taken it.
        case done
        case again(after: Duration)
        case giveUp
    }

    /// The most tries.
    package static let triesMax = 3

    /// The wait behind the first try; the next one is four times as long.
    static let firstWait = Duration.seconds(1)

    /// The longest wait that a receiver is given; Slack asks for 30 seconds at most.
    static let waitMax = Duration.seconds(30)

    /// Decides behind a try.
    ///
    /// A notice is sent again without proof that it was not taken: its id is the same each time, and
    /// two messages are better than none.
    /// - Parameters:
    ///   - count: The tries so far.
    ///   - last: The end of the last one.
    /// - Returns: The next step.
    package static func action(after count: Int, _ last: Try) -> Action {
        let wish: Duration?
        switch last {
        case .answered(200...299, _): return .done
        case .answered(let status, let retryAfter):
            guard status == 408 || status == 429 || status >= 500 else { return .giveUp }
            wish = retryAfter
        case .failed(let isPermanent):
            guard !isPermanent else { return .giveUp }
            wish = nil
        }
        guard count < triesMax else { return .giveUp }
        let usual = (1..<max(count, 1)).reduce(firstWait) { wait, _ in wait * 4 }
        return .again(after: min(max(wish ?? .zero, usual), waitMax))
    }
}
