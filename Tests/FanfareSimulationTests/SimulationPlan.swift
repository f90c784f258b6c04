import FanfareCore
import FanfareHTTP2
import FanfareSimulator
import FanfareTestSupport

@testable import Fanfare

/// Everything about one run that its seed decides before it begins.
struct SimulationPlan {
    let seed: UInt64
    /// Whose rows they are.
    var kind = ProviderKind.apns

    // The input.
    var rowCount: Int
    var badRowShare: Double
    var shortTokenShare: Double
    /// The number of rows with a short token that follow one another.
    var shortTokenRun = 1
    /// Rows that all have a short token, counted from 0.
    var shortTokenRows = 0..<0
    var payloadBytes: ClosedRange<Int>
    var batchRows: ClosedRange<Int>
    var batchGap: ClosedRange<Int>

    // The client.
    /// The number of lanes that its job has; only one of them is there.
    var lanes = 1
    var connections: Int
    /// More than `connections` has the lane choose.
    var connectionsMax: Int
    var streams: Int
    var firstRequestAlone: Bool
    var attemptsMax: Int
    /// `--delivery at-least-once`.
    var resendsInDoubt: Bool
    /// `--until` and the notifications' expiration, counted from the start.
    var until: Int?
    var expiration: Int?
    /// With a provider token, and how far the provider's clock is ahead of ours.
    var usesTokens: Bool
    var clockSkewSeconds: Int64
    var timeout: Duration
    var connectTimeout: Duration
    var firstDelay: Duration
    var delayMax: Duration

    // The world.
    var provider: SimulatorConfiguration
    var network: NetworkPlan
    /// Blocks that may wait for the writer before it counts as behind.
    var reportBlocksMax: Int
    var writeTime: ClosedRange<Int>
    /// `--durability full`, and whether there are files beside the report.
    var isDurable: Bool
    var hasSideFiles: Bool
    /// The endings of compressed files (`.gz`, `.zst`): of the report, and of those beside it.
    var reportEnding: String
    var sideEnding: String
    /// `--report-split`.
    var partBytesMax: Int?
    /// Bytes that the disk has room for, until the operator makes more.
    var room: Int?
    /// The disk that is full is that of the files beside the report.
    var hasOwnDisk: Bool
    /// The ends of the first processes; those behind them are left alone.
    var kills: [Kill]
    /// Processes of the job that are started anew after an end of their own.
    var resumptionsMax: Int
    /// The time until the operator carries the job on.
    var downTime: ClosedRange<Int>
    /// The time when the job is interrupted, and the time from there until it is aborted.
    var drainsAfter: Int?
    var abortsAfter: Int?
    var pace: PaceSettings?
    /// True if the first request of the route goes alone.
    var provesRoute = true
    /// The times when the job is paused or resumed, and when it gets another pace.
    var pauses: [(moment: Int, isPaused: Bool)] = []
    var paceChanges: [(moment: Int, pace: PaceSettings?)] = []
    /// The schedule of a load test, in place of a pace; and how many are in flight at most.
    var load: LoadSchedule?
    var inFlight = Int.max
    var isAdaptive: Bool
    /// `--give-up-after`.
    var patience: Duration
    /// Until when another route's provider answers all the time, in nanoseconds; `nil` without one.
    var otherRouteAnswersUntil: Int?

    static let microsecond = 1_000
    static let millisecond = 1_000_000
    static let second = 1_000_000_000

