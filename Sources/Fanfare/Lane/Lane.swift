import FanfareCore
import FanfareLoop
import Synchronization

/// What a lane has to say at its end.
struct LaneResult: Sendable {
    var tally: Tally
    var latency: LatencyHistogram
    /// Rows taken up that got no outcome because the job stopped.
    var rowsLeft: UInt64
}

/// One event loop with its own connections: the engine's hands.
///
/// Shares nothing with other lanes but the queues at both ends, which it meets once a batch.
/// Made, used and ended on its own thread.
final class Lane: LaneEnvironment {
    private let loop: EventLoop
    private let resolver: Resolver
    private let timer: LoopTimer
    private let shared: SharedFlow
    private let number: Int
    private var nextProgress = Instant(nanoseconds: .min)
    private var transports: [Transport?] = []
    /// Made last in `init`, because it gets to know this object.
    private var engine: LaneEngine?
    /// Dials so far: each one takes the next of the addresses that the name has.
    private var dials: Int

    /// What all lanes of a job share.
    struct SharedFlow: Sendable {
        let rows: RowFlow
        let report: ReportSink
        let control: JobControl
        let progress: JobProgress
        let endpoint: Endpoint
        /// UNIX time minus the loop's clock, in milliseconds: taken once, so that a clock that is set
        /// during the job does not disturb it.
        let unixOffsetMilliseconds: Int64
    }

    init(
        number: Int, settings: LaneSettings, shared: SharedFlow, seed: UInt64
    ) throws(LoopError) {
        loop = try EventLoop()
        resolver = Resolver(loop: loop)
        timer = LoopTimer(loop: loop)
        self.shared = shared
        self.number = number
        // Lanes begin at different addresses.
        dials = number
        engine = LaneEngine(settings: settings, environment: self, seed: seed)
        transports = Array(repeating: nil, count: withEngine { $0.connections.count })
        loop.onIteration = { [unowned self] in turn() }
    }

    /// Runs until the job has no more work for this lane.
    func run() throws(LoopError) -> LaneResult {
        // Whatever wakes the loop, the turn at the end of the iteration looks at everything.
        let waker = try LoopWaker(loop: loop) {}
        shared.control.add(waker)
        waker.wake()
        loop.run()
        shared.control.remove(waker)
        waker.close()
        return withEngine { engine in
            LaneResult(tally: engine.tally, latency: engine.latency, rowsLeft: engine.rowsLeft)
        }
    }

    private func turn() {
        let now = loop.now
        if let stop = shared.control.stop { engine?.drain(stop) }
        if shared.control.isAborted { engine?.abort(now: now) }
        engine?.turn(now: now)
        if let stop = withEngine({ $0.stop }) { shared.control.stop(stop) }
        // The last word counts, however short the job was.
        if now >= nextProgress || withEngine({ $0.isFinished }) {
            shared.progress.update(lane: number, withEngine { $0.snapshot })
            nextProgress = now.advanced(by: Limits.progressInterval)
        }
        if withEngine({ $0.isFinished }) {
            loop.stop()
        } else if let deadline = withEngine({ $0.nextDeadline(now: now) }) {
            timer.schedule(at: deadline)
        } else {
            timer.cancel()
        }
    }

    /// Lends the engine to look at it: a value that cannot be copied has to stay where it is.
    private func withEngine<Result>(_ body: (inout LaneEngine) -> Result) -> Result {
        guard let result = engine?.lend(to: body) else {
            preconditionFailure("BUG: a lane without its engine")
        }
        return result
    }

    // MARK: Transports

    func openTransport(_ connection: Int) {
        let dial = dials
        dials += 1
        let transport = Transport(lane: self, connection: connection, loop: loop)
        transports[connection] = transport
        // A fresh look-up for each connection: that is how they come to be spread over servers.
        resolver.resolve(host: shared.endpoint.host, port: shared.endpoint.port) { answer in
            switch answer {
            case .success(let addresses):
                // Each dial begins at the next address, and goes through the others if it must.
                let first = dial % addresses.count
                transport.connect(to: (addresses[first...] + addresses[..<first])[...])
            case .failure(let error): transport.fail(error.description)
            }
        }
    }

    func closeTransport(_ connection: Int) {
        transports[connection]?.close()
        transports[connection] = nil
    }

    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int {
        unsafe transports[connection]?.send(bytes) ?? bytes.count
    }

    func transportOpened(_ connection: Int) {
        engine?.transportOpened(connection, now: loop.now)
    }

    func transportFailed(_ connection: Int, _ text: String) {
        transports[connection] = nil
        engine?.transportClosed(connection, .transient(text), now: loop.now)
    }

    func transportWritable(_ connection: Int) {
        engine?.transportWritable(connection)
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Int) {
        unsafe engine?.received(bytes, on: connection, now: loop.now)
    }

    // MARK: Queues and clock

    var now: Instant { loop.now }

    func nextBatch() -> RowBatch? { shared.rows.nextBatch() }

    var isInputExhausted: Bool { shared.rows.isExhausted }

    func recycle(_ batch: RowBatch) {
        shared.rows.recycle(batch)
    }

    func emptyBlock() -> ReportBlock { shared.report.emptyBlock() }

    func submit(_ block: ReportBlock) {
        shared.report.submit(block)
    }

    var isReportBehind: Bool { shared.report.isBehind }

    func unixMilliseconds(at now: Instant) -> Int64 {
        shared.unixOffsetMilliseconds + now.nanoseconds / 1_000_000
    }
}

extension LaneEngine {
    fileprivate mutating func lend<Result>(to body: (inout LaneEngine) -> Result) -> Result {
        body(&self)
    }
}
