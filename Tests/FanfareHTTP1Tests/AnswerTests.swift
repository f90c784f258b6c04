import FanfareBase
import FanfareHTTP2
import FanfareTestSupport
import Testing

@testable import FanfareHTTP1

/// The outcomes of answers, however they are cut.
@Suite struct AnswerTests {
    @Test(arguments: Message.good)
    func `an answer that HTTP allows is read`(message: Message) throws {
        let outcome = try Outcome.of(
            message.bytes, isHead: message.isHead, isClosed: message.isClosed)
        #expect(outcome == message.outcome)
    }

    @Test(arguments: Message.bad)
    func `an answer that HTTP forbids counts for nothing`(message: Message) throws {
        #expect(try Outcome.of(message.bytes) == message.outcome)
    }

    @Test(arguments: (Message.good + Message.bad).filter { $0.bytes.count < 2000 })
    func `cuts make no difference`(message: Message) throws {
        for pieces in cuts(message.bytes) {
            let outcome = try Outcome.of(
                pieces, isHead: message.isHead, isClosed: message.isClosed)
            #expect(outcome == message.outcome, "\(pieces.map(\.count))")
            if outcome != message.outcome { break }
        }
    }

    @Test(arguments: (Message.good + Message.bad).filter { $0.bytes.count >= 2000 })
    func `cuts make no difference to long answers`(message: Message) throws {
        for size in [1, 3, 97, 1024, 4095, 4096, 4097] {
            let pieces = stride(from: 0, to: message.bytes.count, by: size).map {
                message.bytes[$0..<min($0 + size, message.bytes.count)]
            }
            #expect(try Outcome.of(pieces) == message.outcome, "\(size)")
        }
    }

    @Test func `each fault has an answer that shows it`() {
        let shown = Set(Message.bad.compactMap(\.outcome.fault))
        // These two have tests of their own.
        let others: Set<AnswerFault> = [.headTooLarge, .unsolicited]
        #expect(shown.union(others) == Set(AnswerFault.allCases))
        #expect(shown.isDisjoint(with: others))
    }

    @Test func `each fault is a sentence with its place in an RFC`() {
        let texts = AnswerFault.allCases.map(\.description)
        #expect(Set(texts).count == texts.count)
        for text in texts {
            #expect(text.wholeMatch(of: /\w.* \(RFC 911[02] §[0-9.]+\)/) != nil, "\(text)")
        }
    }

    // MARK: Bounds

    /// A head of so many bytes, and nothing behind it.
    private func head(bytes: Int) -> [UInt8] {
        let begin = Array("HTTP/1.1 204 x\r\nx: ".utf8)
        return begin + [UInt8](repeating: 97, count: bytes - begin.count - 4)
            + Array("\r\n\r\n".utf8)
    }

    @Test func `a head has 64 KiB at the most`() throws {
        for pieceBytes in [1 << 20, 1000] {
            func outcome(_ bytes: [UInt8]) throws -> Outcome {
                try Outcome.of(
                    stride(from: 0, to: bytes.count, by: pieceBytes).map {
                        bytes[$0..<min($0 + pieceBytes, bytes.count)]
                    })
            }
            #expect(try outcome(head(bytes: 65_536)) == .whole(Answer(204, "")))
            #expect(try outcome(head(bytes: 65_537)) == .refused(.headTooLarge))
            // A line that never ends, and lines that are short.
            let line = Array("HTTP/1.1 200 ".utf8) + [UInt8](repeating: 97, count: 65_530)
            #expect(try outcome(line) == .refused(.headTooLarge))
            let many =
                "HTTP/1.1 200 x\r\n"
                + String(repeating: "x: \(String(repeating: "y", count: 1019))\r\n", count: 65)
            #expect(try outcome(Array(many.utf8)) == .refused(.headTooLarge))
            // With its trailers.
            let trailer = "x: \(String(repeating: "y", count: 40_000))\r\n"
            let chunked = "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\(trailer)\r\n0\r\n"
            #expect(try outcome(Array((chunked + trailer).utf8)) == .refused(.headTooLarge))
            // An interim answer's is its own.
            let interim = head(bytes: 65_536).map {
                $0 == UInt8(ascii: "2") ? UInt8(ascii: "1") : $0
            }
            #expect(try outcome(interim + head(bytes: 65_536)) == .whole(Answer(204, "")))
        }
    }

