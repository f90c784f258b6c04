import FanfareBase
import FanfareTLS

/// An answer of the server that shows a job, whole or up to where its stream begins.
///
/// No answer may be kept, read by pages of other sites, or taken for another type than it has.
package struct PageReply: Equatable, Sendable {
    package let status: Int
    package let bytes: [UInt8]

    /// The policy for answers that are no pages: they may load and run nothing.
    private static let nothing = "default-src 'none'; frame-ancestors 'none'"
    private static let text = "text/plain; charset=utf-8"
    private static let html = "text/html; charset=utf-8"

    private init(
        _ status: Int, _ phrase: String, type: String, policy: String, fields: String = "",
        body: [UInt8]?, isHead: Bool = false
    ) {
        self.status = status
        let length = body.map { "Content-Length: \($0.count)\r\n" } ?? ""
        let head =
            "HTTP/1.1 \(status) \(phrase)\r\nContent-Type: \(type)\r\n\(length)\(fields)"
            + "Content-Security-Policy: \(policy)\r\nX-Content-Type-Options: nosniff\r\n"
            + "Referrer-Policy: same-origin\r\nCache-Control: no-store\r\n"
            + "Cross-Origin-Opener-Policy: same-origin\r\n"
            + "Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n"
        bytes = Array(head.utf8) + (isHead ? [] : body ?? [])
    }

    /// Returns a page that may run one script and one style, and connect only to its server.
    /// - Parameters:
    ///   - page: The page.
    ///   - script: The text of its script.
    ///   - style: The text of its style.
    ///   - isHead: True if only the head was requested.
    /// - Returns: The answer.
    package static func page(
        _ page: [UInt8], script: [UInt8], style: [UInt8], isHead: Bool
    ) -> PageReply {
        PageReply(
            200, "OK", type: html,
            policy: "default-src 'none'; script-src '\(digest(script))'; "
                + "style-src '\(digest(style))'; img-src data:; connect-src 'self'; "
                + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            body: page, isHead: isHead)
    }

    /// A page that runs nothing, and has its own policy besides.
    package static func final(_ page: [UInt8], isHead: Bool) -> PageReply {
        PageReply(
            200, "OK", type: html,
            policy: "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            body: page, isHead: isHead)
    }

    /// The beginning of a stream of messages.
    package static let stream = PageReply(
        200, "OK", type: "text/event-stream", policy: nothing, body: nil)

    /// Returns a job's answer to an order.
    package static func answer(_ answer: ControlAnswer) -> PageReply {
        answer.isError
            ? PageReply(
                409, "Conflict", type: text, policy: nothing, body: Array("\(answer.text)\n".utf8))
            : PageReply(
                200, "OK", type: text, policy: nothing, body: Array("\(answer.text)\n".utf8))
    }

    /// Returns the reason why a request is refused.
    package static func refusal(
        _ refusal: PageGate.Refusal, isHead: Bool = false
    ) -> PageReply {
        PageReply(
            refusal.status, refusal.phrase, type: text, policy: nothing,
            fields: refusal.allowed.map { "Allow: \($0)\r\n" } ?? "",
            body: Array("\(refusal.status) \(refusal.phrase): \(refusal.text)\n".utf8),
            isHead: isHead)
    }

    /// A text by its digest, as a policy has it.
    ///
    /// https://www.w3.org/TR/CSP3/#match-element-to-source-list
    private static func digest(_ text: [UInt8]) -> String {
        let digest = Base64URL.encode(SHA256.digest(of: text)).map { character -> Character in
            switch character {
            case "-": "+"
            case "_": "/"
            default: character
            }
        }
        return "sha256-\(String(digest))="
    }
}

extension PageGate.Refusal {
    /// The bytes are no request.
    package static let malformed = Self(400, "Bad Request", "this is no request")
    /// The request does not end where it has to.
    package static let tooLong = Self(
        431, "Request Header Fields Too Large", "a request has 8 KiB at most")
    /// As many watch as may.
    package static let tooManyViewers = Self(
        503, "Service Unavailable", "\(Limits.pageViewersMax) browsers watch already")
    /// The job runs, so there is no page about all of it.
    package static let tooEarly = Self(404, "Not Found", "the job runs; the page is at /")
    /// The job runs no more, and takes no orders.
    package static let tooLate = Self(409, "Conflict", "the job has ended")
}
