package import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTLS

/// Posts a notice to an address, up to three times.
///
/// It blocks its thread: at most `NoticePolicy.triesMax` requests of `Limits.tokenAnswerTime`, and
/// the waits between them.
package final class NoticePoster: Sendable {
    private let address: NoticeAddress
    private let way: ServiceWay
    private let key: WebhookKey?
    /// The name of the program that posts.
    private let agent: String
    private let interruption = TokenInterruption()
    private let alarm = Alarm()

    /// - Parameters:
    ///   - address: The address.
    ///   - key: The key of the signature; `nil` for none.
    ///   - options: The trusted certificates, and the proxy; nothing else of them counts.
    ///   - agent: The name of the program.
    /// - Throws: `FanfareError` with code `configuration` or `input` about certificates or the proxy.
    package init(
        _ address: NoticeAddress, key: WebhookKey?, by options: ProviderOptions, agent: String
    ) throws(FanfareError) {
        self.address = address
        self.key = key
        self.agent = agent
        way = try PreparedJob.way(to: address.endpoint, by: options, speaking: .either)
    }

    /// Ends `post` soon, from any other thread.
    package func interrupt() {
        alarm.end()
        interruption.end()
    }

    /// Posts a notice.
    /// - Parameters:
    ///   - body: JSON.
    ///   - id: The id of the notice, the same for all tries.
    /// - Returns: The reason why the receiver has not taken it; `nil` if it has.
    package func post(_ body: [UInt8], id: String) -> Statement? {
        let asker = TokenAsker(
            ways: [way], unixSeconds: { WallClock.milliseconds / 1000 }, interruption: interruption)
        var count = 0
        while true {
            count += 1
            let seconds = WallClock.milliseconds / 1000
            let answer = asker.ask(request(body, id: id, seconds: seconds)) {
                [address] end in
                Self.read(end, from: address, now: seconds)
            }
            guard let (last, reason) = answer, !alarm.hasEnded else {
                return "\(address) was not told: it took too long"
            }
            switch NoticePolicy.action(after: count, last) {
            case .done: return nil
            case .giveUp:
                let tries = count == 1 ? "" : " (asked \(count) times)"
                return "\(address) was not told: \(reason)\(tries)"
            case .again(let wait):
                guard alarm.sleep(until: MachineClock.now.advanced(by: wait)) else {
                    return "\(address) was not told: \(reason)"
                }
            }
        }
    }

    private func request(_ body: [UInt8], id: String, seconds: Int64) -> TokenRequest {
        var body = body
        var fields = [
            ("content-type", Secret("application/json")), ("user-agent", Secret(agent)),
            ("webhook-id", Secret(id)), ("webhook-timestamp", Secret("\(seconds)")),
        ]
        if let key {
            let signature = key.signature(id: id, seconds: seconds, body: body)
            fields.append(("webhook-signature", Secret(signature)))
        }
        return TokenRequest(
            nil, endpoint: address.endpoint, path: address.path, fields: fields,
            body: Secret(wiping: &body), isDoneByStatus: true)
    }

    /// Returns what a try came to, and the words for it.
    private static func read(
        _ end: TokenCall.End, from address: NoticeAddress, now: Int64
    ) -> (NoticePolicy.Try, Statement) {
        switch end {
        case .failed(.permanent(let text)): (.failed(isPermanent: true), text)
        case .failed(let failure): (.failed(isPermanent: false), failure.text)
        case .answered(let received):
            (
                .answered(
                    status: received.status,
                    retryAfter: unsafe RetryAfter.parse(received.retryAfter, now: now)),
                "it answers \(Int(received.status))\(words(of: received, from: address))"
            )
        }
    }

    /// The receiver's own words in parentheses behind a blank; empty if they are a page, or repeat a part of
    /// the address, which may be a secret.
    private static func words(
        of received: TokenAnswer.Received, from address: NoticeAddress
    ) -> String {
        guard unsafe 1...Limits.noticeWordsMax ~= received.body.count else { return "" }
        let bytes = unsafe Array(received.body)
        guard !bytes.contains(UInt8(ascii: "<")), !address.isRepeated(in: bytes) else { return "" }
        let text = String(decoding: bytes, as: UTF8.self)
        return " (\(TerminalText.shown(text, max: Limits.noticeWordsMax)))"
    }
}

extension Limits {
    /// The longest answer to a notice that is shown: Slack's words are `invalid_payload` and such.
    static let noticeWordsMax = 200
}
