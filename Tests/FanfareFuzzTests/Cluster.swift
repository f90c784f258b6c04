import FanfareBase

@testable import Fanfare
@testable import FanfareCLI
@testable import FanfareCore

extension FuzzTarget {
    /// The rows of a server's tables, a line for each: a letter for the table, then its values behind tabs, of which `~`
    /// is NULL.
    ///
    /// The first byte chooses what a worker asks for.
    static let cluster = FuzzTarget("cluster-tables", bytesMax: 4096) { bytes throws(Violation) in
        var input = InputReader(bytes)
        let choice = input.byte()
        let tables = ServerTables(String(decoding: input.rest, as: UTF8.self))
        if let status = try? ClusterControl.status(named: "job", tables.status) {
            let lines = status.table.split(separator: "\n", omittingEmptySubsequences: false)
            let holds = status.job?.holds.count { $0 != .none } ?? 0
            try Violation.check(
                lines.count <= 8 + holds + 2 * status.workers.count,
                "\(lines.count) lines on \(status.workers.count) workers")
            try isSafe(lines.joined())
            let rows = [
                status.finishedRows, status.waitingRows, status.grantedRows, status.doubtfulRows,
            ].reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
            let counted = status.job?.cutRows ?? 0
            try Violation.check(
                rows == counted || status.finishedRows == 0, "\(rows) rows of \(counted)")
            _ = status.json
        }
        let asked = ClusterRequest(
            worker: WorkerID(bits: 1), session: 0, generation: nil, operation: .survey)
        let job = ClusterJobKey(number: 1, identity: 2)
        let reading = ClusterReading(job: job, request: asked)
        guard var model = try? reading.model(tables.transaction) else { return }
        let before = model.state
        let request = tables.request(choice, before)
        _ = ClusterReading(job: job, request: request).statements
        let answer = model.transact(request)
        let writing = ClusterWriting(
            job: 1, worker: request.worker, name: "a", before: before, after: model.state)
        try Violation.check(
            !writing.statements.contains("\0"), "statements end before their end")
        if case .orders(let orders) = answer.body {
            try Violation.check(orders.share >= 0, "a share below nothing")
        }
    }
}

/// The rows of a server's tables.
private struct ServerTables {
    private var rows: [Character: [[String?]]] = [:]

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            var values = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map { $0 == "~" ? nil : String($0) }
            guard let table = values.removeFirst()?.first else { continue }
            rows[table, default: []].append(values)
        }
    }

    /// The tables that `cluster status` asks for.
    var status: [[[String?]]] { ["j", "s", "r", "g", "x"].map { rows[$0] ?? [] } }

    /// The rows that the transaction of a worker's request asks for.
    var transaction: [[[String?]]] {
        [[], [], [], rows["j"] ?? [], rows["t"] ?? [["1"]]]
            + ["w", "r", "g", "c"].map { rows[$0] ?? [] }
    }

    /// A request of the first worker about the first records that there are.
    func request(_ choice: Int, _ state: ClusterModel.State) -> ClusterRequest {
        let worker = state.workers.first
        let range = state.ranges.first
        let grant = state.grants.first
        let key = range?.grantKey ?? grant?.key ?? GrantKey(range: RangeKey(bits: 1), epoch: 0)
        return ClusterRequest(
            worker: choice & 64 == 0 ? worker?.id ?? WorkerID(bits: 1) : WorkerID(bits: 2),
            session: worker?.session ?? 0, generation: state.job?.generation,
            operation: operation(choice % 13, key, state))
    }

    private func operation(
        _ choice: Int, _ key: GrantKey, _ state: ClusterModel.State
    ) -> ClusterOperation {
        let place = ClusterPlace(host: 1, boot: 2, file: 3)
        let row = (state.ranges.first?.granted ?? 0) + 1
        let rows = RowIntervals(0..<row)
        let seen = ClusterOperation.Seen(
            worker: state.grants.first?.worker ?? WorkerID(bits: 2),
            beat: state.workers.last?.beat ?? 0)
        switch choice {
        case 0:
            return .join(
                .init(place: place, nonce: 9, fingerprint: 1, protocols: 1...2, terms: nil))
        case 1:
            return .reassert(
                .init(
                    place: place, joinNonce: 9, fingerprint: state.job?.terms.fingerprint ?? 1,
                    beat: 1, using: 1,
                    held: [.init(key: key, rows: rows, isInDoubt: false)], rows: rows, nonce: 7))
        case 2, 3:
            return .beat(
                .init(
                    number: (state.workers.first?.beat ?? 0) &+ 1, using: 1, wants: .max,
                    lined: [.init(key: key, lined: row)], lost: [seen],
                    counts: ClusterCounts(lines: row, outcomes: [1, 2]),
                    outcomeEpoch: state.job?.outcomeEpoch, counter: 5, isLeaving: choice == 3,
                    opens: state.job?.generation))
        case 4: return .survey
        case 5:
            let first = state.job?.cutRows ?? 0
            return .cut([ClusterCut(firstRow: first, endRow: first + 9, sum: 1, isLast: true)])
        case 6: return .take(.rest(key, seen: seen.beat, epoch: 3))
        case 7: return .take(.upperPart(key, from: row, newKey: RangeKey(bits: 77)))
        case 8: return .take(.orphan(state.grants.first?.key ?? key, of: seen))
        case 9: return .grant(key, upTo: row)
        case 10: return .settle(key)
        case 11:
            return .giveBack(
                .init(key: key, tail: row / 2, scattered: rows, newKey: RangeKey(bits: 78)))
        default: return .decide(.goOn, after: state.job?.orders ?? 0)
        }
    }
}
