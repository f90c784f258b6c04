import FanfareSystem
import Synchronization
import Testing

@Suite struct HandoffTests {
    @Test func `elements come out in the order they went in`() {
        let queue = Handoff<Int>(capacity: 3)
        for round in 0..<5 {
            #expect(queue.push(3 * round))
            #expect(queue.tryPush(3 * round + 1) == nil)
            #expect(queue.tryPush(3 * round + 2) == nil)
            #expect(queue.tryPush(-7) == -7)
            #expect(queue.count == 3)
            #expect(queue.pop() == 3 * round)
            #expect(queue.tryPop() == 3 * round + 1)
            #expect(queue.tryPop() == 3 * round + 2)
            #expect(queue.tryPop() == nil)
        }
    }

    @Test func `a queue that grows in the midst of its ring keeps the order`() {
        let queue = Handoff<Int>(capacity: 100)
        var (next, expected) = (0, 0)
        // The head is somewhere else each time that there is no place left.
        for count in [5, 40, 99] {
            for _ in 0..<3 {
                _ = queue.push(next)
                next += 1
                #expect(queue.pop() == expected)
                expected += 1
            }
            while queue.count < count {
                _ = queue.push(next)
                next += 1
            }
        }
        #expect(queue.tryPush(next) == nil)
        #expect(queue.tryPush(-1) == -1)
        while let element = queue.tryPop() {
            #expect(element == expected)
            expected += 1
        }
        #expect(expected == next + 1)
    }

    @Test func `the oldest element can be taken on a condition`() {
        let queue = Handoff<Int>(capacity: 2)
        #expect(queue.tryPop(if: { _ in true }) == nil)
        #expect(queue.push(1) && queue.push(2))
        #expect(queue.tryPop(if: { $0 == 2 }) == nil)
        #expect(queue.tryPop(if: { $0 == 1 }) == 1)
        #expect(queue.count == 1)
    }

    @Test func `a closed queue can be emptied and not filled`() {
        let queue = Handoff<Int>(capacity: 2)
        #expect(queue.push(1))
        queue.close()
        #expect(!queue.push(2))
        #expect(queue.tryPush(2) == 2)
        #expect(queue.pop() == 1)
        #expect(queue.pop() == nil)
    }

    @Test(arguments: [1, 2, 7])
    func `every element reaches exactly one of several threads`(capacity: Int) throws {
        let queue = Handoff<Int>(capacity: capacity)
        let perThread = 5000
        let sum = Counter()
        let count = Counter()
        let tooMany = Counter()
        let takers = try (0..<3).map { index in
            try WorkerThread(name: "taker \(index)", stackBytes: 256 * 1024) {
                while let number = queue.pop() {
                    sum.add(number)
                    count.add(1)
                    if queue.count > capacity { tooMany.add(1) }
                }
            }
        }
        let givers = try (0..<3).map { index in
            try WorkerThread(name: "giver \(index)") {
                for number in 0..<perThread { _ = queue.push(number) }
            }
        }
        for thread in givers { thread.join() }
        queue.close()
        for thread in takers { thread.join() }
        #expect(count.value == 3 * perThread)
        #expect(sum.value == 3 * perThread * (perThread - 1) / 2)
        #expect(tooMany.value == 0)
    }

    @Test func `closing ends the waiting on both sides`() throws {
        let empty = Handoff<Int>(capacity: 1)
        let full = Handoff<Int>(capacity: 1)
        #expect(full.push(0))
        let taker = try WorkerThread(name: "taker") { #expect(empty.pop() == nil) }
        let giver = try WorkerThread(name: "giver") { #expect(!full.push(1)) }
        empty.close()
        full.close()
        taker.join()
        giver.join()
    }
}

private final class Counter: Sendable {
    private let number = Atomic(0)

    func add(_ amount: Int) { number.wrappingAdd(amount, ordering: .relaxed) }
    var value: Int { number.load(ordering: .relaxed) }
}