    @Test func `32 interim answers, 128 fields and 16 KiB of extensions are taken`() throws {
        let interim = String(repeating: "HTTP/1.1 102 x\r\n\r\n", count: 32)
        #expect(
            try Outcome.of(interim + "HTTP/1.1 204 x\r\n\r\n") == .whole(Answer(204, "")))
        let fields = String(repeating: "x: y\r\n", count: 128)
        #expect(try Outcome.of("HTTP/1.1 204 x\r\n\(fields)\r\n") == .whole(Answer(204, "")))
        // Four lines of 4,096 bytes: a digit, the extension, and the line's end; and what is left of 16 KiB.
        let chunk = "1;\(String(repeating: "x", count: 4092))\r\na\r\n"
        let chunks =
            "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\r\n"
            + String(repeating: chunk, count: 4)
        #expect(
            try Outcome.of(chunks + "0;\(String(repeating: "x", count: 11))\r\n\r\n")
                == .whole(Answer(200, "aaaa")))
        #expect(
            try Outcome.of(chunks + "0;\(String(repeating: "x", count: 12))\r\n\r\n")
                == .refused(.longExtensions))
    }

    @Test func `the beginning of a body is kept, and all of it counted`() throws {
        var client = TestClient(bodyKept: 5)
        let stream = try client.submit()
        client.write()
        client.receive("HTTP/1.1 200 x\r\ncontent-length: 8\r\n\r\nabc")
        #expect(
            client.answer(to: stream)
                == Answer(isComplete: false, body: Array("abc".utf8), bodyBytes: 3))
        client.receive("defgh")
        #expect(client.answer(to: stream) == Answer(body: Array("abcde".utf8), bodyBytes: 8))
        #expect(client.closed == [1: .noError])
    }

    @Test(arguments: [
        "content-length: 11\r\n\r\n0123456789a",
        "transfer-encoding: chunked\r\n\r\n6\r\n012345\r\n5\r\n6789a\r\n0\r\n\r\n",
        "\r\n0123456789a",
    ])
    func `a body without end is cut, and the status counts`(text: String) throws {
        let bytes = Array("HTTP/1.1 410 x\r\n\(text)".utf8)
        let cut = Outcome(
            answer: Answer(status: 410, isComplete: false, body: Array("0123456789".utf8)),
            code: .cancel, goesOn: false)
        for pieces in cuts(bytes) {
            #expect(try Outcome.of(pieces, bodyBytesMax: 10) == cut, "\(pieces.map(\.count))")
        }
        let whole = try Outcome.of([bytes[...]], isClosed: true, bodyBytesMax: 11)
        #expect(whole.answer.isComplete)
        #expect(whole.answer.bodyBytes == 11)
    }

    @Test func `no setting has more than 1 GiB of a body waited for`() throws {
        var client = TestClient(bodyBytesMax: .max)
        let stream = try client.submit()
        client.write()
        client.receive("HTTP/1.1 200 x\r\ncontent-length: 2000000000\r\n\r\n")
        // 64 times 16 MiB.
        let piece = [UInt8](repeating: 97, count: 1 << 24)
        for _ in 0..<63 { client.receive(piece) }
        #expect(client.closed == [:])
        client.receive(piece + [97])
        #expect(client.closed == [1: .cancel])
        let answer = client.answer(to: stream)
        #expect(answer.status == 200 && !answer.isComplete && answer.bodyBytes == 1 << 30)
    }
}
