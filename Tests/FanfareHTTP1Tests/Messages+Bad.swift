@testable import FanfareHTTP1

extension Message {
    /// Messages that no server may send.
    static let bad: [Message] = starts + lines + fields + ends + chunks

    private static func head(_ lines: String...) -> String {
        "HTTP/1.1 200 OK\r\n" + lines.map { $0 + "\r\n" }.joined() + "\r\n"
    }

    private static let starts: [Message] = [
        Message("SSH-2.0-OpenSSH_9.6\r\n", .notHTTP),
        Message("\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", .notHTTP),
        Message("http/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", .notHTTP),
        Message("HTTQ", .notHTTP),
        Message("H\u{0}", .notHTTP),
        Message("HTTP\u{15}", .notHTTP),
        Message("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", .notHTTP),
        Message("\u{0}\u{0}\u{12}\u{4}\u{0}\u{0}\u{0}\u{0}\u{0}", .speaksHTTP2),
        Message("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}F", .speaksTLS),
        Message("\u{16}\u{3}", .speaksTLS),
        Message("HTTP/2.0 200 OK\r\n\r\n", .version),
        Message("HTTP/0.9 200 OK\r\n\r\n", .version),
        Message("HTTP/2 200\r\n\r\n", .version),
        Message("HTTP/\r\n", .statusLine),
        Message("HTTP/1.10 200 OK\r\n\r\n", .statusLine),
        Message("HTTP/1.x 200 OK\r\n\r\n", .statusLine),
        Message("HTTP/1,1 200 OK\r\n\r\n", .statusLine),
        Message("HTTP/1.1\r\n\r\n", .statusLine),
        Message("HTTP/1.1  200 OK\r\n\r\n", .statusLine),
        Message("HTTP/1.1\t200 OK\r\n\r\n", .statusLine),
        Message("HTTP/1.1 20\r\n\r\n", .statusLine),
        Message("HTTP/1.1 2000\r\n\r\n", .statusLine),
        Message("HTTP/1.1 +20 OK\r\n\r\n", .statusLine),
        Message("HTTP/1.1 2x0 OK\r\n\r\n", .statusLine),
        Message("HTTP/1.1 200 a\u{0}b\r\n\r\n", .statusLine),
        Message("HTTP/1.1 200 a\u{7F}\r\n\r\n", .statusLine),
        Message("HTTP/1.1 099 x\r\ncontent-length: 0\r\n\r\n", .status),
        Message("HTTP/1.1 000 x\r\ncontent-length: 0\r\n\r\n", .status),
        Message("HTTP/1.1 101 Switching Protocols\r\nupgrade: h2c\r\n\r\n", .switchedProtocols),
        Message(String(repeating: "HTTP/1.1 102 x\r\n\r\n", count: 33), .tooManyInterim),
    ]

