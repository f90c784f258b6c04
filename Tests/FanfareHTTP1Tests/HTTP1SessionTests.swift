import FanfareBase
import FanfareHTTP2
import Testing

@testable import FanfareHTTP1

/// One connection from its first request to its last.
@Suite struct HTTP1SessionTests {
    private static let accepted = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"

    @Test func `a connection says nothing before its first request`() {
        var client = TestClient()
        #expect(client.session.wantsWrite == false)
        #expect(client.write() == "")
        #expect(client.session.canOpenStreams == true)
    }

    @Test func `requests follow each other on one connection`() throws {
        var client = TestClient(fields: TestClient.postFields)
        var last: Int32 = 0
        for tag in 1...5 as ClosedRange<UInt32> {
            let stream = try client.submit(tag: tag, values: ["\(tag)", nil], body: [97])
            #expect(stream.id > last)
            last = stream.id
            #expect(client.write().hasPrefix("POST /3/device/\(tag) HTTP/1.1\r\n"))
            #expect(client.receive("HTTP/1.1 21\(tag) x\r\napns-id: \(tag)\r\n") == nil)
            #expect(client.answer(to: stream) == .none)
            #expect(client.receive("content-length: 1\r\n\r\n\(tag)") == nil)
            #expect(
                client.answer(to: stream)
                    == Answer(
                        status: UInt16(210 + tag), messageID: "\(tag)", body: Array("\(tag)".utf8)))
            #expect(client.closed[tag] == .noError)
            client.session.release(stream)
        }
        #expect(client.session.canOpenStreams == true)
        #expect(client.closed.count == 5)
    }

    @Test func `a second request waits for the first one's end and release`() throws {
        var client = TestClient()
        let stream = try client.submit()
        #expect(client.refusal() == .noMoreRequests)
        client.write()
        #expect(client.refusal() == .noMoreRequests)
        client.receive(Self.accepted)
        #expect(client.refusal() == .noMoreRequests)
        client.session.release(stream)
        #expect(client.refusal() == nil)
    }

    @Test func `an answer of an earlier request is not the next one's`() throws {
        var client = TestClient()
        let first = try client.submit()
        client.write()
        client.receive(
            "HTTP/1.1 429 x\r\nretry-after: 5\r\napns-id: A\r\ndate: D\r\ncontent-length: 2\r\n\r\nab"
        )
        client.session.release(first)
        let second = try client.submit(tag: 2)
        #expect(client.answer(to: second) == .none)
        client.write()
        client.receive("HTTP/1.1 204 x\r\n\r\n")
        #expect(client.answer(to: second) == Answer(204, ""))
    }

    // MARK: The last answer

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n",
    ])
    func `behind the last answer no request is taken`(text: String) throws {
        var client = TestClient()
        let stream = try client.submit()
        client.write()
        client.receive(text)
        #expect(client.closed == [1: .noError])
        #expect(client.session.canOpenStreams == false)
        client.session.release(stream)
        #expect(client.refusal() == .noMoreRequests)
        #expect(client.receive("anything") == nil)
    }

    // RFC 9112 §8
    @Test func `an answer that ends with its connection is whole if the end was clean`() throws {
        for isClean in [true, false] {
            var client = TestClient()
            let stream = try client.submit()
            client.write()
            client.receive("HTTP/1.1 200 OK\r\n\r\nab")
            #expect(client.closed.isEmpty)
            client.end(isClean: isClean)
            #expect(client.closed == (isClean ? [1: .noError] : [:]))
            #expect(
                client.answer(to: stream)
                    == Answer(isComplete: isClean, body: [97, 98]))
        }
    }

    // RFC 9112 §9.5
    @Test func `a connection that ends without an answer proves nothing of what was written`()
        throws
    {
        for bodyBytes in [0, 100] {
            for limit in [0, 1, 1000] {
                var client = TestClient(fields: TestClient.postFields)
                let stream = try client.submit(
                    values: ["x", nil], body: [UInt8](repeating: 97, count: bodyBytes))
                client.write(limit: limit)
                client.end(isClean: true)
                #expect(client.closed.isEmpty)
                #expect(client.answer(to: stream) == .none)
                #expect(client.session.canOpenStreams == false)
                let isWhole = limit > 0 && bodyBytes == 0 || limit == 1000
                #expect(
                    client.session.written(stream)
                        == (limit == 0
                            ? .nothing : isWhole ? .whole(end: client.written.count) : .part))
                // Nothing goes to a peer that has left, before it had the beginning.
                if limit == 0 { #expect(client.session.wantsWrite == false) }
            }
        }
    }

    // MARK: Bytes without a request

    // RFC 9112 §9.2
    @Test func `an answer without a question ends the connection`() throws {
        var client = TestClient()
        #expect(client.receive("HTTP/1.1 408 x\r\n") == .unsolicited)
        #expect(client.session.canOpenStreams == false)
        #expect(client.receive("more") == nil)
    }

    @Test func `an answer before a byte of the request is not its answer`() throws {
        var client = TestClient()
        let stream = try client.submit()
        #expect(client.receive(Self.accepted) == .unsolicited)
        #expect(client.answer(to: stream) == .none)
        #expect(client.session.written(stream) == .nothing)
        #expect(client.closed.isEmpty)
        #expect(client.session.wantsWrite == false)
    }

    // Written bytes may wait for the transport.
    @Test func `an answer before a byte of the request has left is not its answer`() throws {
        var client = TestClient()
        let stream = try client.submit()
        client.write()
        #expect(client.receive(Array(Self.accepted.utf8), hasLeft: false) == .unsolicited)
        #expect(client.answer(to: stream) == .none)
        #expect(client.closed.isEmpty)
        #expect(client.session.canOpenStreams == false)
        #expect(client.receive(Self.accepted) == nil)
        #expect(client.answer(to: stream) == .none)
    }

    @Test func `what follows an answer ends the connection, and the answer counts`() throws {
        for rest in ["\r\n", "a", Self.accepted] {
            for isSplit in [false, true] {
                var client = TestClient()
                let stream = try client.submit()
                client.write()
                if isSplit {
                    #expect(client.receive(Self.accepted) == nil)
                    #expect(client.receive(rest) == .unsolicited)
                } else {
                    #expect(client.receive(Self.accepted + rest) == .unsolicited)
                }
                #expect(client.closed == [1: .noError])
                #expect(client.answer(to: stream) == Answer())
                #expect(client.session.canOpenStreams == false)
            }
        }
    }

    @Test func `an answer that breaks HTTP behind its head takes the status back`() throws {
        var client = TestClient()
        let stream = try client.submit()
        client.write()
        client.receive("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\na\r\n")
        #expect(client.answer(to: stream).status == 200)
        #expect(client.receive("x") == nil)
        #expect(client.receive("\r\n") == .chunkSize)
        #expect(client.answer(to: stream) == .none)
        #expect(client.closed == [1: .protocolError])
        #expect(client.session.canOpenStreams == false)
    }

    // MARK: Answers before the request has left

    @Test func `an answer before the end of the request is taken, and is the last`() throws {
        var client = TestClient(fields: TestClient.postFields)
        let stream = try client.submit(
            values: ["x", nil], body: [UInt8](repeating: 97, count: 500))
        client.write(limit: 300)
        client.receive("HTTP/1.1 413 x\r\ncontent-length: 0\r\n\r\n")
        #expect(client.closed == [1: .noError])
        #expect(client.answer(to: stream) == Answer(413, ""))
        #expect(client.session.written(stream) == .part)
        #expect(client.session.wantsWrite == false)
        #expect(client.session.canOpenStreams == false)
    }

    // RFC 9112 §9.5: only who closes does not want the rest.
    @Test func `a request is sent to its end unless its answer says that it is the last`() throws {
        for closes in [false, true] {
            var client = TestClient(fields: TestClient.postFields)
            let stream = try client.submit(
                values: ["x", nil], body: [UInt8](repeating: 97, count: 500))
            client.write(limit: 300)
            // An interim answer is not yet one.
            client.receive("HTTP/1.1 100 x\r\n\r\n")
            #expect(client.session.canOpenStreams == true)
            client.receive(
                "HTTP/1.1 200 x\r\n\(closes ? "connection: close\r\n" : "")content-length: 1\r\n\r\n"
            )
            #expect(client.session.wantsWrite == !closes)
            #expect(client.session.canOpenStreams == false)
            client.write()
            #expect(
                client.session.written(stream)
                    == (closes ? .part : .whole(end: client.written.count)))
            client.receive("a")
            #expect(client.closed == [1: .noError])
            #expect(client.session.canOpenStreams == false)
        }
    }

    // MARK: Writing

    @Test func `a request is written in pieces of any size`() throws {
        let body = Array(String(repeating: "0123456789", count: 50).utf8)
        var whole = TestClient(fields: TestClient.postFields)
        try whole.submit(values: ["x", "y"], body: body)
        whole.write()
        for size in [1, 7, 250, 499, 500] {
            var client = TestClient(fields: TestClient.postFields)
            let stream = try client.submit(values: ["x", "y"], body: body)
            #expect(client.session.written(stream) == .nothing)
            // The head is one piece; after it each write has so many bytes.
            while client.session.wantsWrite {
                let piece = client.write(limit: size)
                #expect(!piece.isEmpty)
                let isWhole = client.written.count == whole.written.count
                #expect(
                    client.session.written(stream)
                        == (isWhole ? .whole(end: client.written.count) : .part))
            }
            #expect(client.written == whole.written)
        }
        #expect(whole.written.suffix(500) == body[...])
    }

    @Test func `the end of a request counts what was written before it`() throws {
        var client = TestClient()
        let first = try client.submit()
        client.write()
        client.receive(Self.accepted)
        client.session.release(first)
        let before = client.written.count
        let second = try client.submit(tag: 2)
        client.write()
        #expect(client.session.written(second) == .whole(end: 2 * before))
    }

    @Test func `nothing is written into a buffer that is full`() throws {
        var client = TestClient()
        try client.submit()
        var buffer = ByteBuffer()
        buffer.append("0123")
        #expect(client.session.write(into: &buffer, limit: 4) == 0)
        let head = "GET /hello.txt HTTP/1.1\r\nhost: www.example.com\r\n\r\n"
        #expect(client.session.write(into: &buffer, limit: 5) == head.utf8.count)
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == "0123" + head)
        let stream = StreamHandle(id: 1, slot: 0)
        #expect(client.session.written(stream) == .whole(end: head.utf8.count))
    }

    // MARK: Resets

    @Test func `a request that was written ends with its connection when it is taken back`() throws
    {
        var client = TestClient()
        let stream = try client.submit()
        client.write()
        client.session.reset(stream)
        client.receive("")
        #expect(client.closed == [1: .cancel])
        #expect(client.session.written(stream) == .whole(end: client.written.count))
        #expect(client.session.canOpenStreams == false)
        // A late answer belongs to no request.
        #expect(client.receive(Self.accepted) == nil)
        #expect(client.answer(to: stream) == .none)
        // Once is enough.
        client.session.reset(stream)
        client.receive("")
        #expect(client.events.count == 1)
    }

    @Test func `a request that was not written is taken back for nothing`() throws {
        var client = TestClient()
        let stream = try client.submit()
        client.session.reset(stream)
        client.receive("")
        #expect(client.closed == [1: .cancel])
        #expect(client.session.written(stream) == .nothing)
        #expect(client.session.wantsWrite == false)
        #expect(client.session.canOpenStreams == true)
        client.session.release(stream)
        try client.submit(tag: 2)
        #expect(client.write().hasPrefix("GET /"))
    }

    @Test func `a request that is over is not taken back in place of the next one`() throws {
        var client = TestClient()
        let first = try client.submit()
        client.write()
        client.receive(Self.accepted)
        client.session.release(first)
        try client.submit(tag: 2)
        client.write()
        client.session.reset(first)
        client.receive(Self.accepted)
        #expect(client.closed == [1: .noError, 2: .noError])
    }

    @Test func `a status that has come counts when its request is taken back`() throws {
        var client = TestClient()
        let stream = try client.submit()
        client.write()
        client.receive("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nab")
        client.session.reset(stream)
        #expect(client.answer(to: stream) == Answer(isComplete: false, body: [97, 98]))
    }

    @Test func `HEAD has answers without content, one after the other`() throws {
        var fields = TestClient.getFields
        fields[0] = HeaderField(":method", "HEAD")
        var client = TestClient(fields: fields)
        for tag in 1...3 as ClosedRange<UInt32> {
            let stream = try client.submit(tag: tag)
            client.write()
            #expect(client.receive("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n") == nil)
            #expect(client.closed[tag] == .noError)
            client.session.release(stream)
        }
    }

    @Test func `long lines leave no memory behind`() throws {
        var client = TestClient()
        for tag in 1...3 as ClosedRange<UInt32> {
            let stream = try client.submit(tag: tag)
            client.write()
            let line = "x: " + String(repeating: "y", count: 60_000)
            for piece in [line, "\r\ncontent-length: 0\r\n", "\r\n"] {
                #expect(
                    client.receive(piece.hasPrefix("x") ? "HTTP/1.1 200 OK\r\n" + piece : piece)
                        == nil)
            }
            client.session.release(stream)
        }
        #expect(client.session.heldBytes < 8 * 1024)
    }
}
