import FanfareBase
import FanfareCore
import FanfareSystem

/// The checkpoint of a job whose files are the machine's.
///
/// It lies beside the report, with `.checkpoint` behind the name.
///
/// ```
///  0         2,048     4,096      8,192      12,288        half way      a multiple of 64 KiB
///  │ prelude │ another │ record A │ record B │ fingerprint │ another one │ marks: two bits for each row …
/// ```
///
/// The preludes, the records and the fingerprints have checksums, the marks are kept twice, and the
/// record says how many there are: damage is found, and none of it is taken for a row that was not sent.
/// The record says, too, which fingerprint counts: the other one may be half written. A second one is made
/// when inputs have changed that no run has begun.
///
/// The process that has it open has its lock, which goes with the process.
typealias CheckpointFile = Checkpoint<MappedFile>

extension Checkpoint where Storage == MappedFile {
    /// The suffix to a report's name.
    static var suffix: String { ".checkpoint" }

    /// Takes over an opened file.
    /// - Parameters:
    ///   - opened: The file, locked.
    ///   - record: The record from which the job goes on.
    ///   - isDurable: True to force records to the disk.
    /// - Throws: `FileError` when the marks cannot be mapped.
    convenience init(
        _ opened: consuming OpenedCheckpoint, record: CheckpointRecord, isDurable: Bool
    ) throws(FileError) {
        let (layout, marksOffset) = (opened.layout, opened.marksOffset)
        self.init(
            try MappedFile(opened), layout: layout, marksOffset: marksOffset, record: record,
            boot: Machine.boot, isDurable: isDurable)
    }
}

/// The file of a checkpoint, with its marks as memory.
final class MappedFile: MarkStorage {
    let path: String
    private let file: FileDescriptor
    private let mapping: FileMapping

    /// Takes over an opened checkpoint.
    /// - Throws: `FileError` when the marks cannot be mapped.
    init(_ opened: consuming OpenedCheckpoint) throws(FileError) {
        path = opened.path
        mapping = try FileMapping(
            opened.file, from: opened.marksOffset,
            byteCount: opened.layout.bytes(throughRow: Limits.checkpointRowsMax))
        file = opened.takeFile()
    }

    var memory: UnsafeMutableRawPointer { unsafe mapping.memory }

    func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        try file.write(bytes, at: offset)
    }

    func synchronize() throws(FileError) { try file.synchronize() }

    func reserve(_ range: Range<Int>) throws(FileError) { try file.reserve(range) }

    func truncate(toBytes length: Int) throws(FileError) { try file.truncate(toBytes: length) }

    func forget(_ range: Range<Int>) { mapping.forget(range) }

    func remove() throws(FileError) { try FileDescriptor.removeIfThere(path) }

    func standing() throws(FileError) -> FileDescriptor.Standing {
        try file.standing(bytes: file.size)
    }

    func unlock() { file.unlock() }
}
