import FanfareCore

extension FuzzTarget {
    /// A peer's bytes to a client: how many requests wait, how large they are and how much is done
    /// in a turn, a byte each; then the bytes themselves.
    static let client = FuzzTarget("client", bytesMax: 8192) { bytes throws(Violation) in
        var input = InputReader(bytes)
        let (requests, bodyBytes, turn) = (input.byte() % 16, input.byte() * 16, input.byte() + 1)
        let peer = Array(input.rest)
        var first: FuzzedClient.Result?
        for pieces in Pieces.ways(peer) {
            let result = try listen(to: pieces, requests, bodyBytes)
            if let first, first != result {
                throw Violation("pieces make a difference: \(first) and \(result)")
            }
            first = first ?? result
        }
        try talk(to: peer, requests, bodyBytes, turn)
    }

    /// Everything is said before the peer is heard.
    private static func listen(
        to pieces: [ArraySlice<UInt8>], _ requests: Int, _ bodyBytes: Int
    ) throws(Violation) -> FuzzedClient.Result {
        var client = FuzzedClient()
        for _ in 0..<requests { try client.submit(bodyBytes: bodyBytes) }
        client.write(limit: 1 << 20)
        for piece in pieces { client.receive(piece) }
        try client.drain()
        client.write(limit: 1 << 20)
        try client.drain()
        return client.result
    }

    /// Both talk in turn, and what ends is followed by another request.
    private static func talk(
        to peer: [UInt8], _ requests: Int, _ bodyBytes: Int, _ turn: Int
    ) throws(Violation) {
        var client = FuzzedClient()
        var rest = peer[...]
        while !rest.isEmpty {
            while client.takesRequests, client.openCount < requests {
                try client.submit(bodyBytes: bodyBytes)
            }
            client.write(limit: turn * 8)
            client.receive(rest.prefix(turn))
            rest = rest.dropFirst(turn)
            try client.drain()
        }
    }
}
