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
        hasBegun = try self.file.size > CheckpointFile.Layout.marksOffset(fingerprintBytes: 0)
        for slot in CheckpointFile.Layout.slotOffsets {
            let bytes = try bytes(CheckpointRecord.byteCount, at: slot)
            record = CheckpointRecord.newer(record, CheckpointRecord(bytes: bytes))
            // A torn record is a record of something.
            hasBegun = hasBegun || bytes.contains { $0 != 0 }
        }
        fingerprint = try readFingerprint() ?? []
    }

    private func readFingerprint() throws(FileError) -> [UInt8]? {
        let head = try bytes(Self.title.utf8.count + 16, at: 0)
        guard head.starts(with: Self.title.utf8), head.count == Self.title.utf8.count + 16 else {
            return nil
        }
        let numbers = head.dropFirst(Self.title.utf8.count)
        let count = UInt64(littleEndian: numbers.prefix(8))
        guard count <= UInt64(Limits.fingerprintBytesMax) else { return nil }
        let text = try bytes(Int(count), at: CheckpointFile.Layout.fingerprintOffset)
        return Checksum.of(text) == UInt64(littleEndian: numbers.dropFirst(8)) ? text : nil
    }

    private func bytes(_ count: Int, at offset: Int) throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe try bytes.withUnsafeMutableBufferPointer { bytes throws(FileError) in
            unsafe try file.read(into: UnsafeMutableRawBufferPointer(bytes), at: offset)
        }
        return Array(bytes.prefix(read))
    }

    /// Makes it the checkpoint of a new job: empty, but for the fingerprint.
    /// - Parameter text: The fingerprint's JSON.
    /// - Throws: `FileError` when it cannot be written.
    mutating func begin(_ text: [UInt8]) throws(FileError) {
        var prelude = Array(Self.title.utf8)
        prelude.append(littleEndian: UInt64(text.count))
        prelude.append(littleEndian: Checksum.of(text))
        try file.truncate(toBytes: 0)
        try file.write(text, at: CheckpointFile.Layout.fingerprintOffset)
        try file.write(prelude, at: 0)
        fingerprint = text
        record = nil
    }
}
