import FanfareBase
import FanfareHTTP2
import FanfareTestSupport

@testable import FanfareHTTP1

extension FuzzTarget {
    /// The answer of an HTTP/1.1 server to one request: a byte that says whether the method was
    /// HEAD and whether the connection ends behind it, then the server's bytes; a second reader
    /// must agree.
    static let answer = FuzzTarget("answer", bytesMax: 8192) { bytes throws(Violation) in
        var input = InputReader(bytes)
        let setting = input.byte()
        let (isHead, isClosed) = (setting & 1 != 0, setting & 2 != 0)
        let peer = Array(input.rest)
        var first: HeardAnswer?
        for pieces in Pieces.ways(peer) {
            let heard = try HeardAnswer(of: pieces, isHead: isHead, isClosed: isClosed)
            if let first, first != heard {
                throw Violation("pieces make a difference: \(first) and \(heard)")
            }
            first = first ?? heard
        }
        let expected = StrictHTTP1.read(peer, isHead: isHead, isClosed: isClosed)
        try Violation.check(
            first?.agrees(with: expected) ?? false,
            "\(peer): \(String(describing: first)), the other reader has \(expected)")
    }
}

/// A session's reading of a server's bytes behind one request.
private struct HeardAnswer: Equatable {
    private var status = 0
    private var isComplete = false
    private var body: [UInt8] = []
    private var bodyBytes: UInt64 = 0
    private var code: HTTP2ErrorCode?
    private var fault: HTTP1Error?
    private var goesOn = true

    init(
        of pieces: [ArraySlice<UInt8>], isHead: Bool, isClosed: Bool
    ) throws(Violation) {
        var session = HTTP1Session(responseBodyBytes: 1024)
        let headers = RequestHeaders([
            HeaderField(":method", isHead ? "HEAD" : "POST"), HeaderField(":scheme", "http"),
            HeaderField(":path", "/"), HeaderField(":authority", "example.com"),
        ])
        let none = UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>(start: nil, count: 0)
        guard let stream = try? session.submit(headers, values: none, body: .empty, tag: 7) else {
            throw Violation("a request is not taken")
        }
        var written = ByteBuffer()
        session.write(into: &written, limit: 1 << 20)
        for piece in pieces where fault == nil { fault = Self.receive(piece, in: &session) }
        if isClosed { session.endReceived(isClean: true) }
        while let event = session.nextEvent() {
            guard case .streamClosed(stream, 7, let code) = event else { continue }
            try Violation.check(self.code == nil, "a request ends twice")
            self.code = code
        }
        let answer = session.response(stream)
        (status, isComplete) = (Int(answer.status), answer.isComplete)
        (body, bodyBytes) = (Array(answer.body), answer.bodyBytes)
        goesOn = session.canOpenStreams
        try Violation.check(
            body.count <= 1024 && answer.messageID.count <= 36 && answer.retryAfter.count <= 40
                && session.date(stream).count <= 40,
            "more of an answer is kept than may be")
        try Violation.check(session.heldBytes < 1 << 18, "\(session.heldBytes) bytes are held")
        try Violation.check(fault == nil || !goesOn, "a connection goes on behind a fault")
    }

    private static func receive(
        _ piece: ArraySlice<UInt8>, in session: inout HTTP1Session
    ) -> HTTP1Error? {
        // Memory of exactly this size, so that reading beyond it shows.
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
        defer { copy.deallocate() }
        copy.copyBytes(from: piece)
        do throws(HTTP1Error) {
            try session.receive(UnsafeRawBufferPointer(copy))
            return nil
        } catch {
            return error
        }
    }

    func agrees(with expected: StrictHTTP1.Verdict) -> Bool {
        switch expected {
        case .refused:
            code == .protocolError && fault != nil && status == 0 && body.isEmpty
        case .unfinished(let status, let body):
            code == nil && fault == nil && self.status == status && !isComplete && has(body)
        case .whole(let status, let body, let isLast, _):
            code == .noError && self.status == status && isComplete && has(body)
                && (!isLast || !goesOn)
        }
    }

    private func has(_ body: [UInt8]) -> Bool {
        bodyBytes == UInt64(body.count) && self.body == Array(body.prefix(1024))
    }
}
