public import FanfareBase

/// The memory of a few hundred rows, and where their values lie in it.
///
/// The reader fills a batch, one lane empties it, and it goes back to the pool: at any moment one
/// thread owns it, so it may cross threads unchecked.
///
/// ```
///  bytes ──► ┌───────────────────────────┬──────────────────────────┬─────────┐
///            │ input, as it was read     │ values without quotes    │ padding │
///            │ 0 ..< inputEnd            │ and escapes              │ (zeros) │
///            └───────────────────────────┴──────────────────────────┴─────────┘
///             parsed: rows end here       inputCapacity ..< scratchEnd
/// ```
///
/// Because there is one owner at a time, the state that changes lies behind a pointer: as
/// properties of an object the runtime would check each access to it for exclusiveness, ten times
/// for a row, which was 7 % of the instructions of sending it.
///
/// The input stays untouched, so that a row can be written out again byte for byte. A value without
/// its escapes is never longer than with them, so the second half is never too small.
@safe
public final class RowBatch: @unchecked Sendable {
    /// The decision of the reader about a row before a lane takes it up.
    public enum Verdict: UInt8, Sendable {
        /// Nothing: the row is new.
        case none
        /// The run has nothing to do with it: the report has a line for it, or the run leaves it out.
        case finished
        /// A request for it may have been sent, and nothing is known of its answer.
        case inDoubt
        /// The same, and it is not to be sent again under any delivery.
        case inDoubtHeld
        /// Another worker may have sent it, which does not come back.
        case workerLost
        /// Its token belongs to another row.
        case duplicate
        /// Its token must not be sent to.
        case suppressed
        /// It waits for its window, and comes again.
        case waiting
        /// Its window is closed, and it does not wait.
        case outsideWindow
        /// Its zone is unknown, and so is when its window is open.
        case zoneUnknown
        /// It has waited until the job's deadline.
        case late
        /// It names an unknown provider.
        case providerUnknown
        /// It is for a provider that the job does not send to.
        case providerNotInJob
        /// It names no provider, and its token has the shape of no provider's that the job has.
        case tokenOfNoProvider

        /// The reason not to send the row, if the reader has given one.
        package var problem: RowProblem? {
            switch self {
            case .none, .finished, .inDoubt, .inDoubtHeld, .workerLost, .waiting: nil
            case .duplicate: .tokenDuplicate
            case .suppressed: .tokenSuppressed
            case .outsideWindow: .outsideWindow
            case .zoneUnknown: .zoneUnknown
            case .late: .deadlinePassed
            case .providerUnknown: .providerUnknown
            case .providerNotInJob: .providerNotInJob
            case .tokenOfNoProvider: .tokenOfNoProvider
            }
        }

        /// True if no route of the job takes the row.
        package var lacksRoute: Bool {
            switch self {
            case .providerUnknown, .providerNotInJob, .tokenOfNoProvider: true
            case .none, .finished, .inDoubt, .inDoubtHeld, .workerLost, .duplicate, .suppressed,
                .waiting, .outsideWindow, .zoneUnknown, .late:
                false
            }
        }

        /// Keeps the row from being sent, unless an earlier verdict says more.
        ///
        /// A verdict on whether the row was sent comes first: a row in doubt stays in doubt.
        /// - Parameter verdict: The reason.
        package mutating func keepBack(_ verdict: Verdict) {
            switch self {
            case .none: self = verdict
            case .inDoubt: self = .inDoubtHeld
            case .finished, .inDoubtHeld, .workerLost, .duplicate, .suppressed, .waiting,
                .outsideWindow, .zoneUnknown, .late, .providerUnknown, .providerNotInJob,
                .tokenOfNoProvider:
                break
            }
        }

        /// Marks a row that no route takes; this goes before other reasons not to send it, since
        /// the user can mend it.
        ///
        /// A verdict on whether the row was sent comes first here, too.
        /// - Parameter verdict: The reason why no route takes it.
        package mutating func turnAway(_ verdict: Verdict) {
            switch self {
            case .none, .duplicate, .suppressed, .outsideWindow, .zoneUnknown, .late:
                self = verdict
            case .inDoubt: self = .inDoubtHeld
            case .finished, .inDoubtHeld, .workerLost, .waiting, .providerUnknown,
                .providerNotInJob,
                .tokenOfNoProvider:
                break
            }
        }
    }

    /// One row of the batch.
    public struct Row: Sendable {
        /// The line of the input file on which the row starts, counted from 1.
        public var line: UInt64
        /// The start of the row in the batch's memory.
        public var start: UInt32
        /// The number of bytes, without the line end.
        public var length: UInt32
        /// The fault of the row, if there is one.
        public var fault: RowFault

        /// Describes a row.
        public init(line: UInt64, start: Int, length: Int, fault: RowFault = .none) {
            self.line = line
            self.start = UInt32(truncatingIfNeeded: start)
            self.length = UInt32(truncatingIfNeeded: length)
            self.fault = fault
        }
    }

    /// Bytes after the memory's end that may be read (never written), for parsers that read ahead.
    public static let paddingBytes = 64

    /// The part that changes, at an address of its own.
    @usableFromInline let content: UnsafeMutablePointer<Content>

    /// The number of values of each row, see `RowSchema`.
    public let slotCount: Int
    /// The rows that fit.
    public let rowCapacity: Int
    /// The rows' values: `fields[row * slotCount + slot]`.
    public let fields: UnsafeMutablePointer<Field>
    /// The rows, in order.
    public let rows: UnsafeMutablePointer<Row>

