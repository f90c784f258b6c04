import FanfareBase
import FanfareSimulator
import FanfareTestSupport

/// Everything about one run of a job in batches that its seed decides before it begins.
struct BatchPlan {
    /// The answer of a provider to a request.
    enum Answer: CaseIterable {
        /// Each row has a result of its own.
        case results
        /// The list lacks a result, so that it says nothing of any row.
        case oneShort
        case throttled
        case tooLarge
        case serverError
        case nothing
        /// The connection ends in good order before a byte of an answer.
        case close
        /// Bytes that are no HTTP.
        case garbage
    }

    static let millisecond = SimulationPlan.millisecond
    static let second = SimulationPlan.second

    let seed: UInt64
    var rowCount = 1
    /// By row: the number of its text, and whether its token has another shape than those of the service.
    var rows: [(text: Int, isBad: Bool)] = []
    /// The most rows of a request.
    var rowsMax = 2
    var connections = 1
    var attemptsMax = 3
    var batchRows = 1...10
    var batchGap = 0...0
    var delay = 0...0
    var latency = 0...0
    /// Bytes that arrive together at the most.
    var pieceMax = 100_000
    /// Bytes that a transport holds.
    var capacity = 100_000
    var writeTime = 0...0
    var downTime = 1000...1000
    /// The share of each answer besides results.
    var faults: [Answer: Double] = [:]
    /// The share of rows that an answer calls dead, and too soon.
    var deadShare = 0.0
    var slowShare = 0.0
    /// The share of connections that are cut: behind any byte in either direction.
    var cuts = 0.0
    var refusedDials = 0.0
    /// The shares of answers that end their connection, and of chunked ones.
    var lastAnswers = 0.0
    var chunkedAnswers = 0.0
    var kills: [Kill] = []
    var resumptionsMax = 1

    /// A job without faults.
    init(quiet seed: UInt64, rows count: Int, texts: Int = 1) {
        self.seed = seed
        var dice = Dice(seed: ~seed)
        makeRows(count, texts: texts, badShare: 0, &dice)
    }

    init(seed: UInt64) {
        self.seed = seed
        var dice = Dice(seed: seed ^ 0x4261_7463_6865_7321)
        makeRows(
            dice.number(1...dice.pick([5, 40, 120])), texts: dice.pick([1, 1, 2, 4]),
            badShare: dice.swarm(0.3, upTo: 0.3), &dice)
        rowsMax = dice.pick([2, 3, 7, 12])
        connections = dice.pick([1, 1, 2, 4])
        attemptsMax = dice.number(1...4)
        batchRows = 1...dice.pick([3, 20, 120])
        batchGap = 0...dice.pick([0, Self.millisecond, 80 * Self.millisecond])
        delay = 0...dice.pick([0, Self.millisecond, 50 * Self.millisecond])
        latency = 0...dice.pick([0, 10 * Self.millisecond, Self.second])
        pieceMax = dice.pick([1, 20, 200, 100_000])
        capacity = dice.pick([1, 50, 100_000, 100_000])
        writeTime = 0...dice.pick([0, Self.millisecond, 100 * Self.millisecond])
        for answer in Answer.allCases where answer != .results {
            faults[answer] = dice.swarm(0.3, upTo: answer == .nothing ? 0.1 : 0.3)
        }
        deadShare = dice.swarm(0.5, upTo: 0.5)
        slowShare = dice.swarm(0.5, upTo: 0.5)
        cuts = dice.swarm(0.5, upTo: 0.6)
        refusedDials = dice.swarm(0.2, upTo: 0.5)
        lastAnswers = dice.swarm(0.3, upTo: 0.5)
        chunkedAnswers = dice.swarm(0.5, upTo: 1)
        let jobTime = dice.pick([Self.millisecond, 100 * Self.millisecond, 3 * Self.second])
        kills = (0..<dice.pick([0, 0, 1, 2])).map { _ in
            var kill = Kill(&dice, jobTime: jobTime)
            // The rest is the same for one row a request, and is simulated there.
            kill.losesPower = false
            return kill
        }
        resumptionsMax = kills.count + 2
    }

    private mutating func makeRows(
        _ count: Int, texts: Int, badShare: Double, _ dice: inout Dice
    ) {
        rowCount = count
        rows = (0..<count).map { _ in (dice.number(1...texts), dice.chance(badShare)) }
    }

    static func token(_ row: UInt64) -> String { "t\(row)" }

    /// The input as the reader gets it.
    var input: [UInt8] {
        var text = "token,text\n"
        for (index, row) in rows.enumerated() {
            text += (row.isBad ? "!" : "") + Self.token(UInt64(index + 1)) + ",x\(row.text)\n"
        }
        return Array(text.utf8)
    }

    /// The description of the provider.
    var file: String {
        #"""
        {"fanfare_provider": 1, "name": "batches", "origin": "http://127.0.0.1:1", "auth": {"kind": "none"},
         "request": {"path": "/send", "body": {"text": "${row:text}", "to": []}},
         "token": {"shape": "t[0-9]+"}, "batch": {"rows": \#(rowsMax), "tokens": "/to"},
         "answer": {"rules": [
           {"status": 200, "outcome": "accepted"}, {"status": 429, "outcome": "throttled", "retry": "later"},
           {"status": 413, "outcome": "rejected", "split": true}],
          "otherwise": {"outcome": "failed", "retry": "never"},
          "rows": {"by": "index", "list": "/r", "id": "/id", "otherwise": {"outcome": "accepted"}, "rules": [
            {"at": "/e", "is": ["gone"], "outcome": "unregistered"},
            {"at": "/e", "is": ["slow"], "outcome": "throttled", "retry": "later"}]}}}
        """#
    }
}
