import FanfareBase
import FanfareHTTP2
import FanfareTestSupport
import Testing

@testable import FanfareHTTP1

/// Answers behind others on one connection: what was heard before makes no difference.
@Suite struct KnownHeadTests {
    /// The outcome of the last one of some answers on one connection, each of which is cut in two.
    private func last(_ answers: [[UInt8]], cutAt cut: Int? = nil) throws -> Outcome {
        var client = TestClient()
        var outcome = Outcome()
        for (number, bytes) in answers.enumerated() {
            let tag = UInt32(number)
            let stream = try client.submit(tag: tag)
            client.write()
            outcome = Outcome()
            let middle = min(cut ?? bytes.count, bytes.count)
            for piece in [bytes[..<middle], bytes[middle...]] where !piece.isEmpty {
                if outcome.fault == nil { outcome.fault = client.receive(piece) }
            }
            outcome.answer = client.answer(to: stream)
            outcome.code = client.closed[tag]
            outcome.goesOn = client.session.canOpenStreams
            if outcome.code != nil { client.session.release(stream) }
        }
        return outcome
    }

    private static let kept = Message.good.filter {
        !$0.isHead && !$0.isClosed && $0.outcome.goesOn && $0.outcome.code != nil
            && $0.bytes.count < 2000
    }

    @Test(arguments: kept)
    func `an answer means the same behind any other`(before: Message) throws {
        let next = (Message.good + Message.bad).filter {
            !$0.isHead && !$0.isClosed && $0.bytes.count < 2000
        }
        for message in next {
            let outcome = try last([before.bytes, message.bytes])
            #expect(outcome == message.outcome)
        }
        for count in 2...3 {
            let outcome = try last(Array(repeating: before.bytes, count: count))
            #expect(outcome == before.outcome)
        }
    }

    @Test func `a head that is known may come in pieces`() throws {
        let text =
            "HTTP/1.1 200 OK\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\napns-id: 7\r\n"
            + "retry-after: 3\r\ncontent-length: 2\r\n\r\nok"
        let answer = Answer(
            messageID: "7", retryAfter: "3", date: "Sun, 06 Nov 1994 08:49:37 GMT",
            body: Array("ok".utf8))
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            #expect(try last([bytes, bytes, bytes], cutAt: cut) == .whole(answer), "\(cut)")
        }
    }

    @Test func `fields of the answer before are not lent with the next one`() throws {
        let first = Array("HTTP/1.1 200 OK\r\napns-id: 7\r\ncontent-length: 0\r\n\r\n".utf8)
        var client = TestClient()
        let stream = try client.submit(tag: 1)
        client.write()
        client.receive(first)
        #expect(client.answer(to: stream) == Answer(messageID: "7"))
        client.session.release(stream)
        let next = try client.submit(tag: 2)
        client.write()
        #expect(client.answer(to: next) == .none)
        client.receive("HTTP/1.1 200 OK\r\n")
        #expect(client.answer(to: next) == .none)
        client.receive("content-length: 0\r\n\r\n")
        #expect(client.answer(to: next) == Answer())
    }

    @Test func `a known head begins an answer with another body`() throws {
        let head = "HTTP/1.1 200 OK\r\napns-id: 7\r\ncontent-length: 3\r\n\r\n"
        let bodies = ["abc", "def"].map { Array((head + $0).utf8) }
        #expect(
            try last(bodies) == .whole(Answer(messageID: "7", body: Array("def".utf8))))
        // Chunks end in trailers, which count toward the same bounds as the head.
        let fields = String(repeating: "x: y\r\n", count: 100)
        let chunked = "HTTP/1.1 200 x\r\ntransfer-encoding: chunked\r\n\(fields)\r\n1\r\na\r\n0\r\n"
        let (good, bad) = (
            chunked + String(repeating: "x: y\r\n", count: 27) + "\r\n",
            chunked + String(repeating: "x: y\r\n", count: 28) + "\r\n"
        )
        #expect(try last([Array(good.utf8), Array(good.utf8)]) == .whole(Answer(200, "a")))
        #expect(try last([Array(good.utf8), Array(bad.utf8)]) == .refused(.tooManyFields))
    }

    @Test func `an answer that says close does so each time`() throws {
        let closing = Array(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n".utf8)
        let open = Array("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".utf8)
        #expect(try last([open, open, closing]) == .whole(Answer(), goesOn: false))
    }

    @Test func `numbers of a quota are heard from each answer`() throws {
        var session = HTTP1Session(quota: QuotaFields(remaining: "left", reset: "reset"))
        let headers = RequestHeaders(TestClient.getFields)
        let answer = Array(
            "HTTP/1.1 200 OK\r\nleft: 5\r\nreset: 60\r\ncontent-length: 0\r\n\r\n".utf8)
        for _ in 0..<2 {
            let stream = try session.submit(
                headers, values: UnsafeBufferPointer(start: nil, count: 0), body: .empty, tag: 1)
            var buffer = ByteBuffer()
            session.write(into: &buffer, limit: 1 << 20)
            let copy = UnsafeMutableRawBufferPointer.allocate(
                byteCount: answer.count, alignment: 1)
            defer { copy.deallocate() }
            copy.copyBytes(from: answer)
            try session.receive(UnsafeRawBufferPointer(copy))
            let quota = session.takeQuota()
            #expect(quota.remaining == 5 && quota.reset == 60)
            _ = session.nextEvent()
            session.release(stream)
        }
    }

    @Test func `a head of more than 2 KiB is read each time`() throws {
        let field = "x: \(String(repeating: "y", count: 3000))\r\n"
        let bytes = Array("HTTP/1.1 200 OK\r\n\(field)content-length: 1\r\n\r\na".utf8)
        #expect(try last([bytes, bytes]) == .whole(Answer(200, "a")))
    }
}