    init(seed: UInt64) {
        self.seed = seed
        var dice = Dice(seed: seed)
        rowCount = dice.number(
            dice.pick([0...0, 1...10, 1...10, 1...10, 11...100, 11...100, 11...100, 101...500]))
        badRowShare = dice.swarm(0.3, upTo: 0.6)
        shortTokenShare = dice.swarm(0.2, upTo: 0.2)
        let largest = dice.pick([30, 200, 200, 1000, 4096])
        payloadBytes = 20...largest
        let batchMax = dice.pick([1, 5, 50, 500])
        batchRows = 1...batchMax
        batchGap = 0...dice.pick([0, 0, Self.millisecond, 100 * Self.millisecond, 3 * Self.second])

        connections = dice.number(1...4)
        streams = dice.pick([1, 2, dice.number(1...50), dice.number(1...50), 50])
        firstRequestAlone = dice.chance(0.3)
        attemptsMax = dice.number(1...5)
        resendsInDoubt = dice.chance(0.3)
        until = dice.chance(0.1) ? dice.number(0...3 * Self.second) : nil
        expiration = dice.chance(0.1) ? dice.number(0...5 * Self.second) : nil
        usesTokens = firstRequestAlone
        clockSkewSeconds = Int64(dice.pick([0, 0, 0, -60, 60, 35 * 60]))
        timeout = .milliseconds(dice.pick([20, 200, 1000, 5000, 30_000]))
        connectTimeout = .milliseconds(dice.pick([100, 1000, 10_000]))
        firstDelay = .milliseconds(dice.pick([1, 50, 500]))
        delayMax = .milliseconds(dice.pick([100, 2000, 60_000]))

        provider = Self.provider(&dice, largest: largest)
        network = NetworkPlan(&dice, isSmall: rowCount <= 60 && largest <= 200)
        reportBlocksMax = dice.pick([1, 2, 8, 8])
        writeTime = 0...dice.pick([0, 0, Self.millisecond, Self.second])
        let jobTime = dice.pick([Self.millisecond, 100 * Self.millisecond, 3 * Self.second])
        drainsAfter = dice.chance(0.2) ? dice.number(0...jobTime) : nil
        abortsAfter = dice.chance(0.5) ? dice.number(0...jobTime) : nil
        isDurable = dice.chance(0.2)
        hasSideFiles = dice.chance(0.4)
        room = dice.chance(0.1) ? dice.number(0...dice.pick([1000, 20_000])) : nil
        hasOwnDisk = dice.chance(0.5)
        let killCount = dice.pick([0, 1, 1, 2, 3])
        kills = (0..<killCount).map { _ in Kill(&dice, jobTime: jobTime) }
        resumptionsMax = killCount + dice.number(1...2)
        downTime = 0...dice.pick([0, 50 * Self.millisecond, 10 * Self.second])
        pace = Self.pace(&dice)
        connectionsMax = dice.chance(0.3) ? dice.number(connections...16) : connections
        isAdaptive = dice.chance(0.7)
        // A provider that answers nothing is left within minutes.
        patience = .seconds([1, 5, 30][Int(seed % 3)])
        reportEnding = dice.pick(["", "", "", ".gz", ".zst"])
        sideEnding = dice.pick(["", "", "", reportEnding, ".gz"])
        partBytesMax = dice.chance(0.3) ? dice.number(100...dice.pick([400, 4000])) : nil
    }

    /// The path of the report, or of its first part.
    var reportPath: String { "report.csv" + reportEnding }

    /// The files that its processes write.
    var outputs: [OutputSpec] {
        let split = partBytesMax.map {
            OutputSplit(parts: ReportParts(reportPath), bytesMax: $0)
        }
        let report = OutputSpec(
            kind: .report, path: reportPath, header: Array(ReportFormat(.csv).header.utf8),
            split: split)
        guard hasSideFiles else { return [report] }
        return [
            OutputSpec(kind: .retryRows, path: "retry.csv" + sideEnding, header: []),
            OutputSpec(kind: .unregistered, path: "dead.csv" + sideEnding, header: []),
            report,
        ]
    }

    private static func provider(
        _ dice: inout Dice, largest: Int
    ) -> SimulatorConfiguration {
        var provider = SimulatorConfiguration()
        provider.seed = dice.bits()
        provider.logsRequests = true
        provider.maxConcurrentStreams = UInt32(dice.pick([1, 2, dice.number(1...100), 100]))
        provider.fixedStreamLimit = dice.chance(0.5)
        provider.latency = latency(&dice)
        // Each window is a way there and back: kilobytes through three bytes take hours, and minutes of ours.
        if dice.chance(0.3) {
            provider.initialWindowSize = UInt32(dice.number(max(1, largest / 40)...2000))
        }
        if dice.chance(0.2) { provider.connectionWindow = Int32(dice.number(100...70_000)) }
        if dice.chance(0.03) { provider.maxConcurrentStreams = 0 }
        if dice.chance(0.2) { provider.headerTableSize = UInt32(dice.pick([0, 100, 65_536])) }
        provider.scenario = Scenario(rules: ScenarioDeck.deal(&dice))
        return provider
    }

