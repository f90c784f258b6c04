import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareTLS

/// Answers with tokens, as the file of a provider describes them.
extension TokenAnswer {
    /// The life of a token when the answer does not say, and the longest that is believed.
    private static let describedSeconds: (assumed: Int64, most: Int64) = (300, 30 * 86_400)

    /// The members in which services say what is wrong: a code, and words.
    private static let codes = ["error", "code", "errcode", "ret_code", "result"]
    private static let texts = [
        "error_description", "message", "msg", "errmsg", "error_msg", "desc", "description",
    ]

    /// Reads an answer.
    /// - Parameters:
    ///   - token: The description of the token's place and life.
    ///   - received: The answer.
    ///   - request: The request that was sent.
    ///   - account: With what, for messages.
    ///   - now: The time of the answer, in UNIX seconds.
    /// - Returns: The token, or why there is none.
    static func read(
        _ token: DescribedToken, in received: Received, to request: TokenRequest, account: String,
        now: Int64
    ) -> TokenAnswer {
        let json = unsafe PlacedJSONParser().answer(received.body)
        let refusal = Self.refusal(json, received.status, request.secrets)
        let question = TokenQuestion.described(token)
        let host = request.endpoint.host
        guard (200...299).contains(received.status) else {
            let statement = refusal.statement(
                of: question, host: host, account: account, skew: nil)
            guard refusal.fault(of: question) == .temporary else {
                return .permanent(statement)
            }
            return unsafe .temporary(
                statement, wish: RetryAfter.parse(received.retryAfter, now: now))
        }
        guard let text = json.flatMap({ token.token.find(in: $0)?.text }), !text.isEmpty else {
            // Some services answer 200 to every mistake, so it may pass.
            return .temporary(
                "\(host) answers \(received.status) without a token at \(token.token.text)"
                    + "\(refusal.said); look at \(account), with which it is asked", wish: nil)
        }
        let seconds = seconds(of: token.lifetime, in: json)
        guard seconds > 0 else {
            return .temporary("\(host) answers with an access token that has expired", wish: nil)
        }
        guard let token = AccessToken(Secret(text), life: .seconds(seconds)) else {
            return .permanent("\(host) answers with an access token that no header field can have")
        }
        return .granted(token)
    }

    private static func seconds(
        of lifetime: DeclaredExchange.Lifetime, in json: PlacedJSON?
    ) -> Int64 {
        switch lifetime {
        case .fixed(let duration): return duration.components.seconds
        case .seconds(let place):
            guard let word = json.flatMap({ place.find(in: $0)?.word }),
                let number = Double(word), number.isFinite
            else { return describedSeconds.assumed }
            return Int64(min(max(number, 0), Double(describedSeconds.most)))
        }
    }

    /// The words of a service, unless they repeat a secret.
    private static func refusal(
        _ json: PlacedJSON?, _ status: UInt16, _ secrets: [Secret]
    ) -> TokenRefusal {
        guard let json else { return TokenRefusal(status: status) }
        // Google's way, and that of others: all of it in one object.
        let place = json["error"].flatMap { $0.members == nil ? nil : $0 } ?? json
        func first(_ keys: [String]) -> String {
            for key in keys {
                guard let word = place[key]?.word, !word.isEmpty else { continue }
                return secrets.contains { $0.isIn(word) } ? "" : word
            }
            return ""
        }
        return TokenRefusal(status: status, error: first(codes), words: first(texts))
    }
}

extension Secret {
    /// Returns true if a text repeats it.
    fileprivate func isIn(_ text: String) -> Bool {
        let text = Array(text.utf8)
        return unsafe withBytes { bytes in
            guard !bytes.isEmpty, bytes.count <= text.count else { return false }
            return (0...text.count - bytes.count).contains { start in
                unsafe text[start..<start + bytes.count].elementsEqual(bytes)
            }
        }
    }
}
