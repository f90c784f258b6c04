import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem
import Synchronization

/// Runs a job on a thread of its own while this one listens for signals and shows how far it is.
///
/// The first SIGINT, SIGTERM or SIGHUP drains, a second SIGINT or SIGTERM ends at once.
enum JobRunner {
    /// The work that runs: a job that sends, a rehearsal, or a load test.
    struct Work<Value: Sendable>: Sendable {
        var run: @Sendable () throws(FanfareError) -> Value
        /// Called for a signal.
        var stop: @Sendable (ProcessSignal) -> Void
        var progress: @Sendable () -> ProgressSnapshot
        /// Returns true if the work was stopped already, by any cause.
        var isStopping: @Sendable () -> Bool = { false }
        /// Answers requests at the work's socket.
        var control: @Sendable (ControlRequest, ProgressReading) -> ControlAnswer = { _, _ in
            ControlAnswer("no job is here", isError: true)
        }
        /// Returns a sentence about the result, for people who watch.
        var ending: @Sendable (Value) -> String = { _ in "It has ended." }
        /// Makes the page about it, if it is wanted; empty for none.
        var finalPage: @Sendable (Value) -> [UInt8] = { _ in [] }
        /// Ends it before it has begun, because the system refuses a resource; `nil` for work that
        /// leaves nothing behind.
        var giveUp: (@Sendable (SystemError) -> Value)?
    }

    /// - Parameters:
    ///   - work: The work to run.
    ///   - display: The display of the progress.
    ///   - registration: The job's entry in the folder of jobs, with the socket where requests
    ///     come in.
    ///   - servers: The servers that show the work to others.
    ///   - metricsFile: The file that has the figures.
    /// - Returns: The work's result.
    /// - Throws: The error that kept the work from running.
    static func run<Value: Sendable>(
        _ work: Work<Value>, display: ProgressDisplay?, registration: JobRegistration? = nil,
        servers: JobServers? = nil, metricsFile: MetricsFile? = nil
    ) throws(FanfareError) -> Value {
        let result: Result<Value, FanfareError>
        do throws(SystemError) {
            result = try runOnLoop(
                work, display: display, registration: registration, servers: servers,
                metricsFile: metricsFile)
        } catch {
            guard let giveUp = work.giveUp else { throw error.jobError }
            return giveUp(error)
        }
        return try result.get()
    }

    private static func runOnLoop<Value: Sendable>(
        _ work: Work<Value>, display: ProgressDisplay?, registration: JobRegistration?,
        servers: JobServers?, metricsFile: MetricsFile?
    ) throws(SystemError) -> Result<Value, FanfareError> {
        let loop = if let servers { servers.loop } else { try EventLoop() }
        let outcome = Mutex<Result<Value, FanfareError>?>(nil)
        let done = try LoopWaker(loop: loop) { [unowned loop] in loop.stop() }
        var count = 0
        var isOver = false
        let signals = try watched.map { signal throws(SystemError) in
            try SignalWatcher(loop: loop, signal: signal) { [unowned loop] in
                // Those who watch are not waited for then.
                if isOver { return loop.stop() }
                // The shell says that the terminal has gone, and so does the kernel: that is one word.
                if signal == .hangUp, count > 0 { return }
                count += 1
                signaled(work, signal, count: count)
            }
        }
        servers?.announce()
        // Nothing looks at the job until its socket is asked.
        var history = ProgressHistory(started: MachineClock.now)
        let server = try registration?.socket.map { socket throws(SystemError) in
            try socket.serve(on: loop) { request in
                let reading = history.read(
                    work.progress(), isStopping: work.isStopping(), at: MachineClock.now)
                return work.control(request, reading)
            }
        }
        let noting = registration?.noted(on: loop)
        let showing = display.map { display in
            Recurrence(every: display.interval, on: loop) {
                display.show(work.progress(), isStopping: work.isStopping(), at: MachineClock.now)
            }
        }
        // A first look, from which on the lanes tell their latencies.
        if display != nil || servers != nil || metricsFile != nil { _ = work.progress() }
        let writing = metricsFile?.written(on: loop)
        let thread = try WorkerThread(name: "job") {
            let result = Result(catching: work.run)
            outcome.withLock { $0 = result }
            done.wake()
        }
        loop.run()
        thread.join()
        isOver = true
        server?.close()
        showing?.cancel()
        noting?.cancel()
        writing?.cancel()
        display?.finish(work.progress(), at: MachineClock.now)
        let result =
            outcome.withLock { $0 }
            ?? .failure(FanfareError(.bug, "BUG: the job ended without a result"))
        if let servers { tellEnd(of: work, result, to: servers) }
        servers?.close()
        signals.forEach { $0.close() }
        done.close()
        return result
    }

    private static func tellEnd<Value: Sendable>(
        of work: Work<Value>, _ result: Result<Value, FanfareError>, to servers: JobServers
    ) {
        switch result {
        case .success(let value):
            servers.end(work.ending(value)) { work.finalPage(value) }
        case .failure(let error):
            servers.end("It has ended: \(error.statement.text(.commandLine))") { [] }
        }
    }

    /// The signals that end a job: those that the process which started us wants us to hear.
    static var watched: [ProcessSignal] {
        [.interrupt, .terminate] + (ProcessSignal.hangUp.isIgnored ? [] : [.hangUp])
    }

    private static func signaled<Value>(
        _ work: Work<Value>, _ signal: ProcessSignal, count: Int
    ) {
        switch count {
        case 1 where !work.isStopping():
            Terminal.interject("stopping: waiting for answers; once more ends at once")
            work.stop(signal)
        case 1, 2:
            Terminal.interject("ending at once")
            work.stop(signal)
        default:
            // Something does not end: a disk, or the reader of standard error.
            Terminal.exit(signal.exitStatus.rawValue)
        }
    }
}

extension ProcessSignal {
    /// The exit status of a process that the signal has stopped.
    fileprivate var exitStatus: ExitStatus {
        switch self {
        case .interrupt, .user1: .interrupted
        case .terminate: .terminated
        case .hangUp: .hungUp
        }
    }
}

extension Interruptible {
    /// Ends the run early, for the reason that belongs to a signal.
    func stop(_ signal: ProcessSignal) {
        switch signal {
        case .interrupt, .user1: interrupt()
        case .terminate: terminate()
        case .hangUp: hangUp()
        }
    }
}
