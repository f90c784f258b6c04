import FanfareBase
package import FanfareCore

/// Lanes with rows without end and one provider.
package struct ModelJob {
    /// The window that a lane goes by.
    package enum Window {
        case adaptive(AdaptiveWindow)
        case fixed(Int)

        var limit: Int {
            switch self {
            case .adaptive(let window): window.limit
            case .fixed(let limit): limit
            }
        }
    }

    private struct Event {
        var lane: Int
        var startedAt: Int64
        var isRefused: Bool
    }

    /// The figures from some moment on.
    package struct Observation {
        package var seconds = 0.0
        package var accepted = 0
        package var refused = 0
        package var latencies: [Int64] = []
        /// The sum of the lanes' limits, a thousand times a second.
        package var limits: [Int] = []

        /// Accepted requests a second.
        package var goodput: Double { Double(accepted) / seconds }
        package var refusedShare: Double { Double(refused) / Double(max(accepted + refused, 1)) }
        /// In milliseconds.
        package func percentile(_ share: Double) -> Double {
            guard !latencies.isEmpty else { return 0 }
            let sorted = latencies.sorted()
            return Double(sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]) / 1e6
        }
        package var meanLimit: Double { Double(limits.reduce(0, +)) / Double(limits.count) }
        /// The swing of the limit about its middle, as a share of it, but for the moments of
        /// probes: they are a twentieth of the time at most.
        package var swing: Double {
            let sorted = limits.sorted()
            guard let most = sorted.last else { return 0 }
            let least = sorted[sorted.count / 20]
            return Double(most - least) / Double(most + least)
        }
    }

    package var provider: ModelProvider
    package private(set) var windows: [Window]
    package private(set) var now: Int64 = 0
    /// Requests that each lane may start in a second.
    package var pace = Double.infinity

    private var inFlight: [Int]
    private var events = EventQueue<Event>()
    private var started: [Int]

    package init(_ provider: ModelProvider, _ windows: [Window] = [.adaptive(AdaptiveWindow())]) {
        self.provider = provider
        self.windows = windows
        inFlight = Array(repeating: 0, count: windows.count)
        started = Array(repeating: 0, count: windows.count)
    }

    /// The sum of the limits.
    package var limit: Int { windows.reduce(0) { $0 + $1.limit } }

    /// Lets time pass, and tells what happens meanwhile.
    package mutating func run(seconds: Double) -> Observation {
        var seen = Observation()
        seen.seconds = seconds
        let end = now + Int64(seconds * 1e9)
        var sample = now
        fill()
        while now < end {
            let due = events.nextDue?.nanoseconds ?? .max
            let next = min(due, sample, end)
            now = next
            if next == sample {
                seen.limits.append(limit)
                sample += 1_000_000
                // A pace without an answer that would wake the lane.
                fill()
            }
            guard due == next, let event = events.popFirst()?.event else { continue }
            ended(event, &seen)
            fill(event.lane)
        }
        return seen
    }

    private mutating func ended(_ event: Event, _ seen: inout Observation) {
        inFlight[event.lane] -= 1
        let latency = now - event.startedAt
        if event.isRefused {
            seen.refused += 1
        } else {
            provider.answered()
            seen.accepted += 1
            seen.latencies.append(latency)
        }
        guard case .adaptive(var window) = windows[event.lane] else { return }
        if event.isRefused {
            window.refused(now: Instant(nanoseconds: now))
        } else {
            window.answered(after: latency, now: Instant(nanoseconds: now))
        }
        windows[event.lane] = .adaptive(window)
    }

    private mutating func fill() {
        for lane in windows.indices { fill(lane) }
    }

    private mutating func fill(_ lane: Int) {
        while inFlight[lane] < windows[lane].limit {
            guard Double(started[lane]) <= pace * Double(now) / 1e9 else { return }
            started[lane] += 1
            inFlight[lane] += 1
            if case .adaptive(var window) = windows[lane] {
                window.started(inFlight: inFlight[lane])
                windows[lane] = .adaptive(window)
            }
            let (due, isRefused) = provider.answer(at: now)
            events.insert(
                Event(lane: lane, startedAt: now, isRefused: isRefused),
                at: Instant(nanoseconds: due))
        }
    }
}
