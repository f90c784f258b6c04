import Testing

@testable import FanfareHTTP2

@Suite struct StreamTableTests {
    @Test func `it is a dictionary, whichever streams stay`() {
        var random = SplitMix(state: 1)
        for capacity in [1, 16, 100] {
            var table = StreamTable(capacity: capacity)
            var expected: [Int32: UInt32] = [:]
            var next: Int32 = 1
            for _ in 0..<20_000 {
                if expected.count < capacity && Bool.random(using: &random) {
                    let slot = UInt32.random(in: 0..<1000, using: &random)
                    table.insert(next, slot: slot)
                    expected[next] = slot
                    // Some ids are never sent.
                    next += 2 * Int32.random(in: 1..<4, using: &random)
                } else if let id = expected.keys.sorted().randomElement(using: &random) {
                    table.remove(id)
                    table.remove(id)
                    expected[id] = nil
                }
                let id = Int32.random(in: max(1, next - 40)..<next + 3, using: &random)
                #expect(table.slot(of: id) == expected[id])
            }
            for (id, slot) in expected { #expect(table.slot(of: id) == slot) }
        }
    }

    /// With one home for all of them this would be eight thousand million steps, and in a table without
    /// a free place those for a stream that is not there would have no end.
    @Test(.timeLimit(.minutes(5)))
    func `streams have homes of their own`() {
        let count = 1 << 17 as Int32
        var table = StreamTable(capacity: Int(count))
        for index in 0..<count { table.insert(2 * index + 1, slot: UInt32(index)) }
        #expect((0..<count).allSatisfy { table.slot(of: 2 * $0 + 1) == UInt32($0) })
        for index in 0..<count { table.remove(2 * index + 1) }
        #expect((0..<count).allSatisfy { table.slot(of: 2 * $0 + 1) == nil })
    }

    @Test func `places of answers are distinct, and used again`() {
        var places = AnswerPlaces(capacity: 4, bodyLimit: 100)
        let first = (0..<4).map { _ in places.take() }
        #expect(Set(first) == [0, 1, 2, 3])
        for place in first {
            places.messageID(place).update(
                repeating: UInt8(place), count: AnswerPlaces.messageIDBytes)
            places.retryAfter(place).update(
                repeating: UInt8(place), count: AnswerPlaces.retryAfterBytes)
            places.date(place).update(repeating: UInt8(place), count: AnswerPlaces.dateBytes)
            places.body(place).update(repeating: UInt8(place), count: 100)
        }
        for place in first {
            #expect(places.messageID(place)[AnswerPlaces.messageIDBytes - 1] == UInt8(place))
            #expect(places.retryAfter(place)[AnswerPlaces.retryAfterBytes - 1] == UInt8(place))
            #expect(places.date(place)[AnswerPlaces.dateBytes - 1] == UInt8(place))
            #expect(places.body(place)[99] == UInt8(place))
        }
        places.giveBack(2)
        // A stream without places has none to give back.
        places.giveBack(AnswerPlaces.none)
        #expect(places.take() == 2)
    }

    /// FCM's answers have up to 8 KiB, of which nearly all use a hundred bytes: 256 connections with a
    /// hundred of them each are to take tens of megabytes and not hundreds.
    @Test func `long bodies move to memory of their own, and short ones stay near each other`() {
        var places = AnswerPlaces(capacity: 100, bodyLimit: 8192)
        let atFirst = places.allocatedBytes
        #expect(atFirst <= 100 * 384)
        let (short, long) = (places.take(), places.take())
        let body = places.body(short, of: 0, growingTo: 256)
        body.update(repeating: 7, count: 256)
        places.date(long).update(repeating: 5, count: AnswerPlaces.dateBytes)
        for kept in stride(from: 0, to: 8192, by: 512) {
            let body = places.body(long, of: kept, growingTo: kept + 512)
            (body + kept).update(repeating: UInt8(kept / 512), count: 512)
        }
        #expect(places.allocatedBytes == atFirst + 8192)
        #expect((0..<8192).allSatisfy { places.body(long)[$0] == UInt8($0 / 512) })
        #expect((0..<256).allSatisfy { places.body(short)[$0] == 7 })
        #expect(places.date(long)[AnswerPlaces.dateBytes - 1] == 5)
        places.giveBack(long)
        #expect(places.allocatedBytes == atFirst)
        #expect(places.take() == long)
        places.body(long, of: 0, growingTo: 1)[0] = 3
        #expect(places.body(long)[0] == 3)
        #expect(places.allocatedBytes == atFirst)
    }

    /// A list of dead tokens is answered by FCM with some 500 bytes a row: no page for each.
    @Test func `a body of a few hundred bytes takes no more than a few hundred`() {
        var places = AnswerPlaces(capacity: 100, bodyLimit: 8192)
        let atFirst = places.allocatedBytes
        for _ in 0..<100 {
            let place = places.take()
            places.body(place, of: 0, growingTo: 200)[0] = UInt8(place)
            places.body(place, of: 200, growingTo: 500)[499] = 1
        }
        #expect(places.allocatedBytes == atFirst + 100 * 640)
        #expect((0..<100 as Range<UInt32>).allSatisfy { places.body($0)[0] == UInt8($0) })
        for place in 0..<100 as Range<UInt32> { places.giveBack(place) }
        #expect(places.allocatedBytes == atFirst)
    }

    @Test(arguments: [1, 255, 256, 257, 640, 641, 1025, 5000, 8192, 9000], [1, 200, 700, 9000])
    func `a body is kept up to the limit, whatever frames it comes in`(
        count: Int, frame: Int
    ) throws {
        var client = TestClient(ClientSessionConfiguration(responseBodyBytes: 8192))
        try client.receive([.settings()])
        let stream = try client.submit(tag: 1)
        client.write()
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try client.receive([.headers(1, [(":status", "404")])])
        for start in stride(from: 0, to: count, by: frame) {
            let end = min(start + frame, count)
            let flags = end == count ? Frame.endStream : 0
            try client.receive([
                Frame(.data, flags: flags, stream: 1, Array(body[start..<end]))
            ])
        }
        let response = client.session.response(stream)
        #expect(response.isComplete)
        #expect(response.bodyBytes == UInt64(count))
        #expect(Array(response.body) == Array(body.prefix(8192)))
    }

    @Test func `the ends of streams can be seen coming`() throws {
        var client = TestClient()
        try client.receive([.settings()])
        for tag in 10..<13 as Range<UInt32> { try client.submit(tag: tag) }
        client.write()
        var bytes: [UInt8] = []
        for id in [5, 1, 3] as [Int32] {
            bytes += Frame.headers(id, [(":status", "200")], endStream: true).bytes
        }
        try bytes.withUnsafeBytes { try client.session.receive($0) }
        #expect((0..<4).map { client.session.tagOfEnd($0) } == [12, 10, 11, nil])
        _ = client.session.nextEvent()
        #expect((0..<3).map { client.session.tagOfEnd($0) } == [10, 11, nil])
        client.drain()
        #expect(client.session.tagOfEnd(0) == nil)
    }

    @Test func `streams leave a queue from anywhere`() {
        let streams = UnsafeMutablePointer<ClientStream>.allocate(capacity: 8)
        streams.initialize(repeating: ClientStream(), count: 8)
        defer { streams.deallocate() }
        var random = SplitMix(state: 2)
        var queue = StreamQueue()
        var expected: [UInt32] = []
        for _ in 0..<5000 {
            let slot = UInt32.random(in: 0..<8, using: &random)
            if let place = expected.firstIndex(of: slot) {
                queue.remove(slot, in: streams)
                expected.remove(at: place)
            } else {
                queue.append(slot, in: streams)
                expected.append(slot)
            }
            #expect(queue.first == expected.first ?? StreamQueue.none)
            #expect(queue.isEmpty == expected.isEmpty)
        }
        while let first = expected.first {
            #expect(queue.first == first)
            queue.remove(first, in: streams)
            expected.removeFirst()
        }
        #expect(queue.isEmpty)
    }
}
