import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareTLS

/// A load test made ready: keys read, TLS prepared, everything checked that can be checked before the
/// first byte is sent.
///
/// A job whose rows are generated, that tries each of them once and writes no report.
struct LoadPlan: Sendable {
    let options: LoadOptions
    let configuration: Configuration
    let lanes: Int
    let schema: RowSchema
    /// The request that takes the place of a notification, if the service is no push provider.
    let fixed: FixedRequest?
    /// The lanes' settings that are the same in all steps; pace and measurement differ.
    let laneSettings: [LaneSettings]
    /// The first number of rows' ids, which differs from test to test.
    let identity: JobIdentity

    /// Checks a configuration.
    /// - Throws: `FanfareError` with code `configuration`.
    init(_ configuration: Configuration, _ options: LoadOptions) throws(FanfareError) {
        try Self.check(options)
        var configuration = configuration
        guard configuration.routes.count == 1 else {
            throw FanfareError(.configuration, "a load test is of one provider")
        }
        configuration.inputs = [
            .generated(seed: Self.seed, provider: configuration.provider.provider)
        ]
        configuration.report = ReportOptions()
        configuration.report.path = Rehearsal.noReport
        configuration.guards.stopIf = []
        configuration.engine.giveUpAfter = Limits.patienceAtStart
        configuration.engine.attemptsMax = 1
        // The load stays as requested, even if the service suffers from it.
        configuration.engine.isAdaptive = false
        // Chosen ones would be found by trial, and differ from test to test.
        let connections = configuration.engine.connections ?? Limits.loadConnections
        configuration.engine.connections = connections
        configuration.engine.delivery = .atMostOnce
        fixed = try options.request.map { request throws(FanfareError) in
            try FixedRequest(request)
        }
        // The content of the rows does not matter then.
        if fixed != nil { configuration.payload = .template(json: [0x7B, 0x7D], name: "body") }
        var generator = SystemRandomNumberGenerator()
        identity = JobIdentity(bits: generator.next())
        let plan = try PreparedJob(configuration, identity: identity)
        self.options = options
        self.configuration = configuration
        lanes = plan.lanes
        schema = plan.preparation.schema
        var settings = try plan.laneSettings(speaking: options.versions)
        for lane in settings.indices {
            // A request that was refused is an answer here, and not sent again.
            settings[lane].dispatch.refusalsMax = 1
            settings[lane].dispatch.givesWay = false
            settings[lane].dispatch.provesRoute = false
            settings[lane].connection.versionAdvice = "; \(.httpVersion) chooses the version"
            if let fixed {
                let endpoint = configuration.provider.endpoint
                settings[lane].connection.service = FixedService(
                    fixed, scheme: endpoint.scheme, authority: endpoint.authority)
            }
        }
        if case .inFlight(let count) = options.pattern {
            let share = (count + connections - 1) / connections
            for lane in settings.indices {
                let streams = settings[lane].dispatch.streamsPerConnection
                settings[lane].dispatch.streamsPerConnection = min(streams, share)
            }
        }
        laneSettings = settings
        try Self.rehearse(plan, settings[0])
    }

    /// The rows are the same in every test.
    private static let seed: UInt64 = 1

    /// Checks one row, as all are alike: its fault would be that of each.
    private static func rehearse(
        _ plan: PreparedJob, _ settings: LaneSettings
    ) throws(FanfareError) {
        let batch = RowBatch(rowCapacity: 1, slotCount: plan.preparation.schema.slotCount)
        var preparer = RowPreparer(settings.preparation, settings.connection.service)
        var row = PreparedRow()
        guard try plan.source.fill(batch), !preparer.prepare(batch, 0, into: &row) else { return }
        throw FanfareError(
            .configuration,
            "what would be sent is not a notification: \(preparer.problemKind); see \(.payload) "
                + "and \(.topic), or \(.noValidation)")
    }

    /// Rows for one step.
    var source: RowSource {
        RowSource(configuration.inputs, InputSpec(options: configuration.rows, schema: schema))
    }

