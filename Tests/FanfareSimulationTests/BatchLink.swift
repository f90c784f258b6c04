import FanfareBase

@testable import FanfareCore

/// A connection of a simulated job in batches: what both sides have written, and the provider's view of it.
final class BatchLink {
    let place: Int
    var isOpen = false
    var isOver = false
    /// Bytes that were taken and have not arrived.
    var up: [UInt8] = []
    var down: [UInt8] = []
    /// Bytes until the link is cut.
    var upLeft = Int.max
    var downLeft = Int.max
    var isBlocked = false
    var isUpDue = false
    var isDownDue = false
    /// True if the provider writes nothing more, and closes behind what it has written.
    var providerLeaves = false
    /// The requests whose first bytes have left.
    var requests: [BatchLedger.Request] = []
    /// The request of which the rest is on its way, as far as it has left.
    private var leaving: [UInt8] = []
    /// The bytes that the provider has got and not dealt with.
    private var received: [UInt8] = []
    /// The number of requests that it has got.
    private(set) var receivedCount = 0
    /// The request that the client is being told of.
    var answering: BatchLedger.Request?

    init(place: Int) { self.place = place }

    /// Follows what leaves; one request is on its way at a time.
    func leaves(_ bytes: [UInt8], _ ledger: BatchLedger) {
        guard !bytes.isEmpty else { return }
        if leaving.isEmpty { requests.append(BatchLedger.Request()) }
        leaving += bytes
        let request = requests[requests.count - 1]
        for row in Self.rows(in: leaving).dropFirst(request.rows.count) {
            ledger.sends(row, in: request)
        }
        if Self.isWhole(leaving) { leaving = [] }
    }

    /// Takes what arrives at the provider.
    /// - Returns: The number of a request that is there as a whole now.
    func arrives(_ bytes: [UInt8]) -> Int? {
        received += bytes
        guard Self.isWhole(received) else { return nil }
        received = []
        receivedCount += 1
        return receivedCount - 1
    }

    /// True if bytes are a request with all of its body: one is on its way at a time.
    private static func isWhole(_ bytes: [UInt8]) -> Bool {
        guard let (head, body) = parts(bytes) else { return false }
        let field = head.split(separator: "\r\n").first {
            $0.lowercased().hasPrefix("content-length:")
        }
        let length = field.flatMap { Int($0.split(separator: " ").last ?? "") }
        return length == body.count
    }

    private static func parts(_ bytes: [UInt8]) -> (head: String, body: ArraySlice<UInt8>)? {
        let end = Array("\r\n\r\n".utf8)
        guard bytes.count >= 4,
            let place = (0...bytes.count - 4).first(where: { bytes[$0..<$0 + 4].elementsEqual(end) }
            )
        else { return nil }
        return (String(decoding: bytes[..<place], as: UTF8.self), bytes[(place + 4)...])
    }

    /// The rows whose tokens are in a request, as far as they are whole.
    private static func rows(in bytes: [UInt8]) -> [UInt64] {
        guard let (_, body) = parts(bytes) else { return [] }
        let text = String(decoding: body, as: UTF8.self)
        guard let list = text.components(behind: "\"to\":[") else { return [] }
        var pieces = list.split(separator: "\"", omittingEmptySubsequences: false)
        // Behind the last quote there is nothing, or a token without its end.
        pieces.removeLast()
        return pieces.compactMap { piece in
            piece.first == "t" ? UInt64(piece.dropFirst()) : nil
        }
    }
}

extension String {
    fileprivate func components(behind mark: String) -> Substring? {
        guard let range = firstRange(of: mark) else { return nil }
        return self[range.upperBound...]
    }
}
