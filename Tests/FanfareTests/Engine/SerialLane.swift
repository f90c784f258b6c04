import FanfareBase
import FanfareHTTP2

@testable import Fanfare
@testable import FanfareCore

/// A lane whose connections speak HTTP/1.1 in the clear, in a world where nothing happens but what a test
/// does.
struct SerialLane: ~Copyable {
    let world: SerialWorld
    var engine: LaneEngine

    /// - Parameters:
    ///   - rows: The number to be sent.
    ///   - connections: The number that is wanted.
    ///   - change: The change from the usual settings.
    /// - Throws: The error of the rows' reader.
    init(
        rows: Int, connections: Int = 1, change: (inout LaneSettings) -> Void = { _ in }
    ) throws {
        let schema = RowSchema(extra: [])
        let token = String(repeating: "a1", count: 32)
        let text = "token,payload\n" + String(repeating: "\(token),{}\n", count: rows)
        let batch = RowBatch(slotCount: schema.slotCount)
        _ = try RowReader(.text(text), InputSpec(schema: schema)).fill(batch)
        var connection = ConnectionSettings(
            session: ClientSessionConfiguration(streamCapacity: 10), service: APNs.sample)
        connection.versions = .http1
        var settings = LaneSettings(
            dispatch: DispatchSettings(
                connections: connections, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(30), retry: RetryPolicy(attemptsMax: 1)),
            preparation: PreparationSettings(
                schema: schema, template: nil, report: ReportFormat(.csv), hasReport: true,
                carriedSlots: [], validates: true),
            connection: connection)
        change(&settings)
        self.init(batch, settings)
    }

    /// - Parameters:
    ///   - batch: The rows.
    ///   - settings: The lane's.
    ///   - isInputOpen: True if more rows may come.
    init(_ batch: RowBatch, _ settings: LaneSettings, isInputOpen: Bool = false) {
        world = SerialWorld(batch)
        world.isInputOpen = isInputOpen
        engine = LaneEngine(settings: settings, environment: world, seed: 1)
        turn()
    }

    mutating func turn() { engine.turn(now: world.now) }

    /// Opens what the lane has dialled, and lets it send.
    mutating func open() {
        for connection in world.takeDialled() { engine.transportOpened(connection, now: world.now) }
        turn()
    }

    /// Has time pass until something is due, or a connection is dialled.
    mutating func wait(turns: Int = 100) {
        for _ in 0..<turns where world.dialled.isEmpty && !engine.isFinished {
            guard let next = engine.nextDeadline(now: world.now) else { return }
            world.now = max(world.now, next)
            turn()
        }
    }

    /// Has the server say something, and the lane act on it.
    mutating func say(_ text: String, on connection: Int = 0) {
        world.now = world.now.advanced(by: .milliseconds(1))
        Array(text.utf8).withUnsafeBytes {
            engine.received($0, on: connection, now: world.now)
        }
        turn()
    }

    /// Has the server close in good order.
    mutating func close(_ connection: Int = 0) {
        world.now = world.now.advanced(by: .milliseconds(1))
        engine.transportEnded(connection)
        engine.transportClosed(connection, .transient("end of file"), now: world.now)
        turn()
    }

    /// The number of rows that have an outcome.
    func count(_ outcome: Outcome) -> UInt64 { engine.books.report.tally.count(outcome) }
}

extension LaneSettings {
    /// The settings of a lane to a described provider over HTTP/1.1, with one connection and a report.
    init(sending service: DeclaredService, _ schema: RowSchema, attemptsMax: Int) {
        var connection = ConnectionSettings(
            session: ClientSessionConfiguration(streamCapacity: 10, responseBodyBytes: 4096),
            service: service)
        connection.versions = .http1
        self.init(
            dispatch: DispatchSettings(
                connections: 1, streamsPerConnection: 10, firstRequestAlone: false,
                timeout: .seconds(30), retry: RetryPolicy(attemptsMax: attemptsMax)),
            preparation: PreparationSettings(
                schema: schema, template: nil,
                report: ReportFormat(.csv, provider: service.provider), hasReport: true,
                carriedSlots: [], validates: true),
            connection: connection)
    }
}

/// A world that has a batch of rows, transports without an end, and a report.
final class SerialWorld: QuietEnvironment {
    private var batch: RowBatch?
    /// Connections that were dialled and not opened.
    private(set) var dialled: [Int] = []
    private(set) var dials = 0
    private(set) var closed: [Int] = []
    /// The bytes that each connection has sent.
    private var sent: [Int: String] = [:]
    /// Bytes that the transports still take.
    var room = Int.max
    private(set) var lines = ""
    var now = Instant(nanoseconds: 1_000_000_000)

    init(_ batch: RowBatch) { self.batch = batch }

    func takeDialled() -> [Int] {
        defer { dialled = [] }
        return dialled
    }

    /// Takes what a connection has sent.
    func takeSent(_ connection: Int = 0) -> String {
        defer { sent[connection] = nil }
        return sent[connection] ?? ""
    }

    /// Forgets which connections were closed: their numbers are used again.
    func forgetClosed() { closed = [] }

    // MARK: LaneEnvironment

    /// The news that the lanes of the route tell each other.
    var contact = RouteContact()
    /// The lane's number among them.
    var number = 0

    /// The time of an answer to another lane.
    var lastAnswerElsewhere: Instant?

    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave {
        contact.withProof { [number] in $0.hear(news, from: number, now: now) }.result
    }

    func providerAsks(toWaitUntil moment: Instant) {}

    func claimFirstRequest(now: Instant) -> Instant? {
        contact.withProof { [number] in $0.claim(by: number, now: now) }.result
    }

    /// True if more rows may come than there are.
    var isInputOpen = false
    /// True if all rows that are left wait for their hours.
    var isInputAsleep = false
    var isInputExhausted: Bool { batch == nil && !isInputOpen }

    /// The time at which the names of connections began to be looked up.
    var beginning: Instant? = .distantPast

    func beginning(of connection: Int) -> Instant? { beginning }

    func openTransport(_ connection: Int) {
        dialled.append(connection)
        dials += 1
    }

    /// Connections on which something has arrived that the engine was not told yet.
    var unread: Set<Int> = []

    func hasUnread(on connection: Int) -> Bool { unread.contains(connection) }

    func closeTransport(_ connection: Int) { closed.append(connection) }

    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int {
        let count = min(room, bytes.count)
        room -= count
        sent[connection, default: ""] += String(decoding: bytes[..<count], as: UTF8.self)
        return count
    }

    func nextBatch() -> RowBatch? {
        defer { batch = nil }
        return batch
    }

    func hasBatch(now: Instant) -> Bool { batch != nil }
    func submit(_ block: ReportBlock) {
        lines += String(decoding: block.bytes(of: .report), as: UTF8.self)
    }
}
