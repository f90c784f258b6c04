import FanfareBase
import FanfareHTTP2
import FanfareTestSupport
import Testing

@testable import FanfareHTTP1

/// Ours and a second, slow reader, with messages that are right, nearly right and wrong.
@Suite struct ReferenceTests {
    /// The verdict that both readers can give of an answer, in the words of one.
    private static func verdict(
        of pieces: [ArraySlice<UInt8>], isHead: Bool, isClosed: Bool
    ) throws -> (verdict: StrictHTTP1.Verdict, hasFault: Bool) {
        let outcome = try Outcome.of(pieces, isHead: isHead, isClosed: isClosed)
        let status = Int(outcome.answer.status)
        let hasFault = outcome.fault != nil
        switch outcome.code {
        case .noError where outcome.answer.isComplete:
            // Bytes behind an answer are no fault of it.
            let isLast = hasFault ? outcome.fault != .unsolicited : !outcome.goesOn
            return (
                .whole(status: status, body: outcome.answer.body, isLast: isLast, used: 0), hasFault
            )
        case nil where !hasFault:
            return (.unfinished(status: status, body: outcome.answer.body), false)
        default:
            // Nothing of it may count.
            #expect(outcome.answer == .none)
            return (.refused, hasFault)
        }
    }

    private static func compare(
        _ bytes: [UInt8], _ pieces: [ArraySlice<UInt8>], isHead: Bool, isClosed: Bool
    ) throws -> StrictHTTP1.Verdict? {
        let expected = StrictHTTP1.read(bytes, isHead: isHead, isClosed: isClosed)
        let (found, hasFault) = try verdict(of: pieces, isHead: isHead, isClosed: isClosed)
        switch (expected, found) {
        case (.whole(let status, let body, let isLast, let used), .whole(let s, let b, let l, _)):
            let isEqual =
                status == s && body.prefix(4096) == b[...] && (isLast == l || isClosed && !hasFault)
            // Behind an answer that is not the last nothing may come.
            return isEqual && hasFault == (used < bytes.count && !isLast) ? expected : nil
        case (.unfinished(let status, let body), .unfinished(let s, let b)):
            return status == s && body.prefix(4096) == b[...] ? expected : nil
        case (.refused, .refused): return expected
        default: return nil
        }
    }

    @Test(arguments: Message.good + Message.bad)
    func `both say the same of known messages`(message: Message) throws {
        let verdict = try Self.compare(
            message.bytes, [message.bytes[...]], isHead: message.isHead, isClosed: message.isClosed)
        #expect(verdict != nil)
    }

    /// Bytes that change what a message is.
    private static let words = [
        "\r\n", "\n", "\r", " ", "\t", ":", ",", ";", "0", "1", "9", "a", "\u{0}", "\u{7F}", "=",
        "\"",
        "content-length: 3\r\n", "Content-Length: 10\r\n", "transfer-encoding: chunked\r\n",
        "Transfer-Encoding: gzip\r\n", "connection: close\r\n", "Connection: keep-alive, close\r\n",
        "x: y\r\n", "HTTP/1.1 100 x\r\n\r\n", "HTTP/1.1 204 x\r\n", "HTTP/1.0 200 OK\r\n",
        "\r\n\r\n",
        "3\r\nabc\r\n", "0\r\n\r\n", "5;x=y\r\n", "FFFFFFFFFFFFFFFF", " : ", "chunked", "close",
    ].map { Array($0.utf8) }

    private static func mutated(
        _ bytes: [UInt8], using generator: inout SplitMix64
    ) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let place = Int.random(in: 0...bytes.count, using: &generator)
            let end = min(place + Int.random(in: 1...6, using: &generator), bytes.count)
            switch Int.random(in: 0..<7, using: &generator) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: place)
            case 2 where place < bytes.count:
                bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 3 where place < bytes.count:
                bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
            case 4: bytes.removeSubrange(place...)
            case 5:
                // A line twice, or somewhere else.
                let lines = bytes.split(separator: 10).map { Array($0) + [10] }
                bytes.insert(contentsOf: lines.randomElement(using: &generator) ?? [], at: place)
            default:
                let word = words[Int.random(in: 0..<words.count, using: &generator)]
                bytes.insert(contentsOf: word, at: place)
            }
        }
        return bytes
    }

    private static func pieces(
        _ bytes: [UInt8], using generator: inout SplitMix64
    ) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var rest = bytes[...]
        let most = [1, 5, 100, 100_000][Int.random(in: 0..<4, using: &generator)]
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...most, using: &generator))
            pieces.append(piece)
            rest = rest.dropFirst(piece.count)
        }
        return pieces
    }

    @Test func `both say the same of messages that are nearly right`() throws {
        let known = (Message.good + Message.bad).filter { $0.bytes.count < 2000 }
        var counts = (refused: 0, unfinished: 0, whole: 0)
        for seed in 0..<5000 as Range<UInt64> {
            var generator = SplitMix64(seed: seed)
            let message = known[Int.random(in: 0..<known.count, using: &generator)]
            let bytes = Self.mutated(message.bytes, using: &generator)
            let verdict = try Self.compare(
                bytes, Self.pieces(bytes, using: &generator),
                isHead: Int.random(in: 0..<10, using: &generator) == 0,
                isClosed: Bool.random(using: &generator))
            switch verdict {
            case nil:
                let shown = String(decoding: bytes, as: UTF8.self).debugDescription
                Issue.record("seed \(seed): \(shown)")
                return
            case .refused: counts.refused += 1
            case .unfinished: counts.unfinished += 1
            case .whole: counts.whole += 1
            }
        }
        // Otherwise little was compared.
        #expect(min(counts.refused, counts.unfinished, counts.whole) > 250, "\(counts)")
    }
}
