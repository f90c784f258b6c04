import FanfareBase

@testable import Fanfare
@testable import FanfareCore

/// A world for a lane in which nothing happens but for what a test adds.
protocol QuietEnvironment: LaneEnvironment {}

extension QuietEnvironment {
    var idleNanoseconds: Int64 { 0 }
    var isInputAsleep: Bool { false }
    var isReached: Bool { false }
    var lastAnswerElsewhere: Instant? { nil }
    var lastAnswerOfOtherRoutes: Instant? { nil }
    var isReportBehind: Bool { false }

    func openTransport(_ connection: Int) {}
    func beginning(of connection: Int) -> Instant? { .distantPast }
    func closeTransport(_ connection: Int) {}
    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int { bytes.count }
    func hasUnread(on connection: Int) -> Bool { false }
    func nextBatch() -> RowBatch? { nil }
    func hasBatch(now: Instant) -> Bool { false }
    func recycle(_ batch: RowBatch) {}
    func handBack(_ batch: RowBatch) {}
    func lendBatch() {}
    func discard(_ batch: RowBatch) {}
    func emptyBlock() -> ReportBlock { ReportBlock() }
    func hasAnotherBeenJudged(within time: Duration) -> Bool { false }
    func providerAsks(toWaitUntil moment: Instant) {}
    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave { .any }
    func claimFirstRequest(now: Instant) -> Instant? { now }
    func unixMilliseconds(at now: Instant) -> Int64 {
        1_700_000_000_000 + now.nanoseconds / 1_000_000
    }
}
