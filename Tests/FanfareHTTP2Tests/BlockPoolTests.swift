import FanfareBase
import Testing

@testable import FanfareHTTP2
@testable import FanfareHTTP2Server

@Suite struct BlockPoolTests {
    @Test func `blocks of all sizes are apart, keep their bytes and are used again`() {
        var pool = BlockPool(byteLimit: 1 << 24)
        for round in 0..<3 {
            let blocks = (0..<600).map { index in
                let size = index * 17 % 6000
                let block = pool.allocate(size)
                block?.initializeMemory(as: UInt8.self, repeating: UInt8(index % 251), count: size)
                return block
            }
            for (index, block) in blocks.enumerated() {
                let bytes = UnsafeRawBufferPointer(start: block, count: index * 17 % 6000)
                #expect(bytes.allSatisfy { $0 == UInt8(index % 251) }, "round \(round)")
                #expect(UInt(bitPattern: block) % 16 == 0)
            }
            for block in blocks { pool.free(block) }
            #expect(pool.liveBlocks == 0)
        }
        let held = pool.heldBytes
        let again = pool.allocate(300)
        #expect(pool.heldBytes == held)
        pool.free(again)
    }

    @Test func `a block that grows keeps its bytes`() {
        var pool = BlockPool(byteLimit: 1 << 24)
        var block = pool.resize(nil, to: 10)
        block?.initializeMemory(as: UInt8.self, repeating: 7, count: 10)
        for size in [12, 100, 5000, 100_000] {
            block = pool.resize(block, to: size)
            #expect(UnsafeRawBufferPointer(start: block, count: 10).allSatisfy { $0 == 7 })
        }
        pool.free(block)
        #expect(pool.liveBlocks == 0)
    }

    @Test func `the bound holds for small and large blocks`() {
        var pool = BlockPool(byteLimit: 100_000)
        #expect(pool.allocate(200_000) == nil)
        var blocks: [UnsafeMutableRawPointer] = []
        while let block = pool.allocate(500) { blocks.append(block) }
        #expect(pool.heldBytes <= 100_000)
        for block in blocks { pool.free(block) }
    }

    @Test func `whichever allocation fails, an error is thrown and nothing is left`() {
        var succeeded = false
        var count = 0
        while !succeeded {
            count += 1
            precondition(count < 1000, "the dialogue never gets through")
            // The pool's end checks that no block outlives its session.
            var configuration = ServerSessionConfiguration()
            configuration.allocationsUntilFailure = count
            succeeded = (try? dialogue(configuration)) != nil
        }
        #expect(count > 10)
    }

    private func dialogue(_ configuration: ServerSessionConfiguration) throws(HTTP2Error) {
        var client = TestClient()
        var server = try TestServer(configuration)
        try exchange(&client, &server)
        for tag in 0..<3 as Range<UInt32> { try client.submit(tag: tag) }
        try exchange(&client, &server)
        for stream in server.requests {
            try server.respond(stream, fields: [("apns-id", "1")], body: "x")
        }
        try exchange(&client, &server)
        // A reset that found no memory ends no stream; the session says so at the next call.
        guard client.closed.count == 3 else { throw HTTP2Error(.outOfMemory, .us) }
        for tag in 0..<3 as Range<UInt32> { _ = client.takeAnswer(tag: tag) }
    }
}
