import FanfareBase
import FanfareCore
import FanfareSystem

/// A checkpoint's file that is open and locked, before a job has taken it over.
struct OpenedCheckpoint: ~Copyable {
    let path: String
    private(set) var file: FileDescriptor
    /// The fingerprint's JSON; empty when the file is new or was torn while it was made.
    private(set) var fingerprint: [UInt8] = []
    /// The last whole record, if there is one.
    private(set) var record: CheckpointRecord?

    /// The layout of each row's marks.
    private(set) var layout = MarkLayout.marks
    /// The place of the first marks.
    private(set) var marksOffset = CheckpointLayout.marksOffset(fingerprintBytes: 0)
    /// True if rows may have been handed out under it, as far as anything of it is left.
    private(set) var hasBegun = false
    /// True if it is whole but for its first record: no row was handed out under it.
    private(set) var isReady = false
    /// True if a killed process may have left it while making it, or just after.
    ///
    /// No row was handed out yet.
    private(set) var isUnfinished = false
    /// True if there was another record, which may have been newer.
    private(set) var isRecordLost = false
    /// True if another version of Fanfare has made it.
    let isForeign: Bool

    private static let anyTitle = Array("fanfare checkpoint ".utf8)
    static let title = anyTitle + Array("2\n".utf8)

    consuming func takeFile() -> FileDescriptor { file }

    /// Opens and locks the checkpoint of a report, and makes it if it is not there.
    /// - Returns: The checkpoint; nil if another process has it.
    /// - Throws: `FileError` when it cannot be opened, or is a file that Fanfare has not made.
    static func open(_ path: String) throws(FileError) -> OpenedCheckpoint? {
        while true {
            let file = try FileDescriptor.own(path)
            guard try file.tryLock() else { return nil }
            // Its holder may have finished the job and removed it just before.
            guard try file.hasName else { continue }
            let isForeign = try isForeign(file)
            return try OpenedCheckpoint(path: path, file: file, isForeign: isForeign)
        }
    }

    private init(
        path: String, file: consuming FileDescriptor, isForeign: Bool
    ) throws(FileError) {
        self.path = path
        self.file = file
        self.isForeign = isForeign
        var places: [[UInt8]] = []
        for slot in CheckpointLayout.slotOffsets {
            let bytes = try self.file.bytes(CheckpointRecord.byteCount, at: slot)
            record = CheckpointRecord.newer(record, CheckpointRecord(bytes: bytes))
            // A torn record is a record of something.
            hasBegun = hasBegun || bytes.contains { $0 != 0 }
            places.append(bytes)
        }
        isRecordLost = CheckpointRecord.isOneLost(places)
        if !hasBegun { isUnfinished = try isBeingMade() }
        // The prelude is the last part that a new checkpoint gets; behind the fingerprint come
        // marks.
        if let prelude = try readFingerprint() {
            let end = CheckpointLayout.fingerprintOffset + prelude.fingerprintBytes
            let size = try self.file.size
            if size > end, !isUnfinished { hasBegun = true }
            isReady = !hasBegun && !fingerprint.isEmpty && size == end
        }
    }

    /// Checks the title: Fanfare writes to no file of another program.
    /// - Returns: True if another version of Fanfare has made it.
    private static func isForeign(_ file: borrowing FileDescriptor) throws(FileError) -> Bool {
        let head = try file.bytes(title.count, at: 0)
        guard head.starts(with: anyTitle) || anyTitle.starts(with: head) else {
            throw FileError(
                .other, "open", file.path, "it is no checkpoint of Fanfare; move it away")
        }
        return head.count == title.count && head != title
    }

    /// Reads the fingerprint that counts.
    /// - Returns: The prelude, even if it or its fingerprint is damaged; nil if it was never
    ///   written.
    private mutating func readFingerprint() throws(FileError) -> CheckpointPrelude? {
        let isSecond = record?.hasSecondFingerprint == true
        let found = try file.bytes(
            CheckpointPrelude.byteCount,
            at: CheckpointLayout.preludeOffset(isSecond: isSecond))
        guard let prelude = CheckpointPrelude(bytes: found) else { return nil }
        let title = try file.bytes(Self.title.count, at: 0)
        guard title == Self.title, let offset = prelude.marksOffset else { return prelude }
        let text = try file.bytes(
            prelude.fingerprintBytes,
            at: CheckpointLayout.fingerprintOffset(isSecond: isSecond, marksOffset: offset))
        guard let layout = prelude.layout(ofMarksBehind: text) else { return prelude }
        fingerprint = text
        marksOffset = offset
        self.layout = layout
        return prelude
    }

