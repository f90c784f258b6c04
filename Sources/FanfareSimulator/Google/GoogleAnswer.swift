import FanfareBase

/// An answer of one of Google's services.
package struct GoogleAnswer: Equatable, Sendable {
    /// The content of a body.
    package enum Content: Sendable {
        case json
        /// A page of the front end, before any service has seen the request.
        case page

        /// The value of `content-type`.
        package var type: StaticString {
            switch self {
            case .json: "application/json; charset=UTF-8"
            case .page: "text/html; charset=UTF-8"
            }
        }
    }

    package var status: Int
    package var content = Content.json
    package var body: [UInt8]
    /// The word that tells the answer from others of its status, for the log; empty for none.
    package var word = ""
    /// False if it refuses all that it is about, though its status is 200.
    package var accepts = true
    /// The seconds of `retry-after`, if the service says when.
    package var retryAfter: UInt64?

    /// Makes an answer of JSON.
    init(status: Int, word: String = "", _ json: GoogleJSON, isPretty: Bool) {
        self.status = status
        self.word = word
        body = json.bytes(isPretty: isPretty)
    }

    /// Makes an answer of bytes that are JSON as a rule.
    init(status: Int, word: String = "", body: [UInt8]) {
        self.status = status
        self.word = word
        self.body = body
    }

    /// Makes a page of Google's front end.
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - title: The status in words.
    ///   - text: The page's text.
    init(page status: Int, title: String, _ text: String) {
        self.status = status
        content = .page
        body = Array(
            """
            <!DOCTYPE html>
            <html lang=en>
              <meta charset=utf-8>
              <title>Error \(status) (\(title))!!1</title>
              <p><b>\(status).</b> <ins>That’s an error.</ins>
              <p>\(text)  <ins>That’s all we know.</ins>

            """.utf8)
    }

    /// The page for a path or a method that is not served.
    static func notServed(_ path: String) -> GoogleAnswer {
        // The path comes from outside and stands in a page.
        let shown = path.escaping(["&": "&amp;", "<": "&lt;"])
        return GoogleAnswer(
            page: 404, title: "Not Found",
            "The requested URL <code>\(shown)</code> was not found on this server.")
    }

    /// The page for a server that is not there: 502, 504 and others.
    static func frontEnd(status: Int) -> GoogleAnswer {
        GoogleAnswer(
            page: status, title: "Server Error",
            "The server encountered a temporary error and could not complete your request."
                + "<p>Please try again in 30 seconds.")
    }
}
