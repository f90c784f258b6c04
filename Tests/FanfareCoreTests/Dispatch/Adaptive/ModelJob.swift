import FanfareBase
import FanfareCore

/// Lanes with rows without end and one provider.
struct ModelJob {
    /// The window that a lane goes by.
    enum Window {
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
        var due: Int64
        var number: Int
        var lane: Int
        var startedAt: Int64
        var isRefused: Bool
    }

    /// The figures from some moment on.
    struct Observation {
        var seconds = 0.0
        var accepted = 0
        var refused = 0
        var latencies: [Int64] = []
        /// The sum of the lanes' limits, a thousand times a second.
        var limits: [Int] = []

        /// Accepted requests a second.
        var goodput: Double { Double(accepted) / seconds }
        var refusedShare: Double { Double(refused) / Double(max(accepted + refused, 1)) }
        /// In milliseconds.
        func percentile(_ share: Double) -> Double {
            guard !latencies.isEmpty else { return 0 }
            let sorted = latencies.sorted()
            return Double(sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]) / 1e6
        }
        var meanLimit: Double { Double(limits.reduce(0, +)) / Double(limits.count) }
        /// The swing of the limit about its middle, as a share of it, but for the moments of
        /// probes: they are a twentieth of the time at most.
        var swing: Double {
            let sorted = limits.sorted()
            guard let most = sorted.last else { return 0 }
            let least = sorted[sorted.count / 20]
            return Double(most - least) / Double(most + least)
        }
    }

    var provider: ModelProvider
    private(set) var windows: [Window]
    private(set) var now: Int64 = 0
    /// Requests that each lane may start in a second.
    var pace = Double.infinity

    private var inFlight: [Int]
    private var events = ModelQueue<Event> { ($0.due, $0.number) < ($1.due, $1.number) }
    private var number = 0
    private var started: [Int]

    init(_ provider: ModelProvider, _ windows: [Window] = [.adaptive(AdaptiveWindow())]) {
        self.provider = provider
        self.windows = windows
        inFlight = Array(repeating: 0, count: windows.count)
        started = Array(repeating: 0, count: windows.count)
    }

    /// The sum of the limits.
    var limit: Int { windows.reduce(0) { $0 + $1.limit } }

    /// Lets time pass, and tells what happens meanwhile.
    mutating func run(seconds: Double) -> Observation {
        var seen = Observation()
        seen.seconds = seconds
        let end = now + Int64(seconds * 1e9)
        var sample = now
        fill()
        while now < end {
            let due = events.first?.due ?? .max
            let next = min(due, sample, end)
            now = next
            if next == sample {
                seen.limits.append(limit)
                sample += 1_000_000
                // A pace without an answer that would wake the lane.
                fill()
            }
            guard due == next, let event = events.popFirst() else { continue }
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
            number += 1
            events.insert(
                Event(
                    due: due, number: number, lane: lane, startedAt: now, isRefused: isRefused))
        }
    }
}

/// A heap, the first one on top.
struct ModelQueue<Element> {
    private var heap: [Element] = []
    private let isBefore: (Element, Element) -> Bool

    init(_ isBefore: @escaping (Element, Element) -> Bool) {
        self.isBefore = isBefore
    }

    var count: Int { heap.count }

    var first: Element? { heap.first }

    mutating func insert(_ element: Element) {
        heap.append(element)
        var child = heap.count - 1
        while child > 0, isBefore(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    @discardableResult
    mutating func popFirst() -> Element? {
        guard let first = heap.first else { return nil }
        let last = heap.removeLast()
        guard !heap.isEmpty else { return first }
        heap[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in 2 * parent + 1...2 * parent + 2
            where child < heap.count && isBefore(heap[child], heap[least]) { least = child }
            guard least != parent else { return first }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
