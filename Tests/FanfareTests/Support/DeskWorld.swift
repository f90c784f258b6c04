import FanfareBase
import FanfareSystem
import FanfareTestSupport

@testable import Fanfare
@testable import FanfareCore

/// A worker's desk with an engine in memory, and lanes that do what a test wants.
///
/// Time is the machine's, and no test waits for it: a worker that is new may start for ten seconds.
struct DeskWorld {
    static let schema = RowSchema(extra: ["provider"])

    let folder: TemporaryFolder
    let desk: ClusterDesk
    let inputs: ClusterInputs
    private let source: RowSource
    let rows: ClusterRows
    private var model = ClusterModel(historyMax: 8)

    /// - Parameters:
    ///   - rowCount: The rows of the input.
    ///   - blockRows: The rows that the worker is granted at once.
    ///   - pace: The rate of the job in starts per second; `nil` for none.
    ///   - words: The words for the providers of the rows, by turns.
    ///   - cutRows: The rows of a cut of the input; `nil` for the usual number.
    /// - Throws: The error of a file that cannot be written or read.
    init(
        rowCount: Int, blockRows: UInt64, pace: Int64? = nil, words: [String] = ["ios"],
        cutRows: UInt64? = nil
    ) throws {
        folder = try TemporaryFolder()
        let text =
            "token,provider\n"
            + (1...rowCount).map { "t\($0),\(words[$0 % words.count])\n" }.joined()
        source = RowSource(
            [.file(try folder.write(text, to: "rows.csv"))],
            InputSpec(schema: Self.schema, required: [("token", "every row needs")]))
        try source.openFirst()
        inputs = try ClusterInputs(source)
        var options = ClusterOptions(address: "", job: "test", worker: "test")
        if let cutRows { options.cutRows = cutRows }
        options.patience.blockRows = blockRows...blockRows
        desk = ClusterDesk(
            options, ClusterEngine(""),
            file: ClusterFolderFile(besideReport: folder.path("report.csv")),
            member: ClusterMember(
                folder: ClusterFolder(worker: WorkerID(bits: 1)),
                place: ClusterPlace(host: 1, boot: 1, file: 1),
                terms: ClusterTerms(
                    fingerprint: 1, protocolVersion: 1,
                    rate: pace.map { $0 * ShareRule.unitsPerStart }),
                protocols: 1...1, patience: options.patience, seed: 1),
            lineCount: 0)
        rows = ClusterRows(inputs, desk, meter: source.meter)
        source.granted = rows
    }

    /// Does what the worker's thread does, until it has nothing to ask.
    mutating func talk() throws {
        var cutter = ClusterCutter(inputs, cutRows: desk.options.cutRows)
        while true {
            let now = MachineClock.now
            if let row = try desk.update({ $0.member.cutWanted }) {
                let cut = try cutter.cut(at: row)
                try desk.update { $0.member.cutRead(cut) }
            }
            let action = try desk.update { $0.member.next(now: now) }
            guard case .ask(let request, let number) = action else { break }
            let answer = model.transact(request)
            try desk.update { $0.member.answered(number: number, answer, now: now) }
        }
        let cuts = model.state.cuts
        try desk.update { $0.cuts = cuts }
    }

    /// Has another server take over that has not seen the last writes.
    mutating func goBack(writes: Int) throws {
        model.goBack(writes: writes, tells: true)
        try desk.update { $0.member.beatDue = MachineClock.now }
    }

    /// Has the worker's part of the rate become another one, as a beat would.
    func setShare(_ perSecond: Int64) throws {
        try desk.update { $0.member.share = perSecond * ShareRule.unitsPerStart }
    }

    /// True if each row is settled.
    var isFinished: Bool { model.state.job?.state == .finished }

    /// The job wants no more rows: the reader waits for none.
    func cancel() { source.cancellation.set() }

    /// Reading of several routes, and their flow.
    func reading(
        of routes: [ProviderKind]
    ) -> (reading: RouteReading, flow: RowFlow) {
        let settings = RouteSettings(
            finder: RouteFinder(routes, slot: Self.schema.slot(named: "provider")),
            folder: folder.path)
        let flow = RowFlow(
            batches: 8, slotCount: Self.schema.slotCount, control: JobControl(), routes: settings)
        var past = RowHistory<MappedFile>()
        past.grants = desk
        let reading = RouteReading(
            source: source, past: past, gate: nil, seeds: nil, finder: settings.finder,
            outboxes: flow.queues.map { RouteOutbox($0, folder: folder.path) },
            isOver: { false }, awake: {})
        return (reading, flow)
    }
}