    /// Allocates a batch.
    /// - Parameters:
    ///   - inputCapacity: The bytes of input it holds at first.
    ///   - rowCapacity: The rows it holds.
    ///   - slotCount: The values of each row.
    public init(inputCapacity: Int, rowCapacity: Int, slotCount: Int) {
        precondition(inputCapacity > 0 && rowCapacity > 0 && slotCount > 0)
        self.rowCapacity = rowCapacity
        self.slotCount = slotCount
        unsafe content = .allocate(capacity: 1)
        unsafe content.initialize(
            to: Content(
                bytes: Self.allocate(inputCapacity), inputCapacity: inputCapacity,
                scratchEnd: inputCapacity))
        unsafe fields = .allocate(capacity: rowCapacity * slotCount)
        unsafe fields.initialize(repeating: .missing, count: rowCapacity * slotCount)
        unsafe rows = .allocate(capacity: rowCapacity)
        unsafe rows.initialize(repeating: Row(line: 0, start: 0, length: 0), count: rowCapacity)
    }

    /// Allocates a batch of the usual size.
    /// - Parameters:
    ///   - rowCapacity: The rows it holds.
    ///   - slotCount: The values of each row.
    package convenience init(rowCapacity: Int = Limits.batchRows, slotCount: Int) {
        self.init(
            inputCapacity: Limits.batchInputBytes, rowCapacity: rowCapacity, slotCount: slotCount)
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe fields.deallocate()
        unsafe rows.deallocate()
        unsafe content.deinitialize(count: 1)
        unsafe content.deallocate()
    }

    private static func allocate(_ inputCapacity: Int) -> UnsafeMutablePointer<UInt8> {
        let count = 2 * inputCapacity + paddingBytes
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        // Only the padding is cleared: the rest is touched when it is used.
        unsafe (memory + 2 * inputCapacity).initialize(repeating: 0, count: paddingBytes)
        return unsafe memory
    }

    /// Forgets all rows and input.
    ///
    /// It clears fields too, so that a parser need only write the values that are there.
    public func reset() {
        unsafe fields.update(repeating: .missing, count: rowCount * slotCount)
        inputEnd = 0
        parsed = 0
        scratchEnd = inputCapacity
        rowCount = 0
        cursor = 0
        takenFromEnd = 0
        inputOffset = 0
        hasJSONStrings = false
        cleanedCount = 0
        verdicts.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        closes = .distantFuture
    }

    /// Forgets the rows that were made, and keeps the input behind them.
    package func forgetRows() {
        unsafe fields.update(repeating: .missing, count: rowCount * slotCount)
        rowCount = 0
        scratchEnd = inputCapacity
    }

    /// Returns the number of a row in the job.
    package func number(of index: Int) -> UInt64 {
        numbers.isEmpty ? firstRow + UInt64(index) : numbers[index]
    }

    /// Makes room for more input and keeps the input that is there.
    ///
    /// Call it only before any row has been parsed.
    public func grow(toInputCapacity capacity: Int) {
        precondition(rowCount == 0 && capacity > inputCapacity)
        let larger = unsafe Self.allocate(capacity)
        unsafe larger.update(from: bytes, count: inputEnd)
        unsafe bytes.deallocate()
        unsafe content.pointee.bytes = larger
        unsafe content.pointee.inputCapacity = capacity
        scratchEnd = capacity
    }

    /// Forgets input that has given no rows, and moves the rest to the front.
    public func discardParsed() {
        precondition(rowCount == 0)
        inputEnd -= parsed
        unsafe bytes.update(from: bytes + parsed, count: inputEnd)
        parsed = 0
    }

    /// Returns the bytes of a value.
    ///
    /// It is valid until the batch is reset or grows.
    @inlinable
    public func value(_ field: Field) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(start: bytes + field.offset, count: field.length)
    }

    /// Returns the text of a known column; empty when it is missing.
    @inlinable
    @inline(__always)
    package func value(of column: RowSchema.Known, row: Int) -> UnsafeBufferPointer<UInt8> {
        let field = field(row: row, slot: column.slot)
        return unsafe field.isMissing ? .empty : value(field)
    }

    /// True if a row has any value that is not empty in a run of known columns.
    package func hasValues(
        from first: RowSchema.Known, through last: RowSchema.Known, row: Int
    ) -> Bool {
        for slot in first.slot...last.slot where field(row: row, slot: slot).length > 0 {
            return true
        }
        return false
    }

    /// Returns the value of a row in a slot.
    @inlinable
    public func field(row: Int, slot: Int) -> Field {
        unsafe fields[row &* slotCount &+ slot]
    }

    /// Returns the bytes of a row as they stood in the input, without the line end.
    public func rawRow(_ index: Int) -> UnsafeBufferPointer<UInt8> {
        let row = unsafe rows[index]
        return unsafe UnsafeBufferPointer(start: bytes + Int(row.start), count: Int(row.length))
    }

    /// True if a row's line ends with CR and LF.
    public func hasCarriageReturn(_ index: Int) -> Bool {
        let row = unsafe rows[index]
        let end = Int(row.start) + Int(row.length)
        return unsafe end + 1 < inputEnd
            && bytes[end] == UInt8(ascii: "\r") && bytes[end + 1] == UInt8(ascii: "\n")
    }
}
