import FanfareBase
import FanfareSimulator
import FanfareTestSupport

@testable import Fanfare
@testable import FanfareCore

/// Everything about one run of a job with two routes that its seed decides before it begins.
struct TwoRoutePlan {
    let seed: UInt64
    /// The lanes' own: of APNs, with faults, and of FCM, where all goes well.
    var lanes: [SimulationPlan]
    /// The rows in the order of the input, and whose they are.
    var rows: [(lane: Int, row: PlannedRow)] = []
    /// The input as the reader gets it.
    var input: [UInt8] = []
    /// The number of batches that each route begins with.
    var batches = 1
    var readTime = 0...0
    var writeTime = 0...0
    var downTime = 1000...1000
    /// Blocks that may wait for the writer before it counts as behind.
    var reportBlocksMax = 8
    /// The ends of the first processes.
    var kills: [Kill] = []
    /// Processes that are started anew after an end of their own.
    var resumptionsMax = 0

    /// A job with the usual faults at one of its providers.
    init(seed: UInt64) {
        var dice = Dice(seed: seed ^ 0x5477_6F52_6F75_7465)
        self.init(seed: seed, troubled: .troubled(seed: seed), rowCount: dice.number(10...100))
        batches = dice.number(1...3)
        readTime = 0...dice.pick([0, SimulationPlan.millisecond])
        writeTime = 0...dice.pick([0, SimulationPlan.millisecond])
        let jobTime = dice.pick([
            SimulationPlan.millisecond, 100 * SimulationPlan.millisecond, 3 * SimulationPlan.second,
        ])
        kills = (0..<dice.pick([0, 0, 1, 2])).map { _ in
            var kill = Kill(&dice, jobTime: jobTime)
            // Its remains are the same with one route, and are simulated there.
            kill.losesPower = false
            return kill
        }
        resumptionsMax = kills.count + dice.number(1...2)
    }

    /// A job in which nothing goes wrong but at the first provider, as its plan has it.
    /// - Parameters:
    ///   - seed: Of rows and chance.
    ///   - troubled: The plan of the lane of APNs.
    ///   - rowCount: The rows of both.
    ///   - calmShare: The share of them that is for FCM; `nil` for the seed's choice.
    init(
        seed: UInt64, troubled: SimulationPlan, rowCount: Int, calmShare: Double? = nil
    ) {
        self.seed = seed
        lanes = [troubled, .calm(seed: seed, resendsInDoubt: troubled.resendsInDoubt)]
        makeRows(rowCount, calmShare)
        for index in lanes.indices { lanes[index].rowCount = rowCount }
    }

    private static let badKinds: [PlannedRow.Kind] = [
        .tokenEmpty, .tokenNotHexadecimal, .payloadMissing, .payloadNotJSON,
    ]

    /// Makes rows of all kinds, with a column besides that no request has: some dozens fill a batch.
    private mutating func makeRows(_ count: Int, _ share: Double?) {
        var dice = Dice(seed: ~seed)
        let choice = dice.pick([0.1, 0.5, 0.5, 0.9])
        let calmShare = share ?? choice
        let badShare = dice.swarm(0.3, upTo: 0.3)
        var text = "token,provider,payload,filler\n"
        for number in 1...count {
            let lane = dice.chance(calmShare) ? 1 : 0
            let plan = lanes[lane]
            var kind = PlannedRow.Kind.good
            if dice.chance(plan.shortTokenShare) { kind = .shortToken }
            if dice.chance(badShare) { kind = dice.pick(Self.badKinds) }
            let row = PlannedRow(
                number: UInt64(number), kind: kind, payloadBytes: dice.number(plan.payloadBytes),
                for: plan.kind, &dice)
            rows.append((lane, row))
            let words = [["ios", "Apple", "apns"], ["android", "fcm", "GCM"]][lane]
            // Only a good token shows whose it is.
            let word = kind == .good && dice.chance(0.3) ? "" : dice.pick(words)
            let payload = (row.payload ?? "").replacing("\"", with: "\"\"")
            let filler = String(repeating: "x", count: dice.number(600...2500))
            text += "\(row.token ?? ""),\(word),\"\(payload)\",\(filler)\n"
        }
        input = Array(text.utf8)
    }
}

extension SimulationPlan {
    /// A lane of APNs with the faults of a seed, without those of the whole job.
    fileprivate static func troubled(seed: UInt64) -> SimulationPlan {
        var plan = SimulationPlan(seed: seed)
        plan.until = nil
        plan.expiration = nil
        plan.isDurable = false
        plan.hasSideFiles = false
        plan.reportEnding = ""
        plan.sideEnding = ""
        plan.partBytesMax = nil
        plan.room = nil
        plan.kills = []
        plan.drainsAfter = nil
        plan.abortsAfter = nil
        return plan
    }

    /// A lane of FCM, some milliseconds away from a provider that takes everything.
    fileprivate static func calm(seed: UInt64, resendsInDoubt: Bool) -> SimulationPlan {
        .quiet(seed: seed ^ 1 << 63) {
            $0.kind = .fcm
            $0.resendsInDoubt = resendsInDoubt
            $0.timeout = .seconds(30)
            $0.patience = .seconds(60)
            $0.network.delay = 0...2 * millisecond
            $0.provider.fcm.acceptsAnonymous = true
            $0.provider.latency = .fixed(.milliseconds(20))
        }
    }
}
