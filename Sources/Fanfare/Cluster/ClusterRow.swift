import FanfareBase
import FanfareCore

/// A row of a result, read from the left to the right.
struct ClusterRow {
    /// A row that does not have what a table of this version has.
    struct Fault: Error {}

    private let values: [String?]
    private var place = 0

    init(_ values: [String?]) { self.values = values }

    mutating func text() throws(Fault) -> String {
        guard let text = try optionalText() else { throw Fault() }
        return text
    }

    mutating func optionalText() throws(Fault) -> String? {
        guard place < values.count else { throw Fault() }
        place += 1
        return values[place - 1]
    }

    /// A word that stands for a state.
    mutating func word<Word: RawRepresentable<String>>() throws(Fault) -> Word {
        guard let word = Word(rawValue: try text()) else { throw Fault() }
        return word
    }

    mutating func number() throws(Fault) -> Int64 {
        guard let number = Int64(try text()) else { throw Fault() }
        return number
    }

    mutating func optionalNumber() throws(Fault) -> Int64? {
        guard let text = try optionalText() else { return nil }
        guard let number = Int64(text) else { throw Fault() }
        return number
    }

    /// A count, low enough that sums of all workers' fit.
    mutating func count() throws(Fault) -> UInt64 {
        let number = try number()
        guard 0...Int64(Limits.clusterCountMax) ~= number else { throw Fault() }
        return UInt64(number)
    }

    /// An array of counts.
    /// - Parameter countMax: The highest one; each of a longer time than any clock has is a fault, too.
    /// - Returns: The counts.
    /// - Throws: `Fault` for a text that is no such array.
    mutating func counts(upTo countMax: UInt64 = Limits.clusterCountMax) throws(Fault) -> [UInt64] {
        let text = try text()
        guard text.hasPrefix("{"), text.hasSuffix("}") else { throw Fault() }
        let words = text.dropFirst().dropLast().split(separator: ",")
        guard words.count <= Limits.clusterArrayMax else { throw Fault() }
        let counts = words.compactMap { UInt64($0) }
        guard counts.count == words.count, counts.allSatisfy({ $0 <= countMax }) else {
            throw Fault()
        }
        return counts
    }

    /// A number that is counted up, one at a time: of sessions, orders or generations.
    mutating func ordinal() throws(Fault) -> Int { Int(try count()) }

    /// A part of a rate.
    /// - Unit: millionths of a start per second.
    mutating func optionalRate() throws(Fault) -> Int64? {
        guard let rate = try optionalNumber() else { return nil }
        guard 0...Limits.clusterRateMax ~= rate else { throw Fault() }
        return rate
    }

    mutating func rate() throws(Fault) -> Int64 {
        guard let rate = try optionalRate() else { throw Fault() }
        return rate
    }

    /// Seconds that have gone by; those of a clock that was set back are none.
    mutating func seconds() throws(Fault) -> Double {
        guard let seconds = Double(try text()) else { throw Fault() }
        return seconds.isFinite ? min(max(seconds, 0), Double(Limits.clusterCountMax)) : 0
    }

    /// Seconds that are left; none if there is no end of them.
    mutating func optionalSeconds() throws(Fault) -> Double? {
        guard let text = try optionalText() else { return nil }
        guard let seconds = Double(text) else { throw Fault() }
        return seconds.isFinite ? min(max(seconds, 0), Double(Limits.clusterCountMax)) : nil
    }

    /// All 64 bits of a number without a sign.
    mutating func bits() throws(Fault) -> UInt64 { UInt64(bitPattern: try number()) }

    mutating func flag() throws(Fault) -> Bool { try text() == "t" }

    mutating func optionalWorker() throws(Fault) -> WorkerID? {
        guard let text = try optionalText() else { return nil }
        guard let worker = WorkerID(text: text) else { throw Fault() }
        return worker
    }

    mutating func worker() throws(Fault) -> WorkerID {
        guard let worker = try optionalWorker() else { throw Fault() }
        return worker
    }

    mutating func optionalRows() throws(Fault) -> RowIntervals? {
        guard let text = try optionalText() else { return nil }
        guard let rows = RowIntervals(multirange: text) else { throw Fault() }
        return rows
    }
}

/// A worker as text: its bits as a UUID. Each transaction names workers some twenty times, so it goes byte by byte.
extension WorkerID {
    /// Reads a UUID (RFC 9562 §4).
    init?(text: String) {
        let text = text.utf8
        guard text.count == 36 else { return nil }
        var bits: UInt128 = 0
        for (place, byte) in text.enumerated() {
            if Self.isHyphen(place) {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            guard let digit = byte.hexadecimalValue else { return nil }
            bits = bits << 4 | UInt128(digit)
        }
        self.init(bits: bits)
    }

    /// The bits as a UUID.
    var text: String {
        var text = ByteBuffer()
        text.appendUUID(bits)
        return unsafe String(decoding: text.bytes, as: UTF8.self)
    }

    private static func isHyphen(_ place: Int) -> Bool {
        place == 8 || place == 13 || place == 18 || place == 23
    }
}

extension RowIntervals {
    /// Reads what PostgreSQL writes of an `int8multirange`.
    init?(multirange text: String) {
        guard text.hasPrefix("{"), text.hasSuffix("}") else { return nil }
        self.init()
        let inner = text.dropFirst().dropLast()
        guard !inner.isEmpty else { return }
        let ends = inner.split(separator: ",").map { $0.filter { $0 != "[" && $0 != ")" } }
        guard ends.count % 2 == 0 else { return nil }
        for place in stride(from: 0, to: ends.count, by: 2) {
            guard let first = UInt64(ends[place]), let end = UInt64(ends[place + 1]), first < end,
                end <= Limits.clusterCountMax
            else { return nil }
            insert(first..<end)
        }
    }

    var multirange: String {
        "{" + spans.map { "[\($0.lowerBound),\($0.upperBound))" }.joined(separator: ",") + "}"
    }
}
