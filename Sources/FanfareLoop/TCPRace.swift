internal import FanfareBase
package import FanfareSystem

/// A race for a connection to the first address that answers; see `AddressRace`.
///
/// Dropping it ends all attempts, and then the caller hears of none. Use only on its loop's thread.
package final class TCPRace {
    /// One attempt, for as long as it may win.
    private final class Runner: TCPConnectionDelegate {
        unowned let race: TCPRace
        let tcp: TCPConnection

        init(_ race: TCPRace) {
            self.race = race
            tcp = TCPConnection(loop: race.loop)
            tcp.delegate = self
        }

        func tcpConnected() { race.won(self) }
        func tcpReceived(_ bytes: UnsafeRawBufferPointer) {}
        func tcpWritable() {}
        func tcpClosed(_ error: SystemError?) { race.failed(self, error) }
    }

    private let loop: EventLoop
    private let userTimeout: Duration
    private var decision: AddressRace
    private var runners: [Runner] = []
    private let timer: LoopTimer
    private var completion: ((Result<TCPConnection, SystemError>) -> Void)?

    /// - Parameters:
    ///   - loop: The loop on which the race runs.
    ///   - addresses: At least one.
    ///   - first: The number of the first address; the next race begins elsewhere.
    ///   - userTimeout: See `TCPConnection.userTimeout`.
    ///   - completion: Called once, later, on the loop: a connection that is open, does not read yet
    ///     and wants a delegate, or the error of the attempt that failed last.
    package init(
        loop: EventLoop, addresses: [SocketAddress], first: Int, userTimeout: Duration,
        completion: @escaping (Result<TCPConnection, SystemError>) -> Void
    ) {
        precondition(!addresses.isEmpty, "BUG: a race without addresses")
        self.loop = loop
        self.userTimeout = userTimeout
        self.completion = completion
        decision = AddressRace(addresses, first: first)
        timer = LoopTimer(loop: loop)
        timer.onFire = { [unowned self] in startDue() }
        startDue()
    }

    private func startDue() {
        while let address = decision.next(now: loop.now) {
            let runner = Runner(self)
            runners.append(runner)
            runner.tcp.userTimeout = userTimeout
            runner.tcp.connect(to: address)
        }
        timer.schedule(at: decision.deadline ?? .distantFuture)
    }

    private func won(_ runner: Runner) {
        let completion = self.completion
        end()
        completion?(.success(runner.tcp))
    }

    private func failed(_ runner: Runner, _ error: SystemError?) {
        // Without an error it was our own end, and then no caller listens.
        guard let error else { return }
        runners.removeAll { $0 === runner }
        decision.attemptFailed()
        guard decision.isLost else { return startDue() }
        let completion = self.completion
        end()
        completion?(.failure(error))
    }

    /// Ends the race; the connections of the losers close as they are dropped.
    private func end() {
        completion = nil
        runners = []
        timer.cancel()
    }
}
