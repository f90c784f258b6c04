import Testing

@testable import FanfareHTTP1

/// Answers, and what each comes to, by the text of the RFCs.
struct Message: CustomTestStringConvertible {
    var bytes: [UInt8]
    var isHead = false
    var isClosed = false
    var outcome: Outcome

    var testDescription: String {
        String(decoding: bytes.prefix(90), as: UTF8.self).debugDescription
    }

    init(
        _ text: String, isHead: Bool = false, isClosed: Bool = false, _ outcome: Outcome
    ) {
        bytes = Array(text.utf8)
        self.isHead = isHead
        self.isClosed = isClosed
        self.outcome = outcome
    }

    init(_ text: String, _ fault: AnswerFault) {
        self.init(text, .refused(fault))
    }
}

extension Message {
    /// Messages that a server may send.
    static let good: [Message] =
        [
            // RFC 9110 §3.9
            Message(
                """
                HTTP/1.1 200 OK\r
                Date: Mon, 27 Jul 2009 12:28:53 GMT\r
                Server: Apache\r
                Last-Modified: Wed, 22 Jul 2009 19:15:56 GMT\r
                ETag: "34aa387-d-1568eb00"\r
                Accept-Ranges: bytes\r
                Content-Length: 51\r
                Vary: Accept-Encoding\r
                Content-Type: text/plain\r
                \r
                Hello World! My content includes a trailing CRLF.\r

                """,
                .whole(
                    Answer(
                        date: "Mon, 27 Jul 2009 12:28:53 GMT",
                        body: Array("Hello World! My content includes a trailing CRLF.\r\n".utf8)))),
            // RFC 8297 §2, with a shorter body
            Message(
                """
                HTTP/1.1 103 Early Hints\r
                Link: </style.css>; rel=preload; as=style\r
                Link: </script.js>; rel=preload; as=script\r
                \r
                HTTP/1.1 200 OK\r
                Date: Fri, 26 May 2017 10:02:11 GMT\r
                Content-Length: 4\r
                Content-Type: text/html; charset=utf-8\r
                Link: </style.css>; rel=preload; as=style\r
                Link: </script.js>; rel=preload; as=script\r
                \r
                <!do
                """,
                .whole(Answer(date: "Fri, 26 May 2017 10:02:11 GMT", body: Array("<!do".utf8)))),
            // RFC 9110 §10.1.1
            Message(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\ncontent-length: 0\r\n\r\n",
                .whole(Answer(status: 201))),
            // RFC 9112 §4: the words may be missing, and not every server sends the blank before them.
            Message("HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", .whole(Answer())),
            Message("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", .whole(Answer())),
            Message(
                "HTTP/1.1 299 \u{e9}t\u{e9}\t!\r\ncontent-length:0\r\n\r\n", .whole(Answer(299, ""))
            ),
            Message("HTTP/1.1 999 x\r\ncontent-length: 0\r\n\r\n", .whole(Answer(999, ""))),
            // RFC 9110 §2.5: a later version that is not known is the highest that is.
            Message("HTTP/1.7 200 OK\r\ncontent-length: 0\r\n\r\n", .whole(Answer())),
            // RFC 9112 §5.1: blanks around a value are no part of it, a value may be empty.
            Message(
                "HTTP/1.1 429 x\r\nRetry-After: \t 120 \t\r\nx:\r\nx: \r\nCONTENT-LENGTH:\t2\r\n\r\nok",
                .whole(Answer(status: 429, retryAfter: "120", body: Array("ok".utf8)))),
            Message(
                "HTTP/1.1 200 OK\r\napns-id: 1\r\ncontent-length: 0\r\nAPNS-ID: 23\r\n!#$%&'*+-.^_`|~: a:b\r\n\r\n",
                .whole(Answer(messageID: "23"))),
            // A text longer than an id or a date is neither.
            Message(
                "HTTP/1.1 200 OK\r\ncontent-length: 0\r\napns-id: \(String(repeating: "x", count: 37))\r\n"
                    + "date: \(String(repeating: "x", count: 41))\r\n"
                    + "retry-after: \(String(repeating: "1", count: 40))\r\n\r\n",
                .whole(Answer(retryAfter: String(repeating: "1", count: 40)))),
            // RFC 9112 §6.3: no content, even if a length is announced.
            Message("HTTP/1.1 204 No Content\r\n\r\n", .whole(Answer(204, ""))),
            Message(
                "HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n", .whole(Answer(204, ""))),
            Message("HTTP/1.1 304 x\r\ncontent-length: 100\r\n\r\n", .whole(Answer(304, ""))),
            Message(
                "HTTP/1.1 304 x\r\ntransfer-encoding: chunked\r\n\r\n", .whole(Answer(304, ""))),
            Message("HTTP/1.1 200 x\r\ncontent-length: 7\r\n\r\n", isHead: true, .whole(Answer())),
            Message(
                "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n", isHead: true,
                .whole(Answer())),
            Message("HTTP/1.1 200 x\r\n\r\n", isHead: true, .whole(Answer())),
            // RFC 9112 §9.6, RFC 9110 §7.6.1
            Message(
                "HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 1\r\n\r\na",
                .whole(Answer(200, "a"), goesOn: false)),
            Message(
                "HTTP/1.1 200 OK\r\nConnection: x, \tCLOSE ,y\r\ncontent-length: 1\r\n\r\na",
                .whole(Answer(200, "a"), goesOn: false)),
            Message(
                "HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\ncontent-length: 0\r\n\r\n",
                .whole(Answer(), goesOn: false)),
            Message(
                "HTTP/1.1 200 OK\r\nConnection: keep-alive, closed, en close\r\ncontent-length: 0\r\n\r\n",
                .whole(Answer())),
            Message(
                "HTTP/1.1 102 x\r\nconnection: close\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
                .whole(Answer(), goesOn: false)),
            // RFC 9112 §9.3: the request did not ask an HTTP/1.0 server to keep the connection.
            Message(
                "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na",
                .whole(Answer(200, "a"), goesOn: false)),
            Message(
                "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 1\r\n\r\na",
                .whole(Answer(200, "a"), goesOn: false)),
            // Behind the last answer nothing is of interest.
            Message(
                "HTTP/1.1 200 OK\r\nConnection: close\r\ncontent-length: 1\r\n\r\na\r\nrubbish",
                .whole(Answer(200, "a"), goesOn: false)),
        ] + chunked + untilClose
}

