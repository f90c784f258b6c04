package import FanfareBase

/// The present content of a batch.
extension RowBatch {
    /// The part of a batch that changes while it is used.
    @safe
    @usableFromInline
    struct Content {
        @usableFromInline var bytes: UnsafeMutablePointer<UInt8>
        @usableFromInline var inputCapacity: Int
        @usableFromInline var inputEnd = 0
        @usableFromInline var parsed = 0
        @usableFromInline var scratchEnd: Int
        @usableFromInline var rowCount = 0
        @usableFromInline var takenFromEnd = 0
        @usableFromInline var firstRow: UInt64 = 1
        @usableFromInline var inputIndex = 0
        @usableFromInline var inputOffset: UInt64 = 0
        @usableFromInline var hasJSONStrings = false
        var cleanedCount = 0
        @usableFromInline var verdicts: [Verdict] = []
        var numbers: [UInt64] = []
        var closes = Instant.distantFuture
        var rowLimit = Int.max
        @usableFromInline var cursor = 0
    }

    /// The batch's memory: `2 × inputCapacity + paddingBytes` bytes.
    @inlinable
    public var bytes: UnsafeMutablePointer<UInt8> { unsafe content.pointee.bytes }

    /// The number of bytes of input that fit.
    @inlinable
    public var inputCapacity: Int { unsafe content.pointee.inputCapacity }

    /// The end of the input that has been read into the memory.
    @inlinable
    public var inputEnd: Int {
        get { unsafe content.pointee.inputEnd }
        set { unsafe content.pointee.inputEnd = newValue }
    }

    /// The end of the input that has been made into rows.
    @inlinable
    public var parsed: Int {
        get { unsafe content.pointee.parsed }
        set { unsafe content.pointee.parsed = newValue }
    }

    /// The end of the values that needed a copy; starts at `inputCapacity`.
    @inlinable
    public var scratchEnd: Int {
        get { unsafe content.pointee.scratchEnd }
        set { unsafe content.pointee.scratchEnd = newValue }
    }

    /// The rows that the batch holds now.
    @inlinable
    public var rowCount: Int {
        get { unsafe content.pointee.rowCount }
        set { unsafe content.pointee.rowCount = newValue }
    }

    /// The row number of the first row: 1 for the first row of the job.
    @inlinable
    public var firstRow: UInt64 {
        get { unsafe content.pointee.firstRow }
        set { unsafe content.pointee.firstRow = newValue }
    }

    /// The number of the job's input that the rows come from, counted from 0.
    @inlinable
    public var inputIndex: Int {
        get { unsafe content.pointee.inputIndex }
        set { unsafe content.pointee.inputIndex = newValue }
    }

    /// The offset in the input of the batch's first byte.
    @inlinable
    public var inputOffset: UInt64 {
        get { unsafe content.pointee.inputOffset }
        set { unsafe content.pointee.inputOffset = newValue }
    }

    /// True if texts were JSON strings in the input, and not the cells of a table.
    ///
    /// As JSON `"5"` is a string then, and not the number that it spells.
    @inlinable
    public var hasJSONStrings: Bool {
        get { unsafe content.pointee.hasJSONStrings }
        set { unsafe content.pointee.hasJSONStrings = newValue }
    }

    /// The tokens that were taken out of blanks and brackets.
    package internal(set) var cleanedCount: Int {
        get { unsafe content.pointee.cleanedCount }
        set { unsafe content.pointee.cleanedCount = newValue }
    }

    /// The reader's verdict on each row; empty when all are new.
    @inlinable
    public var verdicts: [Verdict] {
        _read { yield unsafe content.pointee.verdicts }
        _modify { yield unsafe &content.pointee.verdicts }
    }

    /// Returns the reader's verdict on a row.
    @inlinable
    @inline(__always)
    package func verdict(ofRow index: Int) -> Verdict {
        unsafe content.pointee.verdicts.isEmpty ? .none : content.pointee.verdicts[index]
    }

    /// The number of each row; empty when they are those from `firstRow` on.
    package var numbers: [UInt64] {
        _read { yield unsafe content.pointee.numbers }
        _modify { yield unsafe &content.pointee.numbers }
    }

    /// The moment from which rows of the batch may not be taken up any more without another look.
    package var closes: Instant {
        get { unsafe content.pointee.closes }
        set { unsafe content.pointee.closes = newValue }
    }

    /// The rows that a parser may put into it; as many as fit, if that are fewer.
    package var rowLimit: Int {
        get { min(unsafe content.pointee.rowLimit, rowCapacity) }
        set { unsafe content.pointee.rowLimit = newValue }
    }

    /// The next row to be taken up by the lane.
    @inlinable
    public var cursor: Int {
        get { unsafe content.pointee.cursor }
        set { unsafe content.pointee.cursor = newValue }
    }

    /// The rows that the lane has taken up from the end.
    @inlinable
    var takenFromEnd: Int {
        get { unsafe content.pointee.takenFromEnd }
        set { unsafe content.pointee.takenFromEnd = newValue }
    }

    /// The rows that are still to be taken up.
    @inlinable
    package var untaken: Range<Int> { cursor..<rowCount - takenFromEnd }

    /// Takes the first of the rows that are left, or the last of them.
    /// - Returns: The row's place in the batch, which must have one left.
    @inlinable
    package func take(fromEnd: Bool) -> Int {
        if fromEnd {
            takenFromEnd += 1
            return rowCount - takenFromEnd
        }
        cursor += 1
        return cursor - 1
    }
}
