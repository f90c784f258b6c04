import FanfareBase

/// The part of a checkpoint that changes while a job runs.
///
/// Written to two places in turn, with a checksum, so that one of them is whole whenever the process
/// ends. Each field has 8 bytes.
///
/// ```
///  sequence │ boot │ flags │ reservation │ covered × 3 │ intended × 3 │ marks │ report │ checksum
/// ```
package struct CheckpointRecord: Equatable, Sendable {
    /// Grows with each record; the higher one of two counts.
    package var sequence: UInt64 = 0
    /// The start of the machine under which the job runs: after another start only the bytes that
    /// had reached the disk are there.
    package var boot: UInt64 = 0
    /// True if the job came to an orderly stop: nothing is in doubt, and everything is on the disk.
    package var isAtRest = false
    /// True if the bytes of `covered` and `reservation` have reached the disk: `--durability full`.
    package var isDurable = false
    /// True if the job is at rest, and a copy of its report in order may be beside it, whole or
    /// not.
    ///
    /// Otherwise no file of that name is the job's.
    package var isBeingOrdered = false
    /// True if the report is about to be replaced by its lines in order, as long as `intended`
    /// says; the job is at rest, and either of the two reports is there, whole.
    package var isBeingReplaced = false
    /// True if the second of the checkpoint's two places for a fingerprint has the one that counts.
    ///
    /// So another fingerprint counts from one moment on: from the record with this flag.
    package var hasSecondFingerprint = false
    /// The lengths of the files that are certain, and up to which the lines about rows are
    /// complete.
    package var covered = OutputLengths()
    /// The lengths of the files after the write that is under way.
    package var intended = OutputLengths()
    /// Rows up to this one may have been sent, as far as the disk knows; kept with
    /// `--durability full` only.
    package var reservation: UInt64 = 0
    /// The bytes of marks that the checkpoint has at least: rows behind them were never handed out.
    package var markBytes = 0
    /// The checksum of the report's `covered` bytes; 0 if none was kept.
    package var reportChecksum: UInt64 = 0

    /// The bytes of a record.
    package static let byteCount = 104

    /// Creates the record of a job that has not begun.
    package init() {}

    /// The record's bytes, its checksum behind them.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { bytes.append(littleEndian: number) }
        bytes.append(littleEndian: Checksum.of(bytes))
        return bytes
    }

    private var flags: UInt64 {
        var flags: UInt64 = 0
        if isAtRest { flags |= 1 }
        if isDurable { flags |= 2 }
        if isBeingReplaced { flags |= 4 }
        if isBeingOrdered { flags |= 8 }
        if hasSecondFingerprint { flags |= 16 }
        return flags
    }

    private var numbers: [UInt64] {
        [
            sequence, boot, flags, reservation,
        ] + covered.numbers + intended.numbers + [UInt64(clamping: markBytes), reportChecksum]
    }

    /// Reads a record.
    /// - Returns: Nothing if the bytes are not a whole one.
    package init?(bytes: some Collection<UInt8>) {
        let bytes = Array(bytes)
        guard bytes.count == Self.byteCount,
            Checksum.of(Array(bytes.dropLast(8))) == UInt64(littleEndian: bytes.suffix(8))
        else { return nil }
        let numbers = stride(from: 0, to: Self.byteCount - 8, by: 8).map {
            UInt64(littleEndian: bytes[$0..<$0 + 8])
        }
        sequence = numbers[0]
        boot = numbers[1]
        isAtRest = numbers[2] & 1 != 0
        isDurable = numbers[2] & 2 != 0
        isBeingReplaced = numbers[2] & 4 != 0
        isBeingOrdered = numbers[2] & 8 != 0
        hasSecondFingerprint = numbers[2] & 16 != 0
        reservation = numbers[3]
        covered = OutputLengths(numbers[4...6])
        intended = OutputLengths(numbers[7...9])
        markBytes = Int(clamping: numbers[10])
        reportChecksum = numbers[11]
    }

    /// Returns the newer of the two records that a checkpoint has, if any is whole.
    package static func newer(
        _ one: CheckpointRecord?, _ other: CheckpointRecord?
    ) -> CheckpointRecord? {
        guard let one, let other else { return one ?? other }
        return one.sequence > other.sequence ? one : other
    }

    /// True if one of a checkpoint's two places has lost the record that was written there.
    ///
    /// The lost record may have been the newer one. A process that is killed leaves each record
    /// whole: it has a page of its own. So does a loss of power, since it has a sector of its own.
    /// A place is empty behind the very first record only.
    package static func isOneLost(_ places: [[UInt8]]) -> Bool {
        let records = places.compactMap { CheckpointRecord(bytes: $0) }
        let emptyCount = places.filter { place in place.allSatisfy { $0 == 0 } }.count
        if records.count + emptyCount < places.count { return true }
        return emptyCount > 0 && records.contains { $0.sequence > 1 }
    }
}

// The form of the numbers in a checkpoint.
extension [UInt8] {
    /// Appends the eight bytes of a number, the lowest first.
    package mutating func append(littleEndian number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

extension UInt64 {
    /// Makes the number that eight bytes stand for.
    package init(littleEndian bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
