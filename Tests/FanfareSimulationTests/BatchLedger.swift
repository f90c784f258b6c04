import FanfareBase

@testable import Fanfare
@testable import FanfareCore

/// The requests and answers of a simulated job in batches, and the lines that its report may have then.
final class BatchLedger {
    /// One request on the wire, of which any part may have left.
    final class Request {
        /// The rows whose tokens have left, in their order.
        var rows: [UInt64] = []
        /// The provider's word on each of its rows; nothing before it has all of the request.
        var said: [UInt64: Said] = [:]
        /// Bytes of the answer that are still on their way.
        var bytesLeft = Int.max
        var hasBegun = false
    }

    enum Said: Equatable {
        case accepted, unregistered, slow, throttled, tooLarge, nothingCertain
    }

    private(set) var violations: [String] = []
    private(set) var requests = 0
    /// Requests of several rows of which each is in doubt.
    private(set) var sharedDoubts = 0
    private(set) var hash = RunHash()
    private var sent: [UInt64: [Request]] = [:]
    private let plan: BatchPlan

    init(_ plan: BatchPlan) { self.plan = plan }

    func violate(_ text: String) {
        if violations.count < 8 { violations.append(text) }
    }

    func note(_ bytes: [UInt8]) { hash.mix(bytes) }

    /// A row's token has left.
    func sends(_ row: UInt64, in request: Request) {
        if request.rows.contains(row) { violate("row \(row) is twice in a request") }
        for earlier in sent[row, default: []] where !mayRepeat(row, earlier) {
            violate("row \(row) is sent again behind a request that may have been acted on")
        }
        if request.rows.isEmpty { requests += 1 }
        if let first = request.rows.first, text(of: first) != text(of: row) {
            violate("rows \(first) and \(row) have other texts, and share a request")
        }
        request.rows.append(row)
        if request.rows.count > plan.rowsMax { violate("a request has \(request.rows.count) rows") }
        sent[row, default: []].append(request)
    }

    private func text(of row: UInt64) -> Int {
        row >= 1 && row <= UInt64(plan.rows.count) ? plan.rows[Int(row) - 1].text : 0
    }

    /// True if an answer has told that the provider has done nothing about the row.
    private func mayRepeat(_ row: UInt64, _ request: Request) -> Bool {
        switch request.said[row] {
        // An answer counts from its status on, and results when all of them are there.
        case .throttled, .tooLarge: request.hasBegun
        case .slow: request.bytesLeft == 0
        case .accepted, .unregistered, .nothingCertain, nil: false
        }
    }

    /// Compares the lines of the report with what was sent and told.
    /// - Parameters:
    ///   - lines: By row: outcome and attempts.
    ///   - isFirst: True if no process came before.
    func check(_ lines: [UInt64: (outcome: String, attempts: Int)], isFirst: Bool) {
        for (row, line) in lines {
            let requests = sent[row, default: []]
            let said = requests.compactMap { $0.said[row] }
            let isBad = plan.rows[Int(row) - 1].isBad
            let isRight =
                switch line.outcome {
                case "accepted": said.contains(.accepted)
                case "unregistered": said.contains(.unregistered)
                case "throttled": said.contains(.slow) || said.contains(.throttled)
                case "rejected": said.contains(.tooLarge)
                // Of a request that was cut no token may have left. And a process that was killed may have
                // had an answer, and no time to write it down.
                case "unknown":
                    !isFirst
                        || !requests.contains { request in
                            request.bytesLeft == 0
                                && [.accepted, .unregistered].contains(request.said[row])
                        }
                case "invalid": isBad
                default: false
                }
            if !isRight { violate("row \(row) is \(line.outcome), and was told \(said)") }
            if isBad != (line.outcome == "invalid") { violate("row \(row) is \(line.outcome)") }
            guard isFirst, line.outcome != "unknown" else { continue }
            let attempts = said.count { $0 != .tooLarge } + (said.last == .tooLarge ? 1 : 0)
            if line.attempts != attempts {
                violate("row \(row) has \(line.attempts) attempts, and \(attempts) were answered")
            }
        }
        sharedDoubts =
            Set(
                sent.values.joined().filter { request in
                    request.rows.count > 1
                        && request.rows.allSatisfy { lines[$0]?.outcome == "unknown" }
                }.map { ObjectIdentifier($0) }
            ).count
    }
}