    private static let lines: [Message] = [
        Message("HTTP/1.1 200 OK\ncontent-length: 0\n\n", .bareLineFeed),
        Message("HTTP/1.1 200 OK\r\ncontent-length: 0\n\r\n", .bareLineFeed),
        Message("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\n", .bareLineFeed),
        Message(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\n\r\n", .bareLineFeed),
        Message(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0;\n\r\n", .bareLineFeed),
        Message(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\n", .bareLineFeed),
        Message("HTTP/1.1 200 OK\rx: y\r\n\r\n", .bareCarriageReturn),
        Message("HTTP/1.1 200 OK\r\nx: y\rz: 1\r\n\r\n", .bareCarriageReturn),
        Message("HTTP/1.1 200 OK\r\nx: y\r\r\n\r\n", .bareCarriageReturn),
        Message("HTTP/1.1 200 OK\r\n\r\r\n", .bareCarriageReturn),
        Message(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0;a\rb\r\n\r\n",
            .bareCarriageReturn),
        Message(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx: y\r\r\n\r\n",
            .bareCarriageReturn),
    ]

    private static let fields: [Message] = [
        Message(head("x: y", " folded", "content-length: 0"), .foldedLine),
        Message(head("x: y", "\tfolded", "content-length: 0"), .foldedLine),
        Message(head(" x: y"), .foldedLine),
        Message(head("x: y", " "), .foldedLine),
        Message(head("x"), .missingColon),
        Message(head("HTTP/1.1 200 OK"), .missingColon),
        Message(head(": y"), .emptyName),
        Message(head("content-length : 0"), .blankBeforeColon),
        Message(head("x\t: 0"), .blankBeforeColon),
        Message(head("content length: 0"), .badName),
        Message(head("x\u{0}: y"), .badName),
        Message(head("content-length\u{B}: 0"), .badName),
        Message(head("\u{e9}: y"), .badName),
        Message(head("x(y): z"), .badName),
        Message(head("\"x\": z"), .badName),
        Message(head("x: \u{0}"), .badValue),
        Message(head("x: a\u{B}b"), .badValue),
        Message(head("x: \u{1B}[2J"), .badValue),
        Message(head("x: \u{7F}"), .badValue),
        Message(
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx : y\r\n\r\n",
            .blankBeforeColon),
        Message("HTTP/1.1 103 x\r\nx : y\r\n\r\n", .blankBeforeColon),
        Message(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "x: y\r\n", count: 129), .tooManyFields),
        // With the trailers there are 129.
        Message(
            "HTTP/1.1 200 OK\r\n" + String(repeating: "x: y\r\n", count: 126)
                + "transfer-encoding: chunked\r\n\r\n0\r\nx: y\r\nx: y\r\n\r\n", .tooManyFields),
    ]

    private static let ends: [Message] = [
        Message(head("content-length: 1", "content-length: 2") + "ab", .severalLengths),
        Message(head("content-length: 1", "Content-Length: 1") + "a", .severalLengths),
        Message(head("content-length: 1, 1") + "a", .severalLengths),
        Message(head("content-length: 1,") + "a", .severalLengths),
        Message(head("content-length:"), .badLength),
        Message(head("content-length: +1") + "a", .badLength),
        Message(head("content-length: -1"), .badLength),
        Message(head("content-length: 0x1") + "a", .badLength),
        Message(head("content-length: 1a") + "a", .badLength),
        Message(head("content-length: 1 1") + "a", .badLength),
        Message(head("content-length: 1.0") + "a", .badLength),
        Message(head("content-length: \u{661}") + "a", .badLength),
        Message(head("content-length: 18446744073709551617") + "a", .hugeLength),
        Message(head("content-length: 00000000000000000001") + "a", .hugeLength),
        Message(
            head("content-length: 0", "transfer-encoding: chunked") + "0\r\n\r\n",
            .lengthWithCoding),
        Message(
            head("transfer-encoding: chunked", "content-length: 5") + "0\r\n\r\n",
            .lengthWithCoding),
        Message(head("transfer-encoding: gzip, chunked"), .unknownCoding),
        Message(head("transfer-encoding: chunked, chunked"), .unknownCoding),
        Message(head("transfer-encoding: chunked", "transfer-encoding: chunked"), .unknownCoding),
        Message(head("transfer-encoding: identity", "content-length: 1") + "a", .unknownCoding),
        Message(head("transfer-encoding: xchunked"), .unknownCoding),
        Message(head("transfer-encoding: \"chunked\""), .unknownCoding),
        Message(head("transfer-encoding: chunked;q=1"), .unknownCoding),
        Message(head("transfer-encoding: \u{B}chunked"), .badValue),
        Message(head("transfer-encoding:"), .unknownCoding),
        Message(
            "HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", .codingInHTTP10),
        Message("HTTP/1.1 204 x\r\ncontent-length: 1\r\n\r\na", .announcedWithoutContent),
        Message(
            "HTTP/1.1 204 x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            .announcedWithoutContent),
        Message("HTTP/1.1 103 x\r\ncontent-length: 0\r\n\r\n", .announcedWithoutContent),
        Message(
            "HTTP/1.1 100 x\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
            .announcedWithoutContent),
    ]

    private static func chunked(_ body: String) -> String {
        head("transfer-encoding: chunked") + body
    }

    private static let chunks: [Message] = [
        Message(chunked("\r\n"), .chunkSize),
        Message(chunked("x\r\n"), .chunkSize),
        Message(chunked("-1\r\n"), .chunkSize),
        Message(chunked("0x1\r\na\r\n0\r\n\r\n"), .chunkSize),
        Message(chunked(" 1\r\na\r\n0\r\n\r\n"), .chunkSize),
        Message(chunked("1 \r\na\r\n0\r\n\r\n"), .chunkSize),
        Message(chunked("1 1\r\na\r\n0\r\n\r\n"), .chunkSize),
        Message(chunked(";a\r\n"), .chunkSize),
        Message(chunked("1\r\na\r\n\r\n0\r\n\r\n"), .chunkSize),
        Message(chunked("1\u{0}\r\na\r\n0\r\n\r\n"), .chunkSize),
        Message(chunked("1000000000000000\r\n"), .hugeChunk),
        Message(chunked("0000000000000001\r\na\r\n0\r\n\r\n"), .hugeChunk),
        Message(chunked("FFFFFFFFFFFFFFFFF\r\n"), .hugeChunk),
        Message(chunked("1\r\nab\r\n0\r\n\r\n"), .chunkEnd),
        Message(chunked("1\r\na\n0\r\n\r\n"), .chunkEnd),
        Message(chunked("1\r\na\r0\r\n\r\n"), .chunkEnd),
        Message(chunked("0;a=\u{0}\r\n\r\n"), .chunkExtension),
        Message(chunked("0;\(String(repeating: "x", count: 4094))\r\n\r\n"), .longExtensions),
        Message(
            chunked(
                String(repeating: "1;\(String(repeating: "x", count: 4000))\r\na\r\n", count: 5)),
            .longExtensions),
        Message(chunked("0\r\ncontent-length: 0\r\n\r\n"), .framingInTrailers),
        Message(chunked("0\r\nTransfer-Encoding: chunked\r\n\r\n"), .framingInTrailers),
    ]
}
