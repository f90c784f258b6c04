import FanfareCore
import FanfareLoop

/// A checkpoint's file that is open and locked, before a job has taken it over.
struct OpenedCheckpoint: ~Copyable {
    let path: String
    private(set) var file: FileDescriptor
    /// The fingerprint's JSON; empty when the file is new or was torn while it was made.
    private(set) var fingerprint: [UInt8] = []
    /// The last whole record, if there is one.
    private(set) var record: CheckpointRecord?

    private static let title = "fanfare checkpoint 1\n"

    /// Whether rows may have been handed out under it, as far as anything of it is left.
    private(set) var hasBegun = false

    consuming func takeFile() -> FileDescriptor { file }

    /// Opens and locks the checkpoint of a report, and makes it if it is not there.
    /// - Returns: Nothing if another process has it.
    static func open(_ path: String) throws(FileError) -> OpenedCheckpoint? {
        while true {
            let file = try FileDescriptor.writing(path, existing: .keep, isPrivate: true)
            guard try file.tryLock() else { return nil }
            // Its holder may have finished the job and removed it just before.
            if try file.hasName { return try OpenedCheckpoint(path: path, file: file) }
        }
    }

    private init(path: String, file: consuming FileDescriptor) throws(FileError) {
        self.path = path
        self.file = file
        // A torn record is a record of something.
        let marks = CheckpointFile.Layout.marksOffset(fingerprintBytes: 0)
        hasBegun = try self.file.size > marks
        for slot in CheckpointFile.Layout.slotOffsets
        where try bytes(CheckpointRecord.byteCount, at: slot).contains(where: { $0 != 0 }) {
            hasBegun = true
        }
        guard let text = try readFingerprint() else { return }
        fingerprint = text
        let slots = CheckpointFile.Layout.slotOffsets
        record = CheckpointRecord.newer(
            CheckpointRecord(bytes: try bytes(CheckpointRecord.byteCount, at: slots[0])),
            CheckpointRecord(bytes: try bytes(CheckpointRecord.byteCount, at: slots[1])))
    }

    private func readFingerprint() throws(FileError) -> [UInt8]? {
        let head = try bytes(Self.title.utf8.count + 16, at: 0)
        guard head.starts(with: Self.title.utf8), head.count == Self.title.utf8.count + 16 else {
            return nil
        }
        let numbers = head.dropFirst(Self.title.utf8.count)
        let count = Self.number(numbers.prefix(8))
        guard count <= UInt64(Limits.fingerprintBytesMax) else { return nil }
        let text = try bytes(Int(count), at: CheckpointFile.Layout.fingerprintOffset)
        return Checksum.of(text) == Self.number(numbers.dropFirst(8)) ? text : nil
    }

    private func bytes(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var result: Result<Int, FileError> = .success(0)
        unsafe bytes.withUnsafeMutableBytes { bytes in
            do throws(FileError) {
                result = .success(unsafe try file.read(into: bytes, at: offset))
            } catch {
                result = .failure(error)
            }
        }
        return Array(bytes.prefix(try result.get()))
    }

    /// Makes it the checkpoint of a new job: empty, but for the fingerprint.
    mutating func begin(_ fingerprint: JobFingerprint) throws(FileError) {
        let text = Array(fingerprint.json.utf8)
        var prelude = Array(Self.title.utf8)
        for number in [UInt64(text.count), Checksum.of(text)] {
            for shift in stride(from: UInt64(0), to: 64, by: 8) {
                prelude.append(UInt8(truncatingIfNeeded: number >> shift))
            }
        }
        try file.truncate(toBytes: 0)
        try file.write(text, at: CheckpointFile.Layout.fingerprintOffset)
        try file.write(prelude, at: 0)
        self.fingerprint = text
        record = nil
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
}