extension Message {
    /// Bodies in chunks.
    ///
    /// RFC 9112 §7.1
    private static let chunked: [Message] = [
        Message(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "4\r\nWiki\r\n7\r\npedia i\r\nB\r\nn \r\nchunks.\r\n0\r\n\r\n",
            .whole(Answer(200, "Wikipedia in \r\nchunks."))),
        Message(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n", .whole(Answer())),
        Message(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "a\r\n0123456789\r\n000A;x\r\n0123456789\r\n000000000000000\r\n\r\n",
            .whole(Answer(200, "01234567890123456789"))),
        Message(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "1;a=b;c=\"d;e\"\r\nx\r\n1 \t; \u{e9}\r\ny\r\n0;z\r\n\r\n",
            .whole(Answer(200, "xy"))),
        // RFC 9112 §7.1.2: nothing that stands behind the body is of interest, but for the connection.
        Message(
            "HTTP/1.1 400 x\r\nretry-after: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "2\r\nab\r\n0\r\nretry-after: 2\r\nX-Checksum: 3\r\n\r\n",
            .whole(Answer(status: 400, retryAfter: "1", body: Array("ab".utf8)))),
        Message(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nconnection: close\r\n\r\n",
            .whole(Answer(), goesOn: false)),
    ]

    /// Answers that end with their connection, whole or not.
    ///
    /// RFC 9112 §6.3, §8
    private static let untilClose: [Message] = [
        Message(
            "HTTP/1.1 200 OK\r\n\r\nab", isClosed: true, .whole(Answer(200, "ab"), goesOn: false)),
        Message("HTTP/1.0 200 OK\r\n\r\n", isClosed: true, .whole(Answer(), goesOn: false)),
        Message(
            "HTTP/1.1 200 OK\r\n\r\nab",
            open(Answer(status: 200, isComplete: false, body: [97, 98]))),
        // Cut: the status counts, and the answer is not whole.
        Message(
            "HTTP/1.1 410 x\r\ncontent-length: 3\r\n\r\nab", isClosed: true,
            open(Answer(status: 410, isComplete: false, body: [97, 98]))),
        Message(
            "HTTP/1.1 410 x\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n", isClosed: true,
            open(Answer(status: 410, isComplete: false, body: [97, 98]))),
        Message("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n", isClosed: true, open(.none)),
        Message("HTTP/1.1 100 x\r\n\r\n", isClosed: true, open(.none)),
    ]

    /// A request that has not ended on a connection that has.
    private static func open(_ answer: Answer) -> Outcome {
        Outcome(answer: answer, code: nil, goesOn: false)
    }
}
