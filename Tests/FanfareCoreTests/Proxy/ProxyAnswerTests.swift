import FanfareBase
import FanfareCore
import Testing

@Suite struct ProxyAnswerTests {
    /// The verdict on a text that comes in two pieces, and how much of it the answer is.
    private func verdict(_ text: [UInt8], split: Int) -> ProxyAnswer.Verdict {
        var answer = ProxyAnswer()
        let first = answer.add(text[..<split])
        guard first == .incomplete else { return first }
        switch answer.add(text[split...]) {
        case .opened(let count): return .opened(byteCount: split + count)
        case let other: return other
        }
    }

    private func expect(_ text: String, _ expected: ProxyAnswer.Verdict) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            #expect(verdict(bytes, split: split) == expected, "split at \(split)")
        }
        var answer = ProxyAnswer()
        var last = ProxyAnswer.Verdict.incomplete
        for (index, byte) in bytes.enumerated() where last == .incomplete {
            last = answer.add([byte])
            if last == .opened(byteCount: 1) { last = .opened(byteCount: index + 1) }
        }
        #expect(last == expected)
    }

    @Test(arguments: [
        "HTTP/1.1 200 Connection established\r\n\r\n", "HTTP/1.0 200\r\n\r\n",
        "HTTP/1.1 200 OK\n\n", "HTTP/1.1 299 \r\nVia: 1.1 a\r\nContent-Length: 7\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "HTTP/1.1 102 Processing\r\nA: b\r\n\r\nHTTP/1.1 103 \r\n\r\nHTTP/1.1 204 \r\n\r\n",
    ])
    func `a tunnel begins behind the head of a 2xx answer`(head: String) {
        expect(head, .opened(byteCount: head.utf8.count))
        expect(head + "\u{16}\u{03}\n\r\n", .opened(byteCount: head.utf8.count))
    }

    @Test func `what is not whole yet is waited for`() {
        for text in ["", "H", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nA: b\r\n"] {
            expect(text, .incomplete)
        }
    }

    @Test func `another status is a refusal as soon as its line has ended`() {
        for status in [101, 301, 400, 403, 405, 500, 502, 503, 599] {
            expect("HTTP/1.1 \(status) Words\r\n", .refused(.status(status)))
        }
    }

    @Test func `a demand for a password says how`() {
        expect(
            "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"a\"\r\n"
                + "Server: x\r\nPROXY-authenticate:\tNTLM\r\nProxy-Authenticate: Basic\r\n\r\n",
            .refused(.authentication(schemes: ["Basic", "NTLM"])))
        expect("HTTP/1.1 407 \r\n\r\n", .refused(.authentication(schemes: [])))
        // A text that is no word is not shown.
        expect(
            "HTTP/1.1 407 \r\nProxy-Authenticate: \u{1B}[2J\r\nproxy_authenticate: Digest\r\n"
                + "Proxy-Authenticate: \(String(repeating: "a", count: 25))\r\n\r\n",
            .refused(.authentication(schemes: [])))
    }

    @Test(arguments: [
        "SSH-2.0-OpenSSH_9.2\r\n", "\u{15}\u{03}\u{03}\u{00}", "HTTP/2 200\r\n", "http/1.1 200\r\n",
        "220 mail.example ESMTP\r\n", "\r\nHTTP/1.1 200 OK\r\n\r\n",
    ])
    func `another language is recognized by its first bytes`(text: String) {
        let bytes = Array(text.utf8)
        for split in 0...bytes.count {
            guard case .refused(.notHTTP(let shown)) = verdict(bytes, split: split) else {
                Issue.record("no refusal, split at \(split)")
                continue
            }
            #expect(bytes.starts(with: shown) && !shown.isEmpty)
        }
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1  200 OK", "HTTP/1.x 200 OK", "HTTP/1.1",
        "HTTP/1.1 99 Low", "HTTP/1.1 099 Low", "HTTP/1.1 600 High", "HTTP/1.1 2\u{660}0",
    ])
    func `a status line that is none is another language`(line: String) {
        expect(line + "\r\n", .refused(.notHTTP(Array(line.utf8))))
    }

    @Test func `a head without an end is given up`() {
        let start = Array("HTTP/1.1 200 OK\r\nA: ".utf8)
        let room = ProxyAnswer.bytesMax - start.count
        var answer = ProxyAnswer()
        #expect(answer.add(start) == .incomplete)
        #expect(answer.add([UInt8](repeating: 0x61, count: room)) == .incomplete)
        #expect(answer.add([0x61]) == .refused(.tooLong))
        // Nor does it help to send interim answers.
        let interim = Array("HTTP/1.1 100 \r\n\r\n".utf8)
        var other = ProxyAnswer()
        var count = 0
        while other.add(interim) == .incomplete { count += interim.count }
        #expect((ProxyAnswer.bytesMax - interim.count...ProxyAnswer.bytesMax) ~= count)
    }

    @Test func `names of ways to prove oneself are bounded`() {
        var text = "HTTP/1.1 407 \r\n"
        for number in 0..<100 { text += "Proxy-Authenticate: W\(number)\r\n" }
        var answer = ProxyAnswer()
        let verdict = answer.add(Array((text + "\r\n").utf8))
        #expect(verdict == .refused(.authentication(schemes: (0..<8).map { "W\($0)" })))
    }
}
