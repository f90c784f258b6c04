import FanfareBase
import FanfareCore
import FanfareSystem

/// The place of a checkpoint's records: a file, or a simulation's model of one.
protocol CheckpointStorage: ~Copyable {
    borrowing func write(_ bytes: [UInt8], at offset: Int) throws(FileError)
    /// Makes all that was written survive a loss of power, marks among it.
    borrowing func synchronize() throws(FileError)
}

/// The same with the marks, which are memory besides.
protocol MarkStorage: CheckpointStorage, AnyObject, Sendable {
    var path: String { get }
    /// The memory of the marks: bits set there are in the file.
    var memory: UnsafeMutableRawPointer { get }

    /// Makes room on the disk.
    func reserve(_ range: Range<Int>) throws(FileError)

    /// Cuts the file.
    func truncate(toBytes length: Int) throws(FileError)

    /// Gives pages of the memory back; their content stays.
    func forget(_ range: Range<Int>)

    /// Removes the file, if it is still there.
    func remove() throws(FileError)

    /// Looks whether the file is still there.
    func standing() throws(FileError) -> FileDescriptor.Standing

    /// Lets another process have the file.
    func unlock()
}

extension FileDescriptor: CheckpointStorage {
    borrowing func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        unsafe try bytes.withUnsafeBufferPointer { bytes throws(FileError) in
            unsafe try write(UnsafeRawBufferPointer(bytes), at: offset)
        }
    }
}

// Facts to know before you change this:
// - The order of writes is the promise: marks, then the record that counts them, then their rows;
//   the record with the future length of the report, then the block (one `pwrite` for some 600
//   rows). A write that comes earlier or later is a row sent twice, or lost, after a kill
//   (decisions 010 and 036).
// - Two places in turn, the higher sequence counts. A write that failed is made at the same place
//   again, because the last whole record is in the other one.
// - The disk is waited for at the beginning, at rest and before the report is replaced; for each
//   record only with `--durability full`.
// - The simulation runs this type on a disk that loses power (`CrashFaultTests`): a new write needs
//   a crash before and behind it.

/// The records of a checkpoint, one after the other, with the rules for when the disk must have
/// them.
struct CheckpointLog: Sendable {
    private(set) var record: CheckpointRecord
    /// True if records are forced to the disk: `--durability full`.
    let isDurable: Bool

    /// Goes on behind a record.
    init(behind record: CheckpointRecord, boot: UInt64, isDurable: Bool) {
        self.record = record
        self.record.boot = boot
        self.record.isDurable = isDurable
        self.isDurable = isDurable
    }

    /// Writes the known facts as the first word on this run; nothing was sent before it.
    ///
    /// The disk has it before anything is sent, under each durability: the previous record may say
    /// that the job is at rest, and after a loss of power that would be believed.
    mutating func begin(
        at lengths: OutputLengths, on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        try grow(from: lengths, to: lengths, on: storage)
        if !isDurable { try storage.synchronize() }
    }

    /// The bytes of marks that are there; told by the next record.
    var markBytes: Int {
        get { record.markBytes }
        set { record.markBytes = newValue }
    }

    /// There are more marks than the last record says, and rows that need them are about to be handed
    /// out.
    mutating func marksHaveGrown(
        on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        try write(to: storage)
    }

    /// Rows up to this one are about to be handed out.
    mutating func reserve(
        through row: UInt64, on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        guard isDurable, row > record.reservation else { return }
        record.reservation = row + Limits.reservationRows
        try write(to: storage)
    }

    /// The output files, whole up to now, are about to grow.
    mutating func grow(
        from now: OutputLengths, to next: OutputLengths,
        on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        record.isAtRest = false
        record.reportChecksum = 0
        record.isBeingReplaced = false
        record.isBeingOrdered = false
        record.covered = now
        record.intended = next
        try write(to: storage)
    }

    /// The job is at rest: the files have these lengths and are on the disk.
    mutating func rest(
        at lengths: OutputLengths, reportChecksum: UInt64 = 0,
        on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        record.reportChecksum = reportChecksum
        record.isAtRest = true
        record.isBeingReplaced = false
        record.isBeingOrdered = false
        record.covered = lengths
        record.intended = lengths
        try write(to: storage)
        try storage.synchronize()
    }

    /// The job is at rest, and makes a copy of its report in order, or has taken it away again.
    mutating func orderReport(
        _ isBeingOrdered: Bool, on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        record.isBeingOrdered = isBeingOrdered
        try write(to: storage)
        try storage.synchronize()
    }

    /// The job is at rest, and its report is about to be replaced by one of this length.
    mutating func replaceReport(
        byBytes length: Int, on storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        record.isBeingReplaced = true
        record.intended.report = length
        try write(to: storage)
        try storage.synchronize()
    }

    private mutating func write(
        to storage: borrowing some CheckpointStorage & ~Copyable
    ) throws(FileError) {
        var next = record
        next.sequence += 1
        let slots = CheckpointLayout.slotOffsets
        try storage.write(next.bytes, at: slots[Int(next.sequence % 2)])
        // After one that failed the next goes to the same place: in the other one is the last whole one.
        record = next
        if isDurable { try storage.synchronize() }
    }
}
