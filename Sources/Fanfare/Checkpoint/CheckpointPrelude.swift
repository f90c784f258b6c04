import FanfareBase
import FanfareCore
import FanfareSystem

/// A description of one of a checkpoint's fingerprints, and of the marks.
///
/// It is in the file's first sector behind the title, or, for the second fingerprint, in a sector
/// of its own. Each number has 8 bytes:
///
/// ```
///  bytes of the fingerprint │ checksum │ bytes of a group of marks │ where the marks begin
/// ```
///
/// If the last number is 0, an earlier version has made the checkpoint: the marks are close behind
/// the fingerprint.
struct CheckpointPrelude: Equatable {
    /// The bytes of a prelude.
    static let byteCount = 32

    private let numbers: [UInt64]

    /// Describes a fingerprint.
    /// - Parameters:
    ///   - fingerprint: Its JSON.
    ///   - layout: The layout of each row's marks.
    ///   - marksOffset: The place of the marks.
    init(_ fingerprint: [UInt8], layout: MarkLayout, marksOffset: Int) {
        let rest = [UInt64(layout.groupBytes), UInt64(marksOffset)]
        numbers = [UInt64(fingerprint.count), Self.checksum(fingerprint, rest[...])] + rest
    }

    /// Reads a prelude, right or damaged; the result is nil if none was written.
    /// - Parameter bytes: The bytes in its place; at the end of the file there may be fewer.
    init?(bytes: [UInt8]) {
        guard bytes.contains(where: { $0 != 0 }) else { return nil }
        let missing = [UInt8](repeating: 0, count: max(0, Self.byteCount - bytes.count))
        let whole = bytes + missing
        numbers = stride(from: 0, to: Self.byteCount, by: 8).map {
            UInt64(littleEndian: whole[$0..<$0 + 8])
        }
    }

    /// The prelude's bytes.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        for number in numbers { bytes.append(littleEndian: number) }
        return bytes
    }

    /// The length of the fingerprint; 0 if none is as long as that.
    var fingerprintBytes: Int {
        numbers[0] <= UInt64(Limits.fingerprintBytesMax) ? Int(numbers[0]) : 0
    }

    /// The place of the marks; `nil` if no checkpoint's marks begin there.
    var marksOffset: Int? {
        guard numbers[3] != 0 else {
            return CheckpointLayout.marksOffset(closeBehindBytes: fingerprintBytes)
        }
        let offset = Int(clamping: numbers[3])
        let last = CheckpointLayout.marksOffset(
            fingerprintBytes: Limits.fingerprintBytesMax)
        return offset <= last && offset % FileMapping.pageBytes == 0 ? offset : nil
    }

    /// Returns the layout of the marks, if these bytes are the fingerprint, and nothing is damaged.
    func layout(ofMarksBehind fingerprint: [UInt8]) -> MarkLayout? {
        guard UInt64(fingerprint.count) == numbers[0],
            Self.checksum(fingerprint, numbers[2...]) == numbers[1]
        else { return nil }
        return [MarkLayout.marks, .marksAndChecks].first { $0.groupBytes == numbers[2] }
    }

    /// Writes the prelude, and its fingerprint, in the place of the fingerprint that does not
    /// count.
    ///
    /// Both are on the disk afterward: after a loss of power the record that makes them count must
    /// not be there alone.
    /// - Parameters:
    ///   - fingerprint: Its JSON.
    ///   - asSecond: True for the second of the two places.
    ///   - storage: The checkpoint.
    /// - Throws: `FileError` when it cannot be written; the fingerprint that counts has not changed
    ///   then.
    func write(
        _ fingerprint: [UInt8], asSecond: Bool,
        on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        let marksOffset = Int(clamping: numbers[3])
        try storage.write(
            fingerprint,
            at: CheckpointLayout.fingerprintOffset(
                isSecond: asSecond, marksOffset: marksOffset))
        try storage.write(bytes, at: CheckpointLayout.preludeOffset(isSecond: asSecond))
        try storage.synchronize()
    }

    private static func checksum(_ fingerprint: [UInt8], _ rest: ArraySlice<UInt64>) -> UInt64 {
        var bytes = fingerprint
        // A number that is not there is in no checksum of the version before.
        for number in rest where number != 0 { bytes.append(littleEndian: number) }
        return Checksum.of(bytes)
    }
}