    static func latency(_ dice: inout Dice) -> LatencyModel {
        let texts = [
            "0ms", "0ms", "1ms", "40ms", "0ms..50ms", "lognormal:p50=40ms,p99=2s", "1s..8s",
        ]
        // The texts are constants of the right form.
        // swift-format-ignore: NeverUseForceTry
        return try! LatencyModel(dice.pick(texts))
    }

    private static func pace(_ dice: inout Dice) -> PaceSettings? {
        guard dice.chance(0.3) else { return nil }
        return PaceSettings(
            count: Int64(dice.number(1...1000)),
            period: Int64(dice.pick([millisecond, 100 * millisecond, 7 * second])),
            burst: dice.chance(0.3) ? Int64(dice.number(1...20)) : nil,
            ramp: dice.chance(0.3) ? Int64(dice.number(0...10 * second)) : 0)
    }

    var rows: [PlannedRow] {
        var dice = Dice(seed: ~seed)
        var isShort = false
        return (0..<rowCount).map { index in
            var kind = PlannedRow.Kind.good
            if index % shortTokenRun == 0 { isShort = dice.chance(shortTokenShare) }
            if isShort || shortTokenRows.contains(index) { kind = .shortToken }
            if dice.chance(badRowShare) { kind = dice.pick(PlannedRow.Kind.bad) }
            return PlannedRow(
                number: UInt64(index + 1), kind: kind, payloadBytes: dice.number(payloadBytes),
                for: self.kind, &dice)
        }
    }

    /// The settings of a process of the job.
    /// - Parameters:
    ///   - clock: The clock of the process.
    ///   - start: The beginning of the job, in milliseconds of UNIX time.
    ///   - marks: The place where rows are marked.
    /// - Returns: The settings of its only lane.
    func laneSettings(clock: VirtualClock, start: Int64, marks: StartMarks) -> LaneSettings {
        var dispatch = DispatchSettings(
            connections: connections, streamsPerConnection: streams,
            firstRequestAlone: firstRequestAlone, timeout: timeout,
            connectTimeout: connectTimeout,
            retry: RetryPolicy(
                attemptsMax: attemptsMax, firstDelay: firstDelay, delayMax: delayMax))
        dispatch.provesRoute = provesRoute && load == nil
        dispatch.lanes = lanes
        dispatch.connectionsMax = connectionsMax
        dispatch.resendsInDoubt = resendsInDoubt
        dispatch.isAdaptive = isAdaptive
        dispatch.patience = patience
        // They are not signed; what counts is their age.
        let tokens = ProviderTokenSource(
            sign: { issuedAt in "e30.\(issuedAt).x" },
            unixSeconds: { clock.unixMilliseconds / 1000 })
        let load = load.map { LoadClock($0) }
        return LaneSettings(
            dispatch: dispatch,
            preparation: PreparationSettings(
                schema: RowSchema(), template: nil, report: ReportFormat(.csv),
                hasReport: true, carriedSlots: [], validates: true, keepsText: hasSideFiles,
                unregistered: hasSideFiles ? UnregisteredFormat(.csv) : nil),
            connection: ConnectionSettings(
                tls: nil, session: ClientSessionConfiguration(streamCapacity: streams),
                service: service(start: start), credentials: usesTokens ? tokens : nil),
            pace: load.map { LanePace($0, inFlightMax: inFlight) }
                ?? (pace == nil && paceChanges.isEmpty
                    ? LanePace() : LanePace(job: JobPace(pace, lanes: 1), lane: 0)),
            marks: marks, untilMilliseconds: until.map { start + Int64($0 / Self.millisecond) },
            meter: load.map { RequestMeter($0) { 0 } })
    }
}

extension SimulationPlan {
    /// The service that makes requests of its rows.
    fileprivate func service(start: Int64) -> any PushService {
        guard kind == .apns else {
            return FCM(FCM.Settings(scheme: "http", authority: "provider.test", project: "p"))
        }
        var request = APNs.Settings(
            scheme: "http", authority: "provider.test", identity: JobIdentity(bits: seed))
        request.topic = "com.example.app"
        request.givenTopic = Array("com.example.app".utf8)
        request.pushType = "alert"
        if let expiration {
            request.expiration = String((start + Int64(expiration / Self.millisecond)) / 1000)
        }
        return APNs(request)
    }
}

