import FanfareCore

extension FuzzTarget {
    /// The system's data about a time zone.
    static let zone = FuzzTarget("zone") { bytes throws(Violation) in
        guard let rules = try? TimeZoneRules(tzif: bytes) else { return }
        let starts: [Int64] = [
            .min, -1 << 62, -1 << 40, -1, 0, 1_700_000_000, 1 << 33, 1 << 45, 1 << 62, .max - 1,
        ]
        for start in starts {
            var moment = start
            for _ in 0..<8 {
                let offset = rules.offset(at: moment)
                try Violation.check(
                    (-700_000...700_000).contains(offset), "an offset of \(offset) s")
                guard let next = rules.nextTransition(after: moment) else { break }
                try Violation.check(next > moment, "the next transition is before \(moment)")
                moment = next
            }
        }
    }
}
