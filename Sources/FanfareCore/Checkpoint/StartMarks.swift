internal import Synchronization

/// One bit for each row: whether it may be on the wire.
///
/// Set before a row's request is handed over, and taken back when an answer has proved that nothing
/// was done with it. What is set at the end and has no line in the report is in doubt, and nothing
/// else is. The memory is a mapped file: the system keeps what was written there whatever becomes of
/// the process, so that two instructions a row are all that knowledge costs.
///
/// Lanes share the words, hence the atomics; they have no order to keep among themselves, because a
/// killed process leaves all that it has written.
@safe
package struct StartMarks: @unchecked Sendable {
    private let words: UnsafeMutablePointer<Atomic<UInt64>>

    /// Lays the marks over memory.
    /// - Parameter memory: Aligned to 8 bytes, and there as long as the marks; it has a bit for each
    ///   row that is asked about.
    package init(memory: UnsafeMutableRawPointer) {
        unsafe words = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// The bytes of the marks up to a row, in whole words.
    package static func bytes(throughRow row: UInt64) -> Int {
        Int(row / 64 + 1) * 8
    }

    /// A request for the row is about to be sent.
    package func set(_ row: UInt64) {
        _ = unsafe words[Int(row / 64)].bitwiseOr(1 << (row % 64), ordering: .relaxed)
    }

    /// The provider cannot have acted on any request for the row so far.
    package func clear(_ row: UInt64) {
        _ = unsafe words[Int(row / 64)].bitwiseAnd(~(1 << (row % 64)), ordering: .relaxed)
    }

    /// Whether a request for the row may have been sent.
    package func isSet(_ row: UInt64) -> Bool {
        unsafe words[Int(row / 64)].load(ordering: .relaxed) & 1 << (row % 64) != 0
    }
}
