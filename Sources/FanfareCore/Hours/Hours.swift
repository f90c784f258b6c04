import FanfareBase

/// The hours of a day at which notifications may be sent, by the clock of a place.
package struct Hours: Equatable, Sendable {
    /// The most edges and jumps of a clock that the search for the next change of a window looks
    /// at.
    ///
    /// Between two edges there is hardly ever more than one jump.
    private static let stepsMax = 64

    /// Seconds since midnight; the window ends before `closes`, on the next day if that is earlier.
    package let opens: Int64
    package let closes: Int64

    /// - Parameters:
    ///   - opens: Minutes since midnight, 0 to 1439.
    ///   - closes: Minutes since midnight, 0 to 1440, and not the same.
    package init(opensMinute opens: Int, closesMinute closes: Int) {
        precondition((0..<1440).contains(opens) && (0...1440).contains(closes) && opens != closes)
        self.opens = Int64(opens) * 60
        self.closes = Int64(closes) * 60
    }

    /// The state at a moment, and the end of that state.
    package struct State: Equatable, Sendable {
        package var isOpen: Bool
        /// The end of the state in UNIX seconds.
        package var until: Int64
    }

    /// Returns the state at a moment.
    ///
    /// The time that a clock on the wall shows counts: where it jumps over the opening, the window
    /// opens with the jump, and hours that come twice are in the window both times.
    /// - Parameters:
    ///   - moment: UNIX seconds.
    ///   - zone: The zone of the clock.
    /// - Returns: The state, and the first moment after that with the other one.
    package func state(at moment: Int64, in zone: TimeZoneRules) -> State {
        let isOpen = contains(moment + zone.offset(at: moment))
        var now = moment
        // Each step is a day of the clock's or one of its jumps: a handful.
        for _ in 0..<Self.stepsMax {
            let offset = zone.offset(at: now)
            let change = now + secondsToChange(now + offset, isOpen: isOpen)
            guard let jump = zone.nextTransition(after: now), jump <= change else {
                return State(isOpen: isOpen, until: change)
            }
            if contains(jump + zone.offset(at: jump)) != isOpen {
                return State(isOpen: isOpen, until: jump)
            }
            now = jump
        }
        return State(isOpen: isOpen, until: now)
    }

    private func contains(_ local: Int64) -> Bool {
        let time = local - CivilDay.day(of: local) * 86_400
        return opens < closes
            ? (opens..<closes).contains(time) : time >= opens || time < closes
    }

    /// Returns the time that a clock without jumps takes to the edge that changes the state.
    private func secondsToChange(_ local: Int64, isOpen: Bool) -> Int64 {
        let time = local - CivilDay.day(of: local) * 86_400
        let edge = (isOpen ? closes : opens) % 86_400
        return edge > time ? edge - time : edge + 86_400 - time
    }
}
