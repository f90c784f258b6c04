import FanfareBase
import FanfareLoop
import FanfareSystem

/// Asks token services, one request after the other, over a loop of its own.
///
/// Made, used and dropped on one thread. To drop it may take as long as the system takes to look up a name,
/// which cannot be taken back.
final class TokenAsker {
    private let ways: [ServiceWay]
    private let limit: Duration
    private let unixSeconds: @Sendable () -> Int64
    private let interruption: TokenInterruption
    /// The tools for requests; made when they are first needed.
    private var tools: Tools?
    /// Calls so far: each one begins with the next of the addresses that the name has.
    private var calls = 0
    private var current: TokenCall?

    private struct Tools {
        let loop: EventLoop
        let resolver: Resolver
        let waker: LoopWaker
    }

    /// - Parameters:
    ///   - ways: The ways to the services.
    ///   - limit: The time for one request.
    ///   - unixSeconds: The wall clock.
    ///   - interruption: Ends a request that is under way.
    init(
        ways: [ServiceWay], limit: Duration = Limits.tokenAnswerTime,
        unixSeconds: @escaping @Sendable () -> Int64, interruption: TokenInterruption
    ) {
        self.ways = ways
        self.limit = limit
        self.unixSeconds = unixSeconds
        self.interruption = interruption
    }

    /// Sends a request, and waits for the answer.
    /// - Parameters:
    ///   - request: A request to an endpoint that has a way.
    ///   - account: The account's name for messages.
    /// - Returns: The answer, or the obstacle.
    func ask(_ request: TokenRequest, as account: String) -> TokenAnswer {
        let answer = ask(request) { [unixSeconds] end in
            switch end {
            case .answered(let received):
                return TokenAnswer.read(
                    received, to: request, account: account, now: unixSeconds())
            case .failed(let failure):
                let text: Statement =
                    "no access token from \(request.endpoint.host): \(failure.text)"
                if case .permanent = failure { return .permanent(text) }
                return .temporary(text, wish: nil)
            }
        }
        return answer ?? .temporary("the job has ended", wish: nil)
    }

    /// Sends a request, and waits for the answer.
    /// - Parameters:
    ///   - request: A request to an endpoint that has a way.
    ///   - read: Makes a value of the answer, or of the obstacle.
    /// - Returns: That value; `nil` after an interruption.
    func ask<Value>(
        _ request: TokenRequest, read: @escaping (TokenCall.End) -> Value
    ) -> Value? {
        guard let way = ways.first(where: { $0.endpoint == request.endpoint }) else {
            preconditionFailure("BUG: a token service without a way to it")
        }
        let tools: Tools
        do throws(SystemError) {
            tools = try readyTools()
        } catch {
            return read(.failed(.transient(Statement(error.description))))
        }
        let call = TokenCall(
            request, by: way, first: calls, resolver: tools.resolver, on: tools.loop)
        calls += 1
        current = call
        defer { current = nil }
        return interruption.waiting {
            call.run(limit: limit, read: read)
        } cutBy: { [waker = tools.waker] in
            waker.wake()
        }
    }

    private func readyTools() throws(SystemError) -> Tools {
        if let tools { return tools }
        let loop = try EventLoop()
        let waker = try LoopWaker(loop: loop, keepsLoopAlive: false) { [weak self] in
            self?.current?.cut()
        }
        let tools = Tools(loop: loop, resolver: Resolver(loop: loop), waker: waker)
        self.tools = tools
        return tools
    }
}
