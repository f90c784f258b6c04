import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem
import FanfareTLS

/// One thread of the simulator: a loop, a listener, and the connections that it accepted.
///
/// Made on the starting thread, which gives it to its own thread with `run`; only `stop` is called
/// from outside after that. Hence unchecked.
@safe
final class SimulatorLane: @unchecked Sendable {
    let core: SimulatorCore
    let port: UInt16
    let tls: TLSContext?
    let loop: EventLoop
    let roundTrip: Int64
    /// The buffer for decrypted bytes, and for bytes on their way to encryption.
    let plaintext: UnsafeMutableRawBufferPointer
    var outgoing = ByteBuffer(capacity: Limits.simulatorRecordBytes)

    private let connectionNumbers: ConnectionNumbers
    private let log: LogFile?
    private var listener: TCPListener?
    private var waker: LoopWaker?
    /// Runs while lines wait that are too few to be written at once.
    private var logTimer: LoopTimer?
    private var peers: [UInt64: SimulatorPeer] = [:]

    init(
        number: Int, configuration: SimulatorServerConfiguration, address: SocketAddress,
        tls: TLSContext?, connectionNumbers: ConnectionNumbers, places: AnsweringPlaces?,
        project: SimulatedProject, log: LogFile?
    ) throws(SystemError) {
        core = SimulatorCore(
            configuration.provider, lane: number, places: places, project: project)
        self.tls = tls
        roundTrip = configuration.roundTrip
        self.connectionNumbers = connectionNumbers
        self.log = log
        loop = try EventLoop()
        let listener = try TCPListener(
            loop: loop, address: address, sharesPort: configuration.threads > 1)
        port = listener.localPort
        unsafe plaintext = .allocate(byteCount: Limits.simulatorRecordBytes, alignment: 64)
        self.listener = listener
        listener.onAccept = { [unowned self] result in accepted(result) }
        waker = try LoopWaker(loop: loop) { [unowned self] in shutDown() }
        if log != nil {
            logTimer = LoopTimer(loop: loop) { [unowned self] in writeLog(atLeast: 1) }
            loop.onIteration = { [unowned self] in logWhenWorthwhile() }
        }
    }

    deinit {
        unsafe plaintext.deallocate()
    }

    /// Serves until `stop`.
    func run() {
        loop.run()
        writeLog(atLeast: 1)
    }

    /// Ends `run`; from any thread.
    func stop() {
        waker?.wake()
    }

    /// Forgets a connection that has ended.
    func closed(_ peer: SimulatorPeer) {
        peers[peer.number] = nil
    }

    private func accepted(_ result: Result<TCPConnection, SystemError>) {
        // A client tries a connection again that is not available now (no descriptors).
        guard case .success(let tcp) = result else { return }
        let number = connectionNumbers.next()
        if let peer = SimulatorPeer(tcp, number: number, lane: self) { peers[number] = peer }
    }

    private func shutDown() {
        listener?.close()
        listener = nil
        peers.removeAll()
        loop.onIteration = nil
        logTimer = nil
        waker?.close()
        loop.stop()
    }

    /// Writes a full piece at once, and a smaller one after a moment: people look on.
    private func logWhenWorthwhile() {
        writeLog(atLeast: Limits.simulatorLogBytes)
        guard let logTimer, !core.log.lines.isEmpty, !logTimer.isScheduled else { return }
        logTimer.schedule(at: MachineClock.now.advanced(by: Limits.simulatorLogDelay))
    }

    private func writeLog(atLeast bytes: Int) {
        guard let log, core.log.lines.count >= bytes else { return }
        log.write(&core.log)
    }
}
