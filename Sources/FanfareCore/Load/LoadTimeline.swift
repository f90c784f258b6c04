import FanfareBase

/// The events of each slot of time: a second at first, and wider as time goes on.
///
/// When all slots are used, the timeline joins neighbors, and each stands for twice the time: the
/// memory is the same for a minute and for a week.
package struct LoadTimeline: Equatable, Sendable {
    /// One slot.
    package struct Slot: Equatable, Sendable {
        /// Requests that started.
        package var started: UInt64 = 0
        /// Answers, of any status.
        package var answered: UInt64 = 0
        /// Answers of 400 and above, and attempts without one.
        package var errors: UInt64 = 0
        /// The longest response time, in nanoseconds.
        package var responseMax: Int64 = 0

        package init(
            started: UInt64 = 0, answered: UInt64 = 0, errors: UInt64 = 0, responseMax: Int64 = 0
        ) {
            self.started = started
            self.answered = answered
            self.errors = errors
            self.responseMax = responseMax
        }

        mutating func add(_ other: Slot) {
            started += other.started
            answered += other.answered
            errors += other.errors
            responseMax = max(responseMax, other.responseMax)
        }
    }

    /// The time that a slot stands for.
    package private(set) var secondsPerSlot: Int64 = 1
    package private(set) var slots: [Slot] = []

    /// Creates an empty timeline.
    package init() {}

    /// Adds to the slot of a moment.
    /// - Parameters:
    ///   - moment: The moment in nanoseconds from the beginning; an earlier one counts as the
    ///     beginning.
    ///   - other: The events of that moment.
    package mutating func add(at moment: Int64, _ other: Slot) {
        let second = max(moment, 0) / 1_000_000_000
        while second / secondsPerSlot >= Int64(Limits.loadTimelineSlots) { widen() }
        let index = Int(second / secondsPerSlot)
        while slots.count <= index { slots.append(Slot()) }
        slots[index].add(other)
    }

    /// Adds the events elsewhere in the same time.
    package mutating func merge(_ other: LoadTimeline) {
        var other = other
        while secondsPerSlot < other.secondsPerSlot { widen() }
        while other.secondsPerSlot < secondsPerSlot { other.widen() }
        while slots.count < other.slots.count { slots.append(Slot()) }
        for index in other.slots.indices { slots[index].add(other.slots[index]) }
    }

    private mutating func widen() {
        secondsPerSlot *= 2
        var merged: [Slot] = []
        for index in slots.indices {
            if index.isMultiple(of: 2) {
                merged.append(slots[index])
            } else {
                merged[index / 2].add(slots[index])
            }
        }
        slots = merged
    }
}
