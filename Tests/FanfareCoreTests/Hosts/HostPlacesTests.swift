import FanfareBase
import FanfareCore
import Testing

/// Hosts that share connections, on a clock of the test.
@Suite struct HostPlacesTests {
    private static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    /// A host, by what it does with each request.
    enum Kind: CaseIterable {
        /// It gives no answer, or never ends one: what it has sent does not matter.
        case silent
        case hangs
        case drips
        /// It answers 429 after 10 ms, and asks for a wait of 20 seconds, in each of five attempts.
        case asksToWait
        /// It asks for an hour, and is given up with its first answer.
        case asksForHours
        /// Its name servers do not answer.
        case nameless
        /// It answers after nine seconds, and has a hundred rows.
        case slow
        /// It answers after 10 ms.
        case honest
    }

    private struct Host {
        var kind: Kind
        var work: HostPlaces.Work
        /// The times that it will be asked.
        var requests = 1
        /// The time of its answer.
        var answer = Instant(nanoseconds: 0)
        var timesOut = 0
    }

    /// Hosts that are opened in the order of their rows, in steps of 10 ms.
    private struct World {
        let places: HostPlaces
        var turns = PlaceTurns()
        var open: [Host] = []
        var now = HostPlacesTests.at(0)
        /// The honest hosts that have answered.
        var honest = 0

        /// Opens hosts as long as there is room, and has those go on that have sat out.
        /// - Returns: The number of hosts that have a place now.
        mutating func step(opening kinds: ArraySlice<Kind>) -> Int {
            for index in open.indices { proceed(index) }
            var opened = 0
            for kind in kinds {
                var turns = turns
                let hasPlace = turns.placeNew(
                    isReturning: { firstReturning != nil }, makesRoom: { makeRoom() },
                    bringsBack: { bringBackFirst() })
                self.turns = turns
                guard hasPlace else { return opened }
                opened += 1
                let requests =
                    switch kind {
                    case .asksToWait: 5
                    case .nameless: 3
                    case .slow: 100
                    case .silent, .hangs, .drips, .asksForHours, .honest: 1
                    }
                open.append(Host(kind: kind, work: .apart, requests: requests))
                ask(open.count - 1)
            }
            while firstReturning != nil, makeRoom() { bringBackFirst() }
            return opened
        }

        private var firstReturning: Int? {
            var first: (index: Int, end: Instant)?
            for (index, host) in open.enumerated() {
                guard case .sittingOut(let end, _) = host.work, end <= now,
                    end < first?.end ?? .distantFuture
                else { continue }
                first = (index, end)
            }
            return first?.index
        }

        private mutating func bringBackFirst() {
            if let index = firstReturning { ask(index) }
        }

        private mutating func ask(_ index: Int) {
            open[index].work =
                open[index].kind == .nameless
                ? .lookedUp(since: now) : .asked(since: now, placed: now)
            answerLater(index)
        }

        private mutating func answerLater(_ index: Int) {
            let time: Duration =
                switch open[index].kind {
                case .silent, .hangs, .drips, .nameless: .seconds(30)
                case .slow: .seconds(9)
                case .asksToWait, .asksForHours, .honest: .milliseconds(10)
                }
            open[index].answer = now.advanced(by: time)
        }

        private mutating func proceed(_ index: Int) {
            let isLeaving: Bool
            var placed = now
            switch open[index].work {
            case .waiting(let end) where end <= now: return ask(index)
            case .asked(_, let since):
                isLeaving = false
                placed = since
            case .leaving: isLeaving = true
            default: return
            }
            guard open[index].answer <= now else { return }
            open[index].requests -= 1
            if open[index].kind == .honest { honest += 1 }
            if open[index].requests == 0 {
                open[index].work = .idle(since: now)
            } else if open[index].kind == .asksToWait {
                open[index].work = .waiting(until: now.advanced(by: .seconds(20)))
            } else if isLeaving {
                sitOut(index, until: now)
            } else {
                open[index].work = .asked(since: now, placed: placed)
                answerLater(index)
            }
        }

        private mutating func sitOut(_ index: Int, until end: Instant) {
            open[index].timesOut += 1
            open[index].work = .sittingOut(until: end, times: open[index].timesOut)
        }