    // MARK: Checks

    private static func check(_ options: LoadOptions) throws(FanfareError) {
        func require(_ holds: Bool, _ message: String) throws(FanfareError) {
            guard holds else { throw FanfareError(.configuration, message: message) }
        }
        if let count = options.count {
            try require(count > 0, "a count of requests has to be more than nothing")
        } else {
            try require(options.duration > .zero, "a load test has to take some time")
            try require(options.warmUp >= .zero, "a warm-up takes no negative time")
            try require(
                options.warmUp + options.duration <= Limits.loadTimeMax,
                "a step of a load test may take 30 days at most")
        }
        try require(
            (1...Limits.loadStepsMax).contains(options.steps),
            "steps: \(options.steps) is not between 1 and \(Limits.loadStepsMax)")
        try check(options.failIf, options.pattern)
        switch options.pattern {
        case .inFlight(let count):
            let most = Limits.connectionsMax * Limits.streamsMax
            try require(
                (1...most).contains(count), "in flight: \(count) is not between 1 and \(most)")
            try require(options.steps == 1, "steps need a rate that goes from one to another")
        case .knee(let first, let bounds):
            try require(
                (Limits.loadRateMin...Limits.loadRateMax).contains(first),
                "a rate has to be between one a day and 100 million a second")
            try require(bounds.p99 > .zero, "a bound on latencies has to be more than nothing")
            try require(
                (0...1).contains(bounds.errorShare), "a bound on errors is between 0 and 1")
            try require(
                (Limits.kneePrecisionMin...1).contains(bounds.precision),
                "a search for the knee goes no closer than a tenth of a percent")
            try require(
                options.count == nil && options.steps == 1,
                "a search for the knee makes its own steps, of a duration")
        case .rate(let from, let to):
            for rate in [from, to] {
                try require(
                    (Limits.loadRateMin...Limits.loadRateMax).contains(rate),
                    "a rate has to be between one a day and 100 million a second")
            }
            try require(
                options.steps == 1 || from != to, "steps need a rate that goes from one to another")
            try require(
                options.count == nil || from == to,
                "a rate that goes from one to another needs a duration, not a count")
        }
    }

    /// Checks that a share of the rate is one of a rate that was asked for.
    private static func check(
        _ conditions: [LoadCondition], _ pattern: LoadOptions.Pattern
    ) throws(FanfareError) {
        guard let condition = conditions.first(where: \.isShareOfRate) else { return }
        let reason: String
        switch pattern {
        case .rate: return
        case .inFlight: reason = "a closed loop asks for no rate to take a share of"
        case .knee: reason = "a search asks for no rate, it finds one"
        }
        throw FanfareError(
            .configuration,
            "\(.loadConditions) \(condition): \(reason); give answers a second, such as rate<5000")
    }

    // MARK: Steps

    /// The schedules of the steps, in order.
    ///
    /// Those of a search follow from each other.
    var schedules: [LoadSchedule] {
        let from, to: Double
        switch options.pattern {
        case .inFlight: return [schedule(.closed)]
        case .knee: return []
        case .rate(let first, let last): (from, to) = (first, last)
        }
        guard options.steps > 1 else { return [schedule(.open(from: from, to: to))] }
        return (0..<options.steps).map { step in
            let rate = from + (to - from) * Double(step) / Double(options.steps - 1)
            return schedule(.open(from: rate, to: rate))
        }
    }

    /// The schedule of one step.
    func schedule(_ load: LoadSchedule.Load) -> LoadSchedule {
        if let count = options.count { return LoadSchedule(load, count: Int64(count)) }
        return LoadSchedule(load, warmUp: options.warmUp, duration: options.duration)
    }

    /// The lane's part of the requests in flight, of a closed loop.
    func inFlight(ofLane lane: Int) -> Int? {
        guard case .inFlight(let count) = options.pattern else { return nil }
        return count / lanes + (lane < count % lanes ? 1 : 0)
    }
}
