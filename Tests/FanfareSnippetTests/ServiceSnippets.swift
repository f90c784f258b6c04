import Fanfare
import FanfareFoundation
import FoundationEssentials

// As in Snippets.swift, for the article about services.

private func client(
    configuration: Configuration, user: User, database: Database
) async throws {
    // snippet: begin
    let client = try PushClient(configuration)
    let outcome = try await client.send(
        PushRow(token: user.token, values: ["name": .string(user.name)]))
    if outcome.kind == .unregistered { try await database.forget(user.token) }
    await client.shutdown()
    // snippet: end
}

// snippet: begin
struct PushService: Service {
    let client: PushClient

    func run() async {
        try? await gracefulShutdown()
        await client.shutdown()
    }
}
// snippet: end

// snippet: begin
struct BroadcastService: Service {
    let job: PushJob

    func run() async throws {
        try await withGracefulShutdownHandler {
            _ = try await job.run()
        } onGracefulShutdown: {
            job.stop()
        }
    }
}
// snippet: end

// snippet: begin
extension Logger {
    func log(_ event: JobEvent) {
        let level: Level =
            switch event.level {
            case .error: .error
            case .warning: .warning
            case .info: .info
            case .debug: .debug
            }
        let fields = event.fields.map { ($0.name, MetadataValue.string("\($0.value)")) }
        log(level: level, "\(event.name)", metadata: Dictionary(fields) { $1 })
    }
}
// snippet: end

private func logging(configuration: Configuration) throws {
    // snippet: begin
    let logger = Logger(label: "push")
    let client = try PushClient(configuration) { logger.log($0) }
    // snippet: end
    _ = client
}

// snippet: begin
func measure(_ client: PushClient) async {
    let inFlight = Gauge(label: "push_in_flight")
    let slowest = Gauge(label: "push_latency_p99_seconds")
    let counters = PushOutcome.Kind.allCases.map { kind in
        (kind, Counter(label: "push_notifications", dimensions: [("outcome", kind.rawValue)]))
    }
    var earlier = client.progress
    for await progress in client.progress(every: .seconds(10)) {
        inFlight.record(progress.inFlight)
        let latencies = progress.latencies.since(earlier.latencies)
        if let p99 = latencies.percentile(99) { slowest.record(p99 / .seconds(1)) }
        for (kind, counter) in counters where progress.count(of: kind) > earlier.count(of: kind) {
            counter.increment(by: progress.count(of: kind) - earlier.count(of: kind))
        }
        earlier = progress
    }
}
// snippet: end

private func progress(of job: PushJob) async {
    // snippet: begin
    for await progress in job.progress(every: .seconds(1)) {
        let p99 = progress.latencies.percentile(99) ?? .zero
        print(progress.finished, "rows,", progress.inFlight, "in flight, p99", p99)
    }
    // snippet: end
}

private func values(of client: PushClient, user: User) async throws {
    // snippet: begin
    struct Offer: Encodable {
        struct Aps: Encodable { var alert: String }
        var aps: Aps
        var offer: Int
    }
    let row = try PushRow(
        token: user.token, encoding: Offer(aps: .init(alert: "Doors open"), offer: 7))
    let outcome = try await client.send(row)
    print(outcome.kind, outcome.sentAt ?? .now)
    // snippet: end
}
