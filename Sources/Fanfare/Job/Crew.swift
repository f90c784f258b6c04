import FanfareCore
import FanfareSystem
import Synchronization

/// The threads of a run: one reads rows, some work on them, and one writes the outcomes.
struct Crew {
    let rows: RowFlow
    let control: JobControl
    /// The writer of outcomes; `nil` when none are written.
    var report: ReportSink?
    /// Ends a reader that waits for its input; `nil` for an input that never makes it wait.
    var cancellation: CancellationFlag?
    /// The sources of credentials for the providers.
    var credentials: [any CredentialSource] = []

    /// Starts all threads, and returns when they have ended.
    ///
    /// The workers end first: by themselves, at the end of the rows or when the run is stopped.
    /// After that nothing needs the reader any more, and then nothing comes for the writer. If the
    /// system has no room for a thread, that stops the run.
    /// - Parameters:
    ///   - count: The number of workers.
    ///   - name: The name of a worker; its number follows.
    ///   - read: Reads the rows.
    ///   - work: Works on them, as the worker with this number.
    /// - Returns: The results of the workers, in the order of their ends.
    func run<Result: Sendable>(
        _ count: Int, _ name: String, read: @escaping @Sendable () -> Void,
        work: @escaping @Sendable (Int) -> Result?
    ) -> [Result] {
        let results = Results<Result>()
        var writer: WorkerThread?
        var reader: WorkerThread?
        var workers: [WorkerThread] = []
        do throws(FanfareError) {
            for credential in credentials {
                try credential.begin { [control] in control.wakeLanes() }
            }
        } catch {
            control.stop(JobStop(.inputOutput, error.statement))
        }
        do throws(SystemError) {
            if let report { writer = try WorkerThread(name: "report") { report.run() } }
            reader = try WorkerThread(name: "rows", body: read)
            for number in 0..<count {
                workers.append(
                    try WorkerThread(name: "\(name) \(number)") { results.add(work(number)) })
            }
        } catch {
            // The workers that already run finish the work that they have begun, and it is
            // reported.
            control.stop(error.jobStop)
            // They may wait for the reader, and the reader for an input that never comes.
            cancellation?.set()
        }
        for worker in workers { worker.join() }
        for credential in credentials { credential.end() }
        rows.close()
        cancellation?.set()
        reader?.join()
        report?.close()
        writer?.join()
        return results.all
    }

    /// The results of workers that have ended.
    private final class Results<Result: Sendable>: Sendable {
        private let list = Mutex<[Result]>([])

        var all: [Result] { list.withLock { $0 } }

        func add(_ result: Result?) {
            guard let result else { return }
            list.withLock { $0.append(result) }
        }
    }
}
