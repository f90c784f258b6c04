import FanfareBase

@testable import Fanfare
@testable import FanfareCore

/// A world for a lane that has batches of rows and a report, and nothing else.
final class RowsAlone: LaneEnvironment {
    private var batches: [RowBatch]
    var lines = ""
    var dials = 0

    init(_ batches: [RowBatch]) { self.batches = batches }

    var now = Instant(nanoseconds: 0)
    let idleNanoseconds: Int64 = 0
    var isInputExhausted: Bool { batches.isEmpty }
    let isInputAsleep = false
    let isReached = false
    let lastAnswerElsewhere: Instant? = nil
    let lastAnswerOfOtherRoutes: Instant? = nil
    let isReportBehind = false

    func openTransport(_ connection: Int) { dials += 1 }
    func closeTransport(_ connection: Int) {}
    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int { bytes.count }
    func nextBatch() -> RowBatch? { batches.isEmpty ? nil : batches.removeFirst() }
    func hasBatch(now: Instant) -> Bool { !batches.isEmpty }
    func recycle(_ batch: RowBatch) {}
    func handBack(_ batch: RowBatch) {}
    func lendBatch() {}
    func discard(_ batch: RowBatch) {}
    func emptyBlock() -> ReportBlock { ReportBlock() }
    func submit(_ block: ReportBlock) {
        lines += String(decoding: block.bytes(of: .report), as: UTF8.self)
    }
    func hasAnotherBeenJudged(within time: Duration) -> Bool { false }
    func unixMilliseconds(at now: Instant) -> Int64 {
        1_700_000_000_000 + now.nanoseconds / 1_000_000
    }
}
