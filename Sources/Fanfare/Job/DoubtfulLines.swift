import FanfareBase
import FanfareCore
import FanfareSystem

/// The lines of rows that earlier processes of a worker may have sent, if its server does not know the job any more.
///
/// Otherwise a worker writes them when the server has granted these rows again. Without it the reports alone tell who has the
/// message, or may have it.
struct DoubtfulLines: ~Copyable {
    private let opening: JobOpening
    private let routes: RouteFinder?
    private let inspections: [RouteInspection]
    private var words = RouteWords()
    private var row = PreparedRow()
    private var writer: ReportLineWriter
    private let block = ReportBlock()
    private let folder: ClusterFolder?

    private init(_ opening: JobOpening, _ folder: ClusterFolder?) {
        self.opening = opening
        self.folder = folder
        routes = opening.plan.routing?.finder
        inspections = opening.plan.routes.map { RouteInspection($0, values: []) }
        writer = ReportLineWriter(opening.plan.preparation.report.kind)
    }

    /// Writes a line for each row that is marked as begun and has none: `unknown`, `interrupted`; and for rows that it had of
    /// lost workers `worker lost`, since these may have lines of their own.
    ///
    /// Afterward the files are at rest: another process finds nothing to add.
    /// - Parameter opening: A job that was carried on.
    /// - Throws: `FanfareError` if the inputs cannot be read, or the lines cannot be written.
    static func write(_ opening: JobOpening) throws(FanfareError) {
        guard let resumption = opening.resumption else { return }
        let file = ClusterFolderFile(besideReport: opening.plan.configuration.report.path)
        var lines = DoubtfulLines(opening, try file.read(ofJob: opening.plan.identity.bits))
        let inputs = try ClusterInputs(opening.plan.source)
        let batch = RowBatch(slotCount: inputs.spec.schema.slotCount)
        var rowsBefore: UInt64 = 0
        for index in inputs.inputs.indices {
            let reader = try inputs.reader(
                at: inputs.beginning(ofInput: index), rowsBefore: rowsBefore)
            while try reader.fill(batch) {
                batch.inputIndex = index
                resumption.mark(batch)
                try lines.add(batch)
            }
            rowsBefore = reader.rowCount
        }
        try lines.flush()
        _ = try told(\.outputError) { () throws(FileError) in
            try opening.journal.rest { opening.journal.change() }
        }
    }

    private mutating func add(_ batch: RowBatch) throws(FanfareError) {
        for index in 0..<batch.rowCount where batch.verdict(ofRow: index) == .inDoubt {
            let answer = routes?.route(of: batch, index, noting: &words) ?? .route(0)
            // A row's faults say nothing of what was sent.
            let isWhole = inspections[answer.index].prepare(batch, index, answer, into: &row)
            let isOwn = folder?.isOwn(row.number - 1) ?? true
            let reason = isOwn ? Outcome.interruptedReason : Outcome.workerLostReason
            var result = unsafe RowResult(.unknown, reason: reason.bytes)
            result.attempts = 1
            if isWhole { unsafe result.messageID = row.bytes.bytes(row.messageID) }
            if isOwn, !row.text.isEmpty { unsafe block.addRetryRow(row.bytes.bytes(row.text)) }
            let isFull = block.append(row: row.number) { lines in
                unsafe writer.append(
                    prefix: row.bytes.bytes(row.reportPrefix), result: result,
                    suffix: row.bytes.bytes(row.reportSuffix), into: &lines)
            }
            if isFull { try flush() }
        }
    }

    private func flush() throws(FanfareError) {
        guard !block.rows.isEmpty else { return }
        if let failure = opening.journal.write(block).failure {
            throw FanfareError(.output, message: failure)
        }
        block.reset()
    }
}