        private mutating func makeRoom() -> Bool {
            while true {
                let count = open.count { host in
                    switch host.work {
                    case .sittingOut, .apart: false
                    case .idle, .waiting, .asked, .lookedUp, .leaving, .givenUp: true
                    }
                }
                #expect(count <= places.connectionsMax)
                let hosts = open.map { HostPlaces.Host($0.work) }
                switch places.room(connections: count, hosts: hosts, now: now) {
                case .open: return true
                case .wait: return false
                // A host that is gone keeps its place in the list.
                case .close(let index), .giveUp(let index, _), .dismiss(let index, _):
                    open[index].work = .apart
                case .endLookup(let index):
                    open[index].requests -= 1
                    open[index].work =
                        open[index].requests == 0
                        ? .apart : .waiting(until: now.advanced(by: .milliseconds(250)))
                case .sitOut(let index):
                    guard case .waiting(let end) = open[index].work else { return false }
                    sitOut(index, until: end)
                case .endTurn(let index):
                    guard case .asked(let since, _) = open[index].work else { return false }
                    open[index].work = .leaving(since: since)
                case .shrink: return false
                }
            }
        }
    }

    /// Opens all hosts of a list.
    /// - Returns: The time at which the last honest one has answered; `nil` if that is later than two minutes.
    private func lastHonest(_ kinds: [Kind], _ places: HostPlaces) -> Double? {
        var world = World(places: places)
        var pending = kinds[...]
        let honest = kinds.count { $0 == .honest }
        for step in 0..<12_000 {
            world.now = Self.at(Double(step) / 100)
            pending = pending.dropFirst(world.step(opening: pending))
            if world.honest == honest { return Double(step) / 100 }
        }
        return nil
    }

    /// One of each two or four connections has to be given up or left for an honest host.
    @Test(arguments: Kind.allCases.filter { $0 != .slow }, [64, 32])
    func `128 hostile hosts hold 20 honest ones up for a part of their time`(
        kind: Kind, connections: Int
    ) throws {
        let kinds = Array(repeating: kind, count: 128) + Array(repeating: Kind.honest, count: 20)
        let end = try #require(lastHonest(kinds, HostPlaces(connectionsMax: connections)))
        let flights = Double(128 / connections)
        switch kind {
        // Each flight is given up after ten seconds.
        case .silent, .hangs, .drips, .slow:
            #expect(end >= 10 * flights && end < 10 * flights + 0.1)
        // Each flight leaves after three seconds. From the third on, half of it are such that try again.
        case .nameless:
            let time = 3 * (flights <= 2 ? flights : 2 + 2 * (flights - 2))
            #expect(end >= time && end < time + 0.1)
        // A flight takes a step, or two.
        case .asksToWait, .asksForHours, .honest:
            #expect(end <= 0.02 * Double(148 / connections + 1))
        }
    }

    /// Their time is over after ten seconds, so that 32 leave with each second answer, after 18 seconds.
    ///
    /// The half of their places is for hosts that have sat out: so the 32 further slow ones take two times 18 seconds.
    @Test func `hosts with many rows that answer slowly leave their places to others`() throws {
        let kinds = Array(repeating: Kind.slow, count: 64) + Array(repeating: .honest, count: 20)
        let end = try #require(lastHonest(kinds, HostPlaces(connectionsMax: 32)))
        #expect(end >= 54 && end < 54.5)
    }

    @Test func `hosts that wait for 20 s give way though there are more of them than connections`()
        throws
    {
        let kinds =
            Array(repeating: Kind.asksToWait, count: 128) + Array(repeating: .honest, count: 20)
        let end = try #require(lastHonest(kinds, HostPlaces(connectionsMax: 4)))
        // 37 flights of four, of two steps at most.
        #expect(end <= 37 * 0.02)
    }

    @Test(arguments: [1, 4])
    func `a host that has sat out gets a place though new ones come without end`(connections: Int) {
        var world = World(places: HostPlaces(connectionsMax: connections))
        _ = world.step(opening: [.asksToWait])
        let honest = Array(repeating: Kind.honest, count: 8)
        // Its five answers are 20 s from each other; the last one comes a few steps after 80 s.
        for step in 1...8020 {
            world.now = Self.at(Double(step) / 100)
            _ = world.step(opening: honest[...])
            // Those that are done need not be looked at any more.
            world.open.removeAll { $0.kind == .honest && $0.work == .apart }
        }
        #expect(world.open.first?.kind == .asksToWait && world.open.first?.requests == 0)
        #expect(world.honest > 4000)
    }

