import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem
import Synchronization

/// The messages between the threads of a job, besides rows and report blocks.
final class JobControl: Sendable {
    private struct State {
        var stop: JobStop?
        var isAborted = false
        /// The number of a user's requests for an end, and the number of those before `isOrdering`.
        var (interruptions, earlierInterruptions) = (0, 0)
        var isOrdering = false
        var isPaused = false
        /// True if the job that it is a part of does not let it start anything now.
        var isHeld = false
        var waiting: (rows: UInt64, untilMilliseconds: Int64)?
        var lastOpening: Int64?
        var keptBack: Summary.Waiting?
        var inputFailure: FanfareError?
        var wakers: [LoopWaker] = []
    }

    private let state = Mutex(State())
    /// The end of the time in which the other workers' job lets it start anything, by the loops' clock.
    private let startsEnd = StartsEnd()
    /// The log of stops, pauses and the like; `nil` for none.
    let log: EventLog?

    init(log: EventLog? = nil) {
        self.log = log
    }

    /// The reason why the job stops before its end, if it does; the first reason stays.
    var stop: JobStop? { state.withLock { $0.stop } }

    /// True if the job ends at once, and waits neither for answers nor for readers.
    var isAborted: Bool { state.withLock { $0.isAborted } }

    /// True if nothing new starts for now.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// The orders for a lane that was woken.
    struct Orders {
        /// The reason why the job stops, if it does.
        var stop: JobStop?
        /// True if the lane does not even wait for answers.
        var isAborted: Bool
        /// True if nothing new starts for now.
        var isPaused: Bool
    }

    var orders: Orders {
        state.withLock {
            Orders(stop: $0.stop, isAborted: $0.isAborted, isPaused: $0.isPaused || $0.isHeld)
        }
    }

    func add(_ waker: LoopWaker) {
        state.withLock { $0.wakers.append(waker) }
    }

    /// A waker is about to be closed.
    func remove(_ waker: LoopWaker) {
        state.withLock { $0.wakers.removeAll { $0 === waker } }
    }

    /// Notes that an input could not be read on.
    ///
    /// The lanes finish the rows that were read before.
    func inputFailed(_ error: FanfareError) {
        state.withLock { $0.inputFailure = error }
        log?.add("input_failed", .error, [.init("message", error.statement)])
    }

    /// The reason why the job did not come to its proper end, if it did not.
    ///
    /// Read it when all threads are done.
    var finalStop: JobStop? {
        state.withLock { state in
            state.stop
                ?? state.inputFailure.map {
                    JobStop($0.code == .configuration ? .usage : .inputOutput, $0.statement)
                }
        }
    }

    /// Returns the stop as an error; `nil` when the job came to its end, or was stopped by the user
    /// who runs it.
    func failure(of stop: JobStop?) -> FanfareError? {
        guard let stop else { return nil }
        let code: FanfareError.Code? =
            switch stop.kind {
            case .interrupted, .terminated, .hungUp: nil
            case .refused: .provider
            case .bug: .bug
            case .usage: .configuration
            case .inputOutput:
                state.withLock { $0.stop == nil ? $0.inputFailure?.code : nil } ?? .output
            }
        return code.map { FanfareError($0, stop.statement) }
    }

    /// No new requests anywhere.
    func stop(_ reason: JobStop) {
        let isFirst = change { state in
            guard state.stop == nil else { return false }
            state.stop = reason
            return true
        }
        if isFirst { logStop(reason) }
    }

    /// Notes that a person has to decide before the job goes on, also if the reason of its stop is another one.
    func needOtherCommand() {
        change { $0.stop?.needsOtherCommand = true }
    }

    /// An interruption: the first one drains, the second one ends at once.
    func interrupt(_ reason: JobStop) {
        let isFirst = change { state in
            state.interruptions += 1
            guard state.stop != nil else {
                state.stop = reason
                return true
            }
            state.isAborted = true
            return false
        }
        guard !isFirst else { return logStop(reason) }
        log?.add("job_aborting", .error)
        log?.hurry()
    }

    /// The rows that wait for a window, and until when, if there is nothing else to send.
    var waiting: (rows: UInt64, untilMilliseconds: Int64)? { state.withLock { $0.waiting } }

    func wait(_ rows: (rows: UInt64, untilMilliseconds: Int64)?) {
        state.withLock { $0.waiting = rows }
    }

    /// The opening of the last window that a row waits for, in milliseconds of UNIX time.
    var lastOpening: Int64? { state.withLock { $0.lastOpening } }

    func expect(lastOpening moment: Int64?) {
        state.withLock { $0.lastOpening = moment }
    }

    /// The rows that waited for their window when reading ended; `nil` if none did.
    var keptBack: Summary.Waiting? { state.withLock { $0.keptBack } }

    func keep(back waiting: Summary.Waiting?) {
        state.withLock { $0.keptBack = waiting }
    }

    /// Nothing new starts until it is taken back.
    func pause(_ isPaused: Bool) {
        change { $0.isPaused = isPaused }
        log?.add(isPaused ? "job_paused" : "job_resumed", .info)
    }

    /// Nothing new starts, because the other workers' job does not let it.
    func hold(_ isHeld: Bool) {
        guard state.withLock({ $0.isHeld }) != isHeld else { return }
        change { $0.isHeld = isHeld }
        log?.add(isHeld ? "cluster_holds" : "cluster_goes_on", .info)
    }

    /// Nothing new starts after a moment, unless another one is named before.
    /// - Returns: True if the moment before has passed: lanes that may rest are to be woken.
    func mayStart(until end: Instant) -> Bool {
        startsEnd.move(to: end, now: MachineClock.now)
    }

    /// True if nothing is to start, because that moment has passed.
    func startsAreOver(now: Instant) -> Bool { startsEnd.isOver(now: now) }

    /// The report is put in order from now on, or no longer.
    func order(_ isOrdering: Bool) {
        state.withLock { state in
            state.isOrdering = isOrdering
            state.earlierInterruptions = state.interruptions
        }
    }

    /// True if the only work left is to put the report in order.
    var isOrdering: Bool { state.withLock { $0.isOrdering } }

    /// True if a user has requested an end since the ordering of the report began.
    var isInterruptedAnew: Bool {
        state.withLock { $0.interruptions > $0.earlierInterruptions }
    }

    private func logStop(_ reason: JobStop) {
        log?.add(
            "job_stopping", .error,
            [.init("cause", reason.kind.name), .init("message", reason.logStatement)])
    }

    /// Wakes every lane to look for news.
    func wakeLanes() {
        change { _ in }
    }

    private func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, wakers) = state.withLock { state in (body(&state), state.wakers) }
        for waker in wakers { waker.wake() }
        return result
    }
}
