import Fanfare
import FanfareTestSupport
import Foundation
import Testing

/// A job of the library against a server, and what came of it.
struct TestJob {
    let result: JobResult
    let report: Report

    /// Runs a job over rows in memory and reads its report back.
    ///
    /// A job that does not end in time is aborted, so that it fails and does not hang. `meanwhile` is
    /// called again and again while the job runs.
    init(
        rows: String, provider: ProviderOptions, payload: String = #"{"aps":{"alert":"hi"}}"#,
        folder: TemporaryFolder, adjust: (inout Configuration) -> Void = { _ in },
        secondsMax: Double = 60, meanwhile: @escaping @Sendable (Job) -> Void = { _ in }
    ) throws {
        var configuration = Configuration()
        configuration.inputs = [.memory(Array(rows.utf8), name: "rows")]
        configuration.rows.format = .csv
        configuration.payload = .template(json: Array(payload.utf8), name: "payload")
        configuration.provider = provider
        configuration.engine.lanes = 2
        configuration.engine.timeout = .seconds(20)
        configuration.engine.giveUpAfter = .seconds(10)
        configuration.report.path = folder.path("report.csv")
        configuration.report.overwrites = true
        adjust(&configuration)
        let job = try Job(configuration)
        let watch = Watch(job, seconds: secondsMax, meanwhile)
        result = try job.run()
        watch.end()
        report = try Report(csv: folder.text(of: "report.csv"))
        #expect(!watch.hasAborted, "the job did not end")
    }

    /// Runs a job of one lane with one connection, so that its server sees all rows in their order.
    init(
        oneConnectionTo provider: ProviderOptions, rows: Int,
        payload: String = #"{"aps":{"alert":"hi"}}"#, folder: TemporaryFolder,
        adjust: (inout Configuration) -> Void = { _ in },
        meanwhile: @escaping @Sendable (Job) -> Void = { _ in }
    ) throws {
        try self.init(
            rows: Rows.csv(rows), provider: provider, payload: payload, folder: folder,
            adjust: {
                $0.engine.lanes = 1
                $0.engine.connections = 1
                adjust(&$0)
            }, meanwhile: meanwhile)
    }

    /// The accounting identity, checked from outside: as many lines as rows, each row once, and the
    /// sums of the result are those of the report.
    func expectAccounted(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) {
        report.expectEveryRowOnce(count, sourceLocation: sourceLocation)
        #expect(result.rowsRead == UInt64(count), sourceLocation: sourceLocation)
        let counted = result.outcomes.filter { $0.value > 0 }.mapValues(Int.init)
        #expect(counted == report.outcomes, sourceLocation: sourceLocation)
    }
}

/// Looks at a job from a thread of its own.
private final class Watch: @unchecked Sendable {
    private let lock = NSLock()
    private var isOver = false
    private(set) var hasAborted = false

    init(_ job: Job, seconds: Double, _ meanwhile: @escaping @Sendable (Job) -> Void) {
        Thread.detachNewThread { [self] in
            let ended = Poll.until(seconds: seconds) {
                meanwhile(job)
                return lock.withLock { isOver }
            }
            guard !ended else { return }
            lock.withLock { hasAborted = true }
            job.terminate()
            job.terminate()
        }
    }

    func end() { lock.withLock { isOver = true } }
}
