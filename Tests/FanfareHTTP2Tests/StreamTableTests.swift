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
