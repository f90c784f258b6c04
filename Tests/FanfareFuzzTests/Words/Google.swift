import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareTLS

@testable import Fanfare

extension FuzzTarget {
    /// An answer of FCM: the error of a Google service, or the name of a message.
    static let googleError = FuzzTarget("google-error") { bytes throws(Violation) in
        var parser = GoogleErrorBody()
        let content = bytes.withUnsafeBufferPointer { parser.parse($0) }
        if let content {
            try Violation.check(
                content.word.isEmpty == (content.facts.source == .nothing), "a word from nowhere")
            for range in [content.word, content.detail] {
                let text = Array(parser.bytes(range))
                try Violation.check(
                    String(validating: text, as: UTF8.self) != nil, "a text that is not UTF-8")
                // A detail has a part of the message and an explanation.
                try Violation.check(
                    text.count <= 2 * Limits.reasonBytesMax + 2, "a text is longer than one may be")
            }
        }
        let name = bytes.withUnsafeBufferPointer { Array(FCMMessageName.read($0)) }
        // A number that is beyond a double is JSON, and no value.
        let value = bytes.withUnsafeBufferPointer { try? JSONValue.parse($0) }
        guard let value else {
            return try Violation.check(name.isEmpty, "a name in what is no JSON")
        }
        if case .object? = value["error"] {
            try Violation.check(content != nil, "an error is not found")
        }
        // Of two errors the last one may be something else.
        try Violation.check(content == nil || value["error"] != nil, "an error where none is")
        try Violation.check(
            name.isEmpty || value["name"] == .string(String(decoding: name, as: UTF8.self)),
            "a name that JSON has not")
    }

    /// A credential file, or a file with an access token.
    static let credential = FuzzTarget("credential", bytesMax: 8192) { bytes throws(Violation) in
        let secret = bytes.withUnsafeBufferPointer { Secret($0) }
        var (request, token): (TokenRequest?, AccessToken?)
        var messages: [String] = []
        do throws(FanfareError) {
            let hints = GoogleHints(project: "project", accessTokenFile: "file")
            switch try GoogleCredential.read(secret, file: "file", hints: hints) {
            case .serviceAccount(let account):
                request = try account.tokenRequest(now: 1_700_000_000)
            case .externalAccount(let account):
                request = account.exchangeRequest(secret)
            case .machine:
                messages.append("no file is a machine")
            }
        } catch {
            messages.append(error.message)
        }
        do throws(FanfareError) {
            token = try AccessTokenFile.read(secret, file: "file")
        } catch {
            messages.append(error.message)
        }
        for message in messages { try isSafe(message) }
        if let host = request?.endpoint.host {
            try Violation.check(
                host.hasSuffix(".googleapis.com") || host == "accounts.google.com"
                    || GoogleURL.isLoopback(host), "\(host) is asked")
        }
        if let token {
            try Violation.check(
                token.secret.withBytes { $0.allSatisfy { 0x21...0x7E ~= $0 } },
                "a token that no field can have")
        }
    }

    /// The answer of a token service.
    static let tokenAnswer = FuzzTarget("token-answer") { bytes throws(Violation) in
        var input = InputReader(bytes)
        let described = DescribedToken(
            token: JSONPointer(keys: ["access_token"]),
            lifetime: .seconds(JSONPointer(keys: ["expires_in"])))
        let questions: [TokenQuestion] = [
            .assertion, .exchange, .impersonation, .metadata, .described(described),
        ]
        let question = questions[input.byte() % questions.count]
        let status = [200, 400, 401, 403, 404, 503][input.byte() % 6]
        let request = TokenRequest(
            question, endpoint: Endpoint(host: "host", port: 443), path: "/", fields: [], body: nil)
        let answer = Array(input.rest).withUnsafeBufferPointer { body in
            TokenAnswer.read(
                TokenAnswer.Received(
                    status: UInt16(status), body: body, date: body, retryAfter: body),
                to: request, account: "account", now: 1_700_000_000)
        }
        switch answer {
        case .granted(let token):
            let seconds = token.life?.components.seconds ?? 0
            try Violation.check(
                status == 200
                    && (1...(question == questions.last ? 2_592_000 : 43_200)).contains(seconds),
                "a life of \(seconds) s")
        case .temporary(let statement, _), .permanent(let statement):
            try isSafe(statement.description)
        }
    }
}
