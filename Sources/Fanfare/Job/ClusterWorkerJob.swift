import FanfareCore
import FanfareSystem
import Synchronization

/// A job's part in one of several workers, with the thread that talks to the engine.
final class ClusterWorkerJob: Sendable {
    let desk: ClusterDesk
    private let inputs: ClusterInputs
    private let reportPath: String
    private let thread = Mutex<Handle>(Handle())

    private struct Handle: @unchecked Sendable {
        var thread: WorkerThread?
    }

    init(desk: ClusterDesk, inputs: ClusterInputs, reportPath: String) {
        self.desk = desk
        self.inputs = inputs
        self.reportPath = reportPath
    }

    /// Starts to talk to the engine; nothing is sent before it has said so.
    /// - Parameters:
    ///   - control: The control of this worker's part.
    ///   - pace: Its pace.
    ///   - routes: Its routes, whose outcomes are watched, and whose providers may ask for time.
    ///   - progress: The progress of its lanes.
    ///   - outcomes: Returns the rows of its report by their outcome, for people.
    func begin(
        _ control: JobControl, pace: JobPace?, routes: [Lane.Route], progress: JobProgress,
        outcomes: @escaping @Sendable () -> [UInt64]
    ) {
        control.hold(true)
        if routes.count == 1 { desk.follow { progress.rowsTaken } }
        do throws(SystemError) {
            let started = try WorkerThread(name: "cluster") { [desk, inputs, reportPath] in
                var thread = ClusterThread(
                    desk, inputs, control: control, pace: pace, routes: routes,
                    reportPath: reportPath, outcomes: outcomes)
                thread.run()
            }
            thread.withLock { $0 = Handle(thread: started) }
        } catch {
            control.stop(error.jobStop)
            desk.close()
        }
    }

    /// Gives back what was not sent, and says good-bye; returns when that is done.
    /// - Parameters:
    ///   - history: The lines and marks of the folder.
    ///   - outcomes: The rows of its report by their outcome: the last beat may not have had all of them.
    func end(_ history: RowHistory<MappedFile>, outcomes: [UInt64]) {
        desk.lanesHaveEnded(trace: history.trace)
        thread.withLock { $0 }.thread?.join()
        desk.tellLast(outcomes)
        desk.engine.close()
    }
}
