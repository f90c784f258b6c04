import FanfareBase

@testable import FanfareCore

/// A walk through all states of a small job, each once.
///
/// It keeps of a state what leads to it, and no more: the step, and the state before it.
struct SmallJobSearch {
    private struct Place {
        var before: UInt32
        var step: UInt16
    }

    let shape: SmallJob.Shape
    /// It ends after so many states.
    let statesMax: Int
    private(set) var states = 0
    private(set) var steps = 0
    /// States in which the job is finished.
    private(set) var finished = 0
    /// True if it has seen all states.
    private(set) var isComplete = false
    private(set) var failures: [String] = []

    private var known: [UInt128: UInt32] = [:]
    private var places: [Place] = []
    /// Each step as a pair of states, for the way back from the ends; empty if that is not asked for.
    private var edges: [(from: UInt32, to: UInt32)] = []
    private var ends: [UInt32] = []
    private let checksEnds: Bool
    /// True if it is to find the shortest ways, which takes more memory.
    var isBroad = false

    /// - Parameters:
    ///   - shape: The job.
    ///   - statesMax: The bound of the states.
    ///   - checksEnds: True if each state is to have a way to the end of the job: that takes eight bytes for each step.
    init(_ shape: SmallJob.Shape, statesMax: Int, checksEnds: Bool) {
        self.shape = shape
        self.statesMax = statesMax
        self.checksEnds = checksEnds
    }

    mutating func run() {
        var pending: [(job: SmallJob, number: UInt32)] = []
        let first = SmallJob(shape)
        _ = note(first, Place(before: 0, step: 0))
        pending.append((first, 0))
        var at = 0
        while at < pending.count {
            // The first one first for short stories, or the last one first, so that few states wait.
            let (job, number) = isBroad ? pending[at] : pending.removeLast()
            if isBroad { at += 1 }
            if states >= statesMax || !failures.isEmpty { return }
            for (index, event) in job.events.enumerated() {
                guard let next = job.after(event) else { continue }
                steps += 1
                let place = Place(before: number, step: UInt16(index))
                let (found, isNew) = note(next, place)
                if checksEnds { edges.append((number, found)) }
                guard isNew else { continue }
                if let violation = next.violation {
                    failures.append(violation + "\n" + story(of: found))
                } else if !next.isFinished {
                    pending.append((next, found))
                }
            }
        }
        isComplete = true
        if checksEnds { checkEnds() }
    }

    private mutating func note(_ job: SmallJob, _ place: Place) -> (number: UInt32, isNew: Bool) {
        let hash = CanonicalForm(job).hash
        if let found = known[hash] { return (found, false) }
        let number = UInt32(states)
        known[hash] = number
        places.append(place)
        states += 1
        if job.isFinished {
            finished += 1
            ends.append(number)
        }
        return (number, true)
    }

    /// Looks for states from which no step leads to the end.
    private mutating func checkEnds() {
        // Sorted by where they lead to, the steps are lists of the states before each state.
        var first = [UInt32](repeating: 0, count: states + 1)
        for edge in edges { first[Int(edge.to) + 1] += 1 }
        for index in 1...states { first[index] += first[index - 1] }
        var room = first
        var before = [UInt32](repeating: 0, count: edges.count)
        for edge in edges {
            before[Int(room[Int(edge.to)])] = edge.from
            room[Int(edge.to)] += 1
        }
        var canEnd = [Bool](repeating: false, count: states)
        var pending = ends
        for end in ends { canEnd[Int(end)] = true }
        while let state = pending.popLast() {
            for index in first[Int(state)]..<first[Int(state) + 1] {
                let earlier = before[Int(index)]
                guard !canEnd[Int(earlier)] else { continue }
                canEnd[Int(earlier)] = true
                pending.append(earlier)
            }
        }
        guard let stuck = canEnd.firstIndex(of: false) else { return }
        let count = canEnd.count { !$0 }
        failures.append(
            "I8: from \(count) states the job cannot end\n" + story(of: UInt32(stuck)))
    }

    /// The steps that lead to a state.
    private func story(of state: UInt32) -> String {
        var steps: [UInt16] = []
        var number = state
        while number != 0 {
            steps.append(places[Int(number)].step)
            number = places[Int(number)].before
        }
        var job = SmallJob(shape)
        var lines: [String] = []
        for step in steps.reversed() {
            let event = job.events[Int(step)]
            guard let next = job.after(event) else { break }
            lines.append("\(event)")
            job = next
        }
        return lines.joined(separator: "\n")
    }
}
