import FanfareBase

@testable import Fanfare
@testable import FanfareCore

/// A world for a lane that has batches of rows and a report, and nothing else.
final class RowsAlone: QuietEnvironment {
    private var batches: [RowBatch]
    var lines = ""
    var retryRows = ""
    var dials = 0

    init(_ batches: [RowBatch]) { self.batches = batches }

    var now = Instant(nanoseconds: 0)
    var isInputExhausted: Bool { batches.isEmpty }

    func openTransport(_ connection: Int) { dials += 1 }
    func nextBatch() -> RowBatch? { batches.isEmpty ? nil : batches.removeFirst() }
    func hasBatch(now: Instant) -> Bool { !batches.isEmpty }
    func submit(_ block: ReportBlock) {
        lines += String(decoding: block.bytes(of: .report), as: UTF8.self)
        retryRows += String(decoding: block.bytes(of: .retryRows), as: UTF8.self)
    }
}