    /// Returns true if the file is in a state that `begin` leaves until it has written the whole
    /// prelude.
    ///
    /// A file that was whole, and then was cut or has zeros in it, differs: it has a prelude
    /// without its fingerprint, or marks. There is no difference only if nothing but the title is
    /// left.
    private func isBeingMade() throws(FileError) -> Bool {
        let start = CheckpointLayout.fingerprintOffset
        let head = try file.bytes(start, at: 0)
        if Self.title.starts(with: head) { return true }
        let count = try file.size - start
        guard head.starts(with: Self.title), count <= Limits.fingerprintBytesMax else {
            return false
        }
        let text = try file.bytes(max(0, count), at: start)
        let rest = head.dropFirst(Self.title.count)
        let end = (rest.lastIndex { $0 != 0 } ?? rest.startIndex - 1) + 1
        let isPrelude = [MarkLayout.marks, .marksAndChecks].contains { layout in
            let offset = CheckpointLayout.marksOffset(fingerprintBytes: text.count)
            let prelude = CheckpointPrelude(text, layout: layout, marksOffset: offset)
            return prelude.bytes.starts(with: rest[..<end])
        }
        // Marks have zeros, and JSON has none.
        return isPrelude && !text.contains(0)
    }

    /// The first rows of which the marks are damaged, or gone with the file's end, or have a mark though
    /// the record knows of none: then a newer record is gone.
    /// - Throws: `FileError` when it cannot be read.
    func damagedRows(in record: CheckpointRecord) throws(FileError) -> ClosedRange<UInt64>? {
        let start = marksOffset
        var offset = 0
        while offset < record.markBytes {
            let wanted = min(
                Limits.checkpointStepGroups * layout.groupBytes, record.markBytes - offset)
            let found = try file.bytes(wanted, at: start + offset)
            let damaged = unsafe found.withUnsafeBytes { unsafe layout.damagedGroup(in: $0) }
            if let group = damaged ?? (found.count < wanted ? found.count / layout.groupBytes : nil)
            {
                return rows(ofGroup: offset / layout.groupBytes + group)
            }
            offset += wanted
        }
        let size = try file.size
        while start + offset < size {
            let wanted = Limits.checkpointStepGroups * layout.groupBytes
            let found = try file.bytes(wanted, at: start + offset)
            let used = unsafe found.withUnsafeBytes { unsafe layout.usedGroup(in: $0) }
            if let group = used { return rows(ofGroup: offset / layout.groupBytes + group) }
            offset += wanted
        }
        return nil
    }

    /// The last row with a mark; 0 for none.
    /// - Throws: `FileError` when it cannot be read.
    func lastMarkedRow(in record: CheckpointRecord) throws(FileError) -> UInt64 {
        var (offset, last) = (0, UInt64(0))
        while offset < record.markBytes {
            let wanted = min(
                Limits.checkpointStepGroups * layout.groupBytes, record.markBytes - offset)
            let found = try file.bytes(wanted, at: marksOffset + offset)
            let marked = unsafe found.withUnsafeBytes { unsafe layout.lastMarkedRow(in: $0) }
            if let marked { last = UInt64(offset / layout.groupBytes) * 32 + marked }
            offset += wanted
        }
        return last
    }

    private func rows(ofGroup group: Int) -> ClosedRange<UInt64> {
        let first = UInt64(group) * 32
        return max(1, first)...first + 31
    }

    /// Makes it the checkpoint of a new job: empty, but for the fingerprint.
    /// - Parameters:
    ///   - text: The fingerprint's JSON.
    ///   - layout: The layout of each row's marks.
    /// - Throws: `FileError` when it cannot be written.
    mutating func begin(_ text: [UInt8], layout: MarkLayout) throws(FileError) {
        try file.truncate(toBytes: 0)
        // First of all, whose file it is.
        try file.write(Self.title, at: 0)
        // A disk that is full later has room for both records.
        let places = CheckpointLayout.slotOffsets
        try file.reserve(places[0]..<CheckpointLayout.fingerprintOffset)
        try file.write(text, at: CheckpointLayout.fingerprintOffset)
        let marksOffset = CheckpointLayout.marksOffset(fingerprintBytes: text.count)
        let prelude = CheckpointPrelude(text, layout: layout, marksOffset: marksOffset)
        try file.write(Self.title + prelude.bytes, at: 0)
        fingerprint = text
        self.layout = layout
        self.marksOffset = marksOffset
        record = nil
    }

    /// Returns true if a fingerprint has room beside the one that counts.
    func hasRoom(forFingerprintBytes count: Int) -> Bool {
        let room = CheckpointLayout.fingerprintRoom(marksOffset: marksOffset)
        return max(count, fingerprint.count) <= min(room, Limits.fingerprintBytesMax)
    }

    /// Writes another fingerprint, which has room, beside the one that counts.
    ///
    /// It counts from the next record on; until then nothing has changed.
    /// - Parameters:
    ///   - text: The fingerprint's JSON.
    ///   - record: The contents of that record.
    /// - Throws: `FileError` when it cannot be written.
    mutating func replaceFingerprint(
        by text: [UInt8], from record: inout CheckpointRecord
    ) throws(FileError) {
        let isRoomy = hasRoom(forFingerprintBytes: text.count)
        precondition(isRoomy, "BUG: a fingerprint is written where it has no room")
        let isSecond = !record.hasSecondFingerprint
        let prelude = CheckpointPrelude(text, layout: layout, marksOffset: marksOffset)
        try prelude.write(text, asSecond: isSecond, on: file)
        record.hasSecondFingerprint = isSecond
        fingerprint = text
    }
}