    @Test func `a host that waits to be looked up or has news is left alone`() {
        let places = HostPlaces(connectionsMax: 1)
        #expect(
            places.room(connections: 1, hosts: [HostPlaces.Host(.apart)], now: Self.at(1000))
                == .wait)
    }

    @Test
    func
        `a host whose name is looked up for three seconds gives way before one that owes an answer`()
    {
        let places = HostPlaces(connectionsMax: 3)
        let works: [HostPlaces.Work] = [
            .asked(since: Self.at(0), placed: Self.at(0)), .lookedUp(since: Self.at(9)),
            .lookedUp(since: Self.at(8)),
        ]
        func room(_ more: HostPlaces.Work..., at seconds: Double) -> HostPlaces.Action {
            places.room(
                connections: 3, hosts: (works + more).map { HostPlaces.Host($0) },
                now: Self.at(seconds))
        }
        #expect(room(at: 9.9) == .wait)
        #expect(room(at: 10.5) == .giveUp(0, after: .seconds(10.5)))
        #expect(room(at: 11) == .endLookup(2))
        #expect(room(.waiting(until: Self.at(20)), at: 11) == .sitOut(3))
    }

    @Test func `a host that owes an answer is given up before others have to leave`() {
        let places = HostPlaces(connectionsMax: 2)
        let busy = HostPlaces.Work.asked(since: Self.at(9), placed: Self.at(0))
        let silent = HostPlaces.Work.asked(since: Self.at(1), placed: Self.at(1))
        func room(_ works: HostPlaces.Work..., at seconds: Double) -> HostPlaces.Action {
            places.room(
                connections: 2, hosts: works.map { HostPlaces.Host($0) }, now: Self.at(seconds))
        }
        #expect(room(busy, silent, at: 9.9) == .wait)
        #expect(room(busy, silent, at: 10) == .endTurn(0))
        #expect(room(busy, silent, at: 11) == .giveUp(1, after: .seconds(10)))
        #expect(room(.leaving(since: Self.at(9)), silent, at: 10.5) == .wait)
        #expect(
            room(.leaving(since: Self.at(0)), silent, at: 10.5) == .giveUp(0, after: .seconds(10.5))
        )
    }

    @Test func `the host with the most connections leaves one first`() {
        let places = HostPlaces(connectionsMax: 6)
        let waiting = HostPlaces.Work.waiting(until: Self.at(9))
        let asked = HostPlaces.Work.asked(since: Self.at(1), placed: Self.at(1))
        func room(_ hosts: [(HostPlaces.Work, Int)]) -> HostPlaces.Action {
            places.room(
                connections: 6, hosts: hosts.map { HostPlaces.Host($0.0, connections: $0.1) },
                now: Self.at(2))
        }
        #expect(room([(asked, 2), (asked, 3), (waiting, 1)]) == .shrink(1))
        #expect(room([(asked, 3), (asked, 2), (.idle(since: Self.at(1)), 1)]) == .close(2))
        #expect(room([(asked, 1), (waiting, 1), (asked, 1)]) == .sitOut(1))
    }

    @Test func `a host that has sat out most often is given up when too many sit out`() {
        let places = HostPlaces(connectionsMax: 1, sittingOutMax: 3)
        func room(_ works: HostPlaces.Work..., at seconds: Double = 1) -> HostPlaces.Action {
            places.room(
                connections: 1, hosts: works.map { HostPlaces.Host($0) }, now: Self.at(seconds))
        }
        func out(until seconds: Double, times: Int) -> HostPlaces.Work {
            .sittingOut(until: Self.at(seconds), times: times)
        }
        let waiting = HostPlaces.Work.waiting(until: Self.at(30))
        let three = [out(until: 5, times: 2), out(until: 9, times: 1), out(until: 7, times: 2)]
        #expect(room(three[0], three[1], three[2], waiting) == .dismiss(2, waiting: .seconds(6)))
        #expect(room(three[0], three[1], .givenUp, waiting) == .wait)
        #expect(room(three[0], three[1], .apart, waiting) == .sitOut(3))
        // Those whose time has come are as good as any.
        #expect(
            room(three[0], three[1], three[2], waiting, at: 8) == .dismiss(1, waiting: .seconds(1)))
        #expect(room(three[0], three[1], three[2], waiting, at: 9) == .wait)
    }
}
