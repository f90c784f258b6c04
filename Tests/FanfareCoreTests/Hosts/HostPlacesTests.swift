import FanfareBase
import FanfareCore
import Testing

/// Hosts that share connections, on a clock of the test.
@Suite struct HostPlacesTests {
    private static func at(_ seconds: Double) -> Instant {
        Instant(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    /// A host of one row, by what it does with each request.
    enum Kind: CaseIterable {
        /// It gives no answer, or never ends one: what it has sent does not matter.
        case silent
        case hangs
        case drips
        /// It answers 429 after 10 ms, and asks for a wait of 20 seconds, in each of five attempts.
        case asksToWait
        /// It asks for an hour, and is given up with its first answer.
        case asksForHours
        /// It answers after 10 ms.
        case honest
    }

    private struct Host {
        var kind: Kind
        var work: HostPlaces.Work
        var attempts = 1
        /// The time of its answer.
        var answer: Instant
    }

    /// Opens hosts in the order of their rows, in steps of 10 ms.
    /// - Returns: The time at which the last honest host has answered; `nil` if that is later than two minutes.
    private func lastHonest(_ kinds: [Kind], _ places: HostPlaces) -> Double? {
        var pending = kinds[...]
        var open: [Host] = []
        var honest = kinds.count { $0 == .honest }
        for step in 0..<12_000 {
            let now = Self.at(Double(step) / 100)
            for index in open.indices { Self.proceed(&open[index], now, &honest) }
            if honest == 0 { return Double(step) / 100 }
            for index in open.indices {
                guard case .sittingOut(let end) = open[index].work, end <= now else { continue }
                guard makeRoom(&open, places, now) else { break }
                if case .sittingOut = open[index].work { Self.ask(&open[index], now) }
            }
            while let kind = pending.first, makeRoom(&open, places, now) {
                pending.removeFirst()
                var host = Host(kind: kind, work: .apart, answer: now)
                Self.ask(&host, now)
                open.append(host)
            }
        }
        return nil
    }

    private static func ask(_ host: inout Host, _ now: Instant) {
        host.work = .asked(since: now)
        let silence = Duration.seconds(30)
        let isPrompt = [.asksToWait, .asksForHours, .honest].contains(host.kind)
        host.answer = now.advanced(by: isPrompt ? .milliseconds(10) : silence)
    }

    private static func proceed(_ host: inout Host, _ now: Instant, _ honest: inout Int) {
        switch host.work {
        case .waiting(let end) where end <= now: ask(&host, now)
        case .asked where host.answer <= now:
            if host.kind == .honest { honest -= 1 }
            if host.kind == .asksToWait, host.attempts < 5 {
                host.attempts += 1
                host.work = .waiting(until: now.advanced(by: .seconds(20)))
            } else {
                host.work = .idle(since: now)
            }
        default: break
        }
    }

    private func makeRoom(_ open: inout [Host], _ places: HostPlaces, _ now: Instant) -> Bool {
        while true {
            let count = open.count { host in
                switch host.work {
                case .sittingOut, .apart: false
                case .idle, .waiting, .asked, .givenUp: true
                }
            }
            #expect(count <= places.connectionsMax)
            switch places.room(connections: count, works: open.map(\.work), now: now) {
            case .open: return true
            case .wait: return false
            // A host that is gone keeps its place in the list, so that the loop above may go on.
            case .close(let index), .giveUp(let index, _), .dismiss(let index, _):
                open[index].work = .apart
            case .sitOut(let index):
                guard case .waiting(let end) = open[index].work else { return false }
                open[index].work = .sittingOut(until: end)
            }
        }
    }

    @Test(arguments: Kind.allCases)
    func `128 hostile hosts hold 20 honest ones up for less than five seconds`(
        kind: Kind
    ) throws {
        let kinds = Array(repeating: kind, count: 128) + Array(repeating: Kind.honest, count: 20)
        let end = try #require(lastHonest(kinds, HostPlaces(connectionsMax: 512)))
        // Dials and answers take a step each, and there is a connection for each host.
        #expect(end <= 0.05)
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

    @Test func `hosts that give no answer are given up after ten seconds where others wait`()
        throws
    {
        let kinds =
            Array(repeating: Kind.silent, count: 128) + Array(repeating: .honest, count: 20)
        let end = try #require(lastHonest(kinds, HostPlaces(connectionsMax: 64)))
        // Two flights of silent ones, in place of 30 seconds each.
        #expect(end > 20 && end < 20.1)
    }

    @Test func `the host that waits longest is given up when too many sit out`() {
        let places = HostPlaces(connectionsMax: 1, sittingOutMax: 2)
        let works: [HostPlaces.Work] = [
            .sittingOut(until: Self.at(5)), .sittingOut(until: Self.at(9)),
            .waiting(until: Self.at(3)),
        ]
        #expect(
            places.room(connections: 1, works: works, now: Self.at(1))
                == .dismiss(1, waiting: .seconds(8)))
        let fewer: [HostPlaces.Work] = [
            .sittingOut(until: Self.at(5)), .givenUp, .waiting(until: Self.at(3)),
        ]
        #expect(places.room(connections: 1, works: fewer, now: Self.at(1)) == .wait)
        #expect(
            places.room(
                connections: 1, works: [fewer[0], .apart, fewer[2]], now: Self.at(1)) == .sitOut(2))
    }
}
