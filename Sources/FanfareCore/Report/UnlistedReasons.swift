import FanfareBase

/// A count of rows by outcome, status and a reason's text, for a bounded number of texts.
///
/// Texts after the first `Limits.unlistedReasonsMax` different ones are counted as `other`, by
/// outcome.
struct UnlistedReasons: Sendable {
    private struct Entry: Sendable {
        var hash: UInt64
        var outcome: Outcome
        var status: UInt16
        var reason: [UInt8]
        var count: UInt64
    }

    private var entries: [Entry] = []
    private var others = [UInt64](repeating: 0, count: Outcome.count)

    mutating func record(
        _ outcome: Outcome, status: UInt16, reason: UnsafeBufferPointer<UInt8>, count: UInt64 = 1
    ) {
        let hash = unsafe Self.hash(reason)
        for index in entries.indices
        where unsafe entries[index].hash == hash && entries[index].outcome == outcome
            && entries[index].status == status && entries[index].reason.elementsEqual(reason)
        {
            entries[index].count += count
            return
        }
        if entries.count < Limits.unlistedReasonsMax {
            unsafe entries.append(
                Entry(
                    hash: hash, outcome: outcome, status: status, reason: Array(reason),
                    count: count))
        } else {
            others[Int(outcome.rawValue)] += count
        }
    }

    mutating func merge(_ other: UnlistedReasons) {
        for entry in other.entries {
            unsafe entry.reason.withUnsafeBufferPointer {
                unsafe record(entry.outcome, status: entry.status, reason: $0, count: entry.count)
            }
        }
        for index in others.indices {
            others[index] += other.others[index]
        }
    }

    /// Takes away what was counted here before; a text that found no room is among the others.
    mutating func subtract(_ part: UnlistedReasons) {
        for gone in part.entries {
            let place = entries.firstIndex {
                $0.hash == gone.hash && $0.outcome == gone.outcome && $0.status == gone.status
                    && $0.reason == gone.reason
            }
            let count = place.map { min(entries[$0].count, gone.count) } ?? 0
            if let place { entries[place].count -= count }
            let rest = gone.count - count
            others[Int(gone.outcome.rawValue)] -= min(rest, others[Int(gone.outcome.rawValue)])
        }
        for index in others.indices { others[index] -= min(part.others[index], others[index]) }
        entries.removeAll { $0.count == 0 }
    }

    var counts: [Tally.ReasonCount] {
        var counts = entries.map {
            Tally.ReasonCount(
                outcome: $0.outcome, status: $0.status,
                reason: String(decoding: $0.reason, as: UTF8.self), count: $0.count)
        }
        for outcome in Outcome.allCases where others[Int(outcome.rawValue)] > 0 {
            counts.append(
                Tally.ReasonCount(
                    outcome: outcome, status: 0, reason: "other",
                    count: others[Int(outcome.rawValue)]))
        }
        return counts
    }

    /// Returns the FNV-1a hash of 64 bits, by which equal texts are looked for first.
    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for index in bytes.indices {
            hash = unsafe (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
        }
        return hash
    }
}
