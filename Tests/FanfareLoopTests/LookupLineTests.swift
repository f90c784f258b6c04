import FanfareBase
import Testing

@testable import FanfareLoop

/// The order of look-ups, on a clock of ours.
@Suite struct LookupLineTests {
    private var line = LookupLine(LookupPlaces(most: 16))
    private let start = Instant(nanoseconds: 0)

    /// Takes all names for which there are threads.
    private mutating func take(at now: Instant) -> [String] {
        var names: [String] = []
        while let name = line.next(now: now) { names.append(name) }
        return names
    }

    private func after(_ seconds: Int64) -> Instant { start.advanced(by: .seconds(seconds)) }

    /// Asks for names one after the other, each of which takes so long.
    private mutating func ask(_ names: [String], seconds: Int64) {
        for name in names {
            line.add(name)
            #expect(line.next(now: start) == name)
            line.ended(name, now: after(seconds))
        }
    }

    @Test mutating func `12 of 16 look-ups are for names of which nothing is known`() {
        let names = (1...14).map { "n\($0)" }
        for name in names { line.add(name) }
        #expect(take(at: start) == Array(names[..<12]))
        line.ended("n3", now: start)
        #expect(take(at: start) == ["n13"])
        line.ended("n1", now: start)
        line.ended("n13", now: start)
        #expect(take(at: start) == ["n14"])
        #expect(line.runningCount == 11)
    }

    @Test(arguments: [0, 1, 2])
    func `there is a look-up for each kind, however few there are`(most: Int) {
        for seconds in [Int64(0), 2] {
            var line = LookupLine(LookupPlaces(most: most))
            line.add("a")
            #expect(line.next(now: start) == "a")
            line.ended("a", now: after(seconds))
            line.add("a")
            #expect(line.next(now: start) == "a")
        }
    }

    @Test mutating func `64 slow names leave 14 of 16 look-ups to the quick ones`() {
        let slow = (1...64).map { "s\($0)" }
        let quick = (1...17).map { "q\($0)" }
        ask(slow, seconds: 30)
        ask(quick, seconds: 0)
        for name in slow { line.add(name) }
        #expect(take(at: start) == ["s1", "s2"])
        for name in quick { line.add(name) }
        #expect(take(at: start) == Array(quick[..<14]))
        line.add("new")
        #expect(take(at: start) == [])
        line.ended("q1", now: start)
        #expect(take(at: start) == ["q15"])
        for name in quick[1...6] { line.ended(name, now: start) }
        #expect(take(at: start) == ["q16", "q17", "new"])
        line.ended("s2", now: after(30))
        #expect(take(at: start) == ["s3"])
    }

    @Test mutating func `a name that is quick again is a quick one, and the other way round`() {
        ask(["a", "b", "c"], seconds: 1)
        for name in ["a", "b", "c"] { line.add(name) }
        #expect(take(at: start) == ["a", "b"])
        line.ended("a", now: start)
        line.ended("b", now: after(1))
        #expect(take(at: start) == ["c"])
        line.add("b")
        line.add("a")
        // Two slow ones: `c` runs, and `b` has the other thread.
        #expect(take(at: start) == ["b", "a"])
        line.ended("a", now: after(2))
        line.add("a")
        #expect(take(at: start) == [])
    }

    @Test mutating func `a name is asked once at a time`() {
        for _ in 0..<3 { line.add("a") }
        #expect(take(at: start) == ["a"])
        line.add("a")
        #expect(take(at: start) == [])
        line.ended("a", now: start)
        #expect(take(at: start) == [])
        line.add("a")
        #expect(take(at: start) == ["a"])
    }

    @Test mutating func `a name that leaves the line is passed over, and one that runs stays`() {
        ask(["slow"], seconds: 2)
        for name in (1...13).map({ "n\($0)" }) + ["slow"] { line.add(name) }
        #expect(take(at: start) == (1...12).map { "n\($0)" })
        for name in ["n1", "n13", "slow", "never"] { line.remove(name) }
        #expect(line.runningCount == 12)
        line.ended("n1", now: start)
        line.ended("n2", now: start)
        #expect(take(at: start) == [])
        line.add("n13")
        #expect(take(at: start) == ["n13"])
    }

    @Test func `two lines share the places, and one that is cleared gives its own back`() {
        let places = LookupPlaces(most: 4)
        var (first, second) = (LookupLine(places), LookupLine(places))
        for name in ["a", "b", "c", "d"] { first.add(name) }
        second.add("a")
        #expect((0..<4).map { _ in first.next(now: start) } == ["a", "b", "c", nil])
        #expect(second.next(now: start) == nil)
        first.ended("b", now: start)
        #expect(second.next(now: start) == "a")
        #expect(first.next(now: start) == nil)
        // "b" is a quick one now, for which the last quarter is kept.
        first.add("b")
        #expect(first.next(now: start) == "b")
        first.clear()
        #expect(first.runningCount == 0 && first.next(now: start) == nil)
        for name in ["e", "f", "g"] { second.add(name) }
        #expect((0..<3).map { _ in second.next(now: start) } == ["e", "f", nil])
    }

    @Test mutating func `so many names are remembered and no more`() {
        for number in 0..<LookupLine.namesKnownMax { ask(["n\(number)"], seconds: 2) }
        #expect(line.knownCount == LookupLine.namesKnownMax)
        ask(["n1"], seconds: 2)
        #expect(line.knownCount == LookupLine.namesKnownMax)
        ask(["new"], seconds: 2)
        #expect(line.knownCount == 1)
    }
}
