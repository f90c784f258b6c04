import FanfareCore
import FanfareTestSupport

@testable import Fanfare

/// Rows of one input on their way to several routes, with lanes that do what a test wants.
struct RouteWorld {
    static let schema = RowSchema(extra: ["provider", "name", "tz"])

    let flow: RowFlow
    let control: JobControl
    /// The values that the reader would work with.
    let reading: RouteReading
    let source: RowSource

    /// - Parameters:
    ///   - input: The rows.
    ///   - folder: The folder in which rows wait.
    ///   - routes: The job's routes.
    ///   - batches: The number for each route.
    ///   - past: The knowledge of earlier runs.
    ///   - gate: The gate that decides when rows may be sent.
    init(
        _ input: RowInput, folder: String, routes: [ProviderKind] = [.apns, .fcm],
        batches: Int = 3, past: RowHistory<MappedFile> = RowHistory(), gate: HoursGate? = nil
    ) {
        let settings = RouteSettings(
            finder: RouteFinder(routes, slot: Self.schema.slot(named: "provider")), folder: folder)
        let control = JobControl()
        let flow = RowFlow(
            batches: batches, slotCount: Self.schema.slotCount, control: control, routes: settings)
        let source = RowSource(
            [input], InputSpec(schema: Self.schema, required: [("token", "every row needs")]))
        reading = RouteReading(
            source: source, past: past, gate: gate, seeds: nil, finder: settings.finder,
            outboxes: flow.queues.map { RouteOutbox($0, folder: folder) },
            isOver: { control.stop != nil }, awake: {})
        self.flow = flow
        self.control = control
        self.source = source
    }

    /// Rows of about a kilobyte, of which 64 fill a batch: one for each word of their column.
    static func input(_ words: [String]) -> RowInput {
        let name = String(repeating: "x", count: 1000)
        return .text(
            "token,provider,name,tz\n"
                + words.enumerated().map { "t\($0),\($1),\(name),UTC\n" }.joined())
    }

    /// Reads until there is nothing to be done for now, as the reader does before it sleeps.
    func readOn() throws -> RouteReading.Step {
        while true {
            for outbox in reading.outboxes { try outbox.moveOn(reading.gate) }
            let step = try reading.next()
            if case .rows = step { continue }
            for outbox in reading.outboxes { outbox.handOut() }
            return step
        }
    }

    /// Reads on and lets the lanes of some routes take all that comes, until nothing more does.
    /// - Returns: The numbers of the rows that each route's lanes have got.
    func deliver(to routes: Int...) throws -> [[UInt64]] {
        var rows = flow.queues.map { _ in [UInt64]() }
        var isNew = true
        while isNew {
            isNew = false
            _ = try readOn()
            for route in routes {
                let taken = take(route)
                isNew = isNew || !taken.isEmpty
                rows[route] += taken
            }
        }
        return rows
    }

    /// Takes all batches that are there, as a lane does that sends everything at once.
    func take(_ route: Int) -> [UInt64] {
        var rows: [UInt64] = []
        while let batch = flow.queues[route].nextBatch() {
            rows += Self.takeRows(of: batch)
            flow.queues[route].recycle(batch)
        }
        return rows
    }

    /// Takes the rows of a batch that are to be taken up.
    static func takeRows(of batch: RowBatch, most: Int = .max) -> [UInt64] {
        var rows: [UInt64] = []
        while rows.count < most, !batch.untaken.isEmpty {
            let index = batch.take(fromEnd: false)
            if batch.verdicts[index] != .waiting { rows.append(batch.number(of: index)) }
        }
        return rows
    }
}
