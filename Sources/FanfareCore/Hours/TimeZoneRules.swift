import FanfareBase

/// A time zone as the system's data has it: the offsets to UTC, and their beginnings.
///
/// RFC 9636 (TZif). The reader takes the second of a file's two blocks, with 64 bits to a moment;
/// behind its last transition the rule in the footer holds.
package struct TimeZoneRules: Equatable, Sendable {
    /// The moments at which the offset changes, in UNIX seconds, ascending; and the new offsets.
    private let transitions: [Int64]
    private let offsets: [Int32]
    /// The offset before the first transition.
    private let firstOffset: Int32
    /// The rule behind the last transition; `nil` if its offset stays.
    private let rule: TimeZoneRule?

    /// The fault of a file.
    package struct Fault: Error, Equatable {
        package let problem: String

        init(_ problem: String) { self.problem = problem }
    }

    /// Reads a file.
    package init(tzif bytes: [UInt8]) throws(Fault) {
        var reader = Reader(bytes: bytes[...])
        let first = try reader.header()
        guard first.version >= 2 else {
            throw Fault("is of version 1, which ends in the year 2037")
        }
        // Times of four bytes, kept for programs of the last century.
        try reader.skip(first.dataBytes(time: 4))
        let header = try reader.header()
        let times = try reader.integers(header.times, bytes: 8)
        let types = try reader.bytes(header.times)
        var typeOffsets: [Int32] = []
        for _ in 0..<header.types {
            let offset = try reader.integers(1, bytes: 4)[0]
            // A day and some more: RFC 9636 section 3.2.
            guard (-89_999...93_599).contains(offset) else { throw Fault("has no sane offset") }
            typeOffsets.append(Int32(offset))
            try reader.skip(2)
        }
        try reader.skip(header.chars + header.leaps * 12 + header.standards + header.universals)
        guard let standard = typeOffsets.first,
            types.allSatisfy({ Int($0) < typeOffsets.count }),
            zip(times, times.dropFirst()).allSatisfy({ $0 < $1 })
        else { throw Fault("is damaged") }
        transitions = times
        offsets = types.map { typeOffsets[Int($0)] }
        firstOffset = standard
        rule = try reader.footer()
    }

    /// Seconds to add to UTC at a moment.
    package func offset(at moment: Int64) -> Int64 {
        guard let last = transitions.last, moment < last else {
            if let rule { return rule.offset(at: moment) }
            return Int64(offsets.last ?? firstOffset)
        }
        let index = firstTransition(after: moment)
        return Int64(index == 0 ? firstOffset : offsets[index - 1])
    }

    /// Returns the first moment after another one at which the offset may change; `nil` if it never
    /// does.
    package func nextTransition(after moment: Int64) -> Int64? {
        let index = firstTransition(after: moment)
        if index < transitions.count { return transitions[index] }
        return rule?.nextTransition(after: moment)
    }

    private func firstTransition(after moment: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle] <= moment { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TimeZoneRules {
    private struct Header {
        var version: Int
        var universals = 0
        var standards = 0
        var leaps = 0
        var times = 0
        var types = 0
        var chars = 0

        func dataBytes(time: Int) -> Int {
            times * (time + 1) + types * 6 + chars + leaps * (time + 4) + standards + universals
        }
    }

    private struct Reader {
        /// The most transitions, types or letters of a zone's file that are believed: the largest of the
        /// real ones, Africa/Casablanca, has under 300 of them.
        private static let countMax = 10_000

        var bytes: ArraySlice<UInt8>

        mutating func bytes(_ count: Int) throws(Fault) -> ArraySlice<UInt8> {
            guard bytes.count >= count else { throw Fault("is cut off") }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func skip(_ count: Int) throws(Fault) { _ = try bytes(count) }

        /// Takes big-endian numbers in two's complement.
        mutating func integers(_ count: Int, bytes width: Int) throws(Fault) -> [Int64] {
            let all = Array(try bytes(count * width))
            return (0..<count).map { index in
                let number = all[index * width..<(index + 1) * width]
                    .reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
                return width == 8
                    ? Int64(bitPattern: number)
                    : Int64(Int32(truncatingIfNeeded: number))
            }
        }

        mutating func header() throws(Fault) -> Header {
            guard Array(try bytes(4)) == Array("TZif".utf8) else {
                throw Fault("is no file of time zone data")
            }
            let version = try bytes(16).first ?? 0
            let counts = try integers(6, bytes: 4).map(Int.init)
            guard counts.allSatisfy({ (0...Self.countMax).contains($0) }) else {
                throw Fault("is damaged")
            }
            return Header(
                version: version == 0 ? 1 : Int(version) - 48, universals: counts[0],
                standards: counts[1], leaps: counts[2], times: counts[3], types: counts[4],
                chars: counts[5])
        }

        mutating func footer() throws(Fault) -> TimeZoneRule? {
            guard bytes.first == UInt8(ascii: "\n"),
                let end = bytes.dropFirst().firstIndex(of: UInt8(ascii: "\n"))
            else { throw Fault("has no footer") }
            let text = bytes[bytes.startIndex + 1..<end]
            if text.isEmpty { return nil }
            guard let rule = TimeZoneRule(text) else { throw Fault("has a footer that is no rule") }
            return rule
        }
    }
}