extension SimulationPlan: CustomStringConvertible {
    var description: String {
        Mirror(reflecting: self).children.map { "  \($0.label ?? ""): \($0.value)" }
            .joined(separator: "\n")
    }
}

/// The end of a process that could not say a word.
struct Kill {
    enum Moment {
        /// Nanoseconds after its start.
        case time(Int)
        /// At the moment when it has written so many bytes, in the middle of its writing then.
        case writes(Int)
    }

    var moment: Moment
    /// The whole machine goes down.
    var losesPower = false

    init(_ moment: Moment, losesPower: Bool = false) {
        self.moment = moment
        self.losesPower = losesPower
    }

    init(_ dice: inout Dice, jobTime: Int) {
        moment =
            dice.chance(0.5)
            ? .time(dice.number(0...jobTime))
            : .writes(dice.number(0...dice.pick([300, 3000, 30_000])))
        losesPower = dice.chance(0.15)
    }
}

/// The acts of the network on bytes.
struct NetworkPlan {
    enum Pieces: CaseIterable {
        case whole
        case any
        case small
        case single
    }

    /// Moments are multiples of this, so that things happen together.
    var grain: Int
    var delay: ClosedRange<Int>
    var pieces: Pieces
    /// The bytes that may be under way in each direction before the sender is blocked.
    var upCapacity: Int
    var downCapacity: Int
    var partialWrites: Double
    /// Writes that find no room, though there is some (EAGAIN).
    var refusedWrites: Double
    /// Connections of which a write fails (EPIPE, ECONNRESET), after a number of calls, and how many of
    /// those that are written to behind the provider's end fail at once.
    var failedWrites: Double
    var writesBeforeFailure: ClosedRange<Int>
    var refusedDials: Double
    var hangingDials: Double
    /// Connections that are cut, by time or after a number of bytes.
    var cuts: Double
    var cutTime: ClosedRange<Int>
    var cutBytes: ClosedRange<Int>
    /// Connections that fall silent in both directions, and whether the kernel notices in the end.
    var silences: Double
    var noticesSilence: Bool
    /// The time in which every dial is refused, counted from the start.
    var outage: Range<Int>

    init(_ dice: inout Dice, isSmall: Bool) {
        let (microsecond, millisecond) = (SimulationPlan.microsecond, SimulationPlan.millisecond)
        grain = dice.pick([1, microsecond, millisecond, 10 * millisecond])
        let slowest = dice.pick([0, 50 * microsecond, millisecond, 80 * millisecond])
        delay = 0...slowest
        pieces = dice.pick(isSmall ? Pieces.allCases : [.whole, .whole, .any])
        // Megabytes through 20 bytes are a minute of turns.
        upCapacity = dice.pick([isSmall ? 20 : 300, 300, 5000, 100_000, 100_000])
        downCapacity = dice.pick([20, 300, 5000, 100_000, 100_000])
        partialWrites = dice.swarm(0.4, upTo: 0.9)
        refusedWrites = dice.swarm(0.2, upTo: 0.7)
        failedWrites = dice.swarm(0.4, upTo: 1)
        writesBeforeFailure = 0...dice.pick([3, 30, 300])
        refusedDials = dice.swarm(0.3, upTo: 0.7)
        hangingDials = dice.swarm(0.2, upTo: 0.5)
        if dice.chance(0.02) { refusedDials = 1 }
        cuts = dice.swarm(0.4, upTo: 1)
        cutTime = 0...dice.pick([millisecond, 200 * millisecond, 5000 * millisecond])
        cutBytes = 0...dice.pick([100, 3000, 50_000])
        silences = dice.swarm(0.2, upTo: 0.5)
        noticesSilence = dice.chance(0.5)
        let outageStart = dice.number(0...5000 * millisecond)
        let outageLength = dice.chance(0.1) ? dice.number(0...60_000 * millisecond) : 0
        outage = outageStart..<outageStart + outageLength
    }
}
