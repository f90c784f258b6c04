internal import Synchronization

/// Two bits for each row: one for a row that may be on the wire, and the opposite of that.
///
/// A lane sets the mark before it hands a row's request over, and takes it back when an answer has
/// proved that the provider did nothing with it. A row that is marked at the end and has no line in
/// the report is in doubt, and no other is. The memory is a mapped file: the system keeps its bytes
/// also when the process is killed, so that knowledge costs only a few instructions a row.
///
/// A word has the bits of 32 rows in its lower half, and their opposites in its upper one. One
/// instruction turns both, so that a process leaves a correct word, however it ends; and a word
/// with a bit turned, or of zeros, or of ones, is not correct (`MarkLayout.isRight`).
///
/// Lanes share the words, hence the atomics; they have no order to keep among themselves, because a
/// killed process leaves all its writes. A row belongs to one lane at a time, so that no other lane
/// turns its bits between a look and the turn.
@safe
package struct StartMarks: @unchecked Sendable {
    private let words: UnsafeMutablePointer<Atomic<UInt64>>
    private let wordsPerGroup: Int

    /// Lays the marks over memory.
    /// - Parameters:
    ///   - memory: Aligned to 8 bytes, and there as long as the marks; laid out for each row that is
    ///     asked about.
    ///   - layout: The other content of the memory.
    package init(memory: UnsafeMutableRawPointer, layout: MarkLayout = .marks) {
        unsafe words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
        wordsPerGroup = layout.groupBytes / 8
    }

    /// Notes that a request for the row is about to be sent.
    package func set(_ row: UInt64) {
        if !isSet(row) { turn(row) }
    }

    /// Notes that the provider cannot have acted on any request for the row so far.
    package func clear(_ row: UInt64) {
        if isSet(row) { turn(row) }
    }

    /// True if a request for the row may have been sent.
    package func isSet(_ row: UInt64) -> Bool {
        unsafe words[index(of: row)].load(ordering: .relaxed) & 1 << (row % 32) != 0
    }

    /// True if no request may have been sent for any row up to this one.
    ///
    /// It looks at all of them: 32 rows with a load each.
    package func areClear(through row: UInt64) -> Bool {
        for group in 0...Int(row / 32) {
            let word = unsafe words[group &* wordsPerGroup].load(ordering: .relaxed)
            if UInt32(truncatingIfNeeded: word) != 0 { return false }
        }
        return true
    }

    private func turn(_ row: UInt64) {
        _ = unsafe words[index(of: row)]
            .bitwiseXor(0x1_0000_0001 << (row % 32), ordering: .relaxed)
    }

    private func index(of row: UInt64) -> Int { Int(row / 32) &* wordsPerGroup }
}

/// A number for each row that was read, by which a later run knows whether it reads the same row.
///
/// They are in the same memory as the marks, and are kept if rows come from an input that cannot be
/// recognized as a whole, such as a pipe. One thread writes them, the reader's.
@safe
package struct RowChecks: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer

    /// Lays the checks over memory.
    /// - Parameter memory: The memory as for `StartMarks`, with the layout `marksAndChecks`.
    package init(memory: UnsafeMutableRawPointer) {
        unsafe self.memory = memory
    }

    /// The value that was kept for a row; 0 if it was never read.
    package subscript(row: UInt64) -> UInt16 {
        get { unsafe memory.load(fromByteOffset: offset(of: row), as: UInt16.self) }
        nonmutating set {
            unsafe memory.storeBytes(
                of: newValue, toByteOffset: offset(of: row), as: UInt16.self)
        }
    }

    private func offset(of row: UInt64) -> Int {
        Int(row / 32) * MarkLayout.marksAndChecks.groupBytes + 8 + Int(row % 32) * 2
    }
}

/// The content of a checkpoint's memory for each group of 32 rows.
package enum MarkLayout: Equatable, Sendable {
    /// A word of marks.
    case marks
    /// A word of marks, and a check of two bytes for each row.
    case marksAndChecks

    /// The bytes of a group.
    package var groupBytes: Int {
        switch self {
        case .marks: 8
        case .marksAndChecks: 8 + 32 * 2
        }
    }

    /// Returns the bytes up to a row, in whole groups.
    package func bytes(throughRow row: UInt64) -> Int {
        Int(row / 32 + 1) * groupBytes
    }

    /// Returns the last row that has its place within so many bytes; `nil` for none.
    package func lastRow(in byteCount: Int) -> UInt64? {
        let groups = byteCount / groupBytes
        return groups == 0 ? nil : UInt64(groups) * 32 - 1
    }

    /// A group whose rows were neither read nor sent.
    package var newGroup: [UInt8] {
        [0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF] + Array(repeating: 0, count: groupBytes - 8)
    }

    /// Looks for marks that no process has left in this state.
    /// - Parameter bytes: The memory, from a group's beginning on.
    /// - Returns: The first group whose marks are damaged, counted from 0; `nil` if all are right.
    package func damagedGroup(in bytes: UnsafeRawBufferPointer) -> Int? {
        (0..<bytes.count / groupBytes).first { group in
            let word = unsafe bytes.load(fromByteOffset: group * groupBytes, as: UInt64.self)
            return !Self.isRight(UInt64(littleEndian: word))
        }
    }

    /// Looks for marks where no row was handed out.
    ///
    /// Room that was made for marks reads as zeros until new ones are written there.
    /// - Parameter bytes: The memory, from a group's beginning on.
    /// - Returns: The first group that is neither new nor empty, counted from 0; `nil` for none.
    package func usedGroup(in bytes: UnsafeRawBufferPointer) -> Int? {
        (0..<bytes.count / groupBytes).first { group in
            let word = unsafe bytes.load(fromByteOffset: group * groupBytes, as: UInt64.self)
            return word != 0 && UInt64(littleEndian: word) != UInt64.max << 32
        }
    }

    /// Looks for the last row that has a mark.
    /// - Parameter bytes: The memory, from a group's beginning on.
    /// - Returns: The row, counted from the first one of `bytes` as 0; `nil` if none has one.
    package func lastMarkedRow(in bytes: UnsafeRawBufferPointer) -> UInt64? {
        for group in (0..<bytes.count / groupBytes).reversed() {
            let word = unsafe bytes.load(fromByteOffset: group * groupBytes, as: UInt64.self)
            let marked = UInt32(truncatingIfNeeded: UInt64(littleEndian: word))
            if marked != 0 { return UInt64(group * 32 + 31 - marked.leadingZeroBitCount) }
        }
        return nil
    }

    /// True if a word of marks is one: each row's two bits differ.
    package static func isRight(_ word: UInt64) -> Bool {
        UInt32(truncatingIfNeeded: word) == ~UInt32(truncatingIfNeeded: word >> 32)
    }
}
