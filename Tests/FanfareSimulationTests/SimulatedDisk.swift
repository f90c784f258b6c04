import FanfareBase
import FanfareCore
import FanfareTestSupport
import Glibc

@testable import Fanfare
@testable import FanfareSystem

/// The state that is left when a process ends: the output files, the records of the checkpoint, the
/// marks.
///
/// All that is asked of it takes a number of units, a byte each mostly; when those that a kill
/// leaves are over it happens in the middle of one thing, and nothing more is done.
final class SimulatedDisk: JobDisk, @unchecked Sendable {
    typealias File = SimulatedFile
    typealias Marks = SimulatedDisk

    /// The content that the system holds, and the part of it that survives a loss of power for
    /// certain.
    private struct Content {
        var files: [String: [UInt8]] = [:]
        var slots: [Int: [UInt8]] = [:]
    }

    static let killed = FileError(errno: EINTR, "write", "a killed process")

    private var now = Content()
    private var safe = Content()
    let memory: UnsafeMutableRawPointer
    private let markBytes: Int
    /// The bytes of the marks that any row can have.
    private let usedMarkBytes: Int
    private var safeMarks: [UInt8]

    /// Changes when the machine is started anew.
    private(set) var boot: UInt64 = 1
    /// True if the checkpoint is there.
    private(set) var hasCheckpoint = true
    /// Bytes that the files may still grow by.
    var room = Int.max
    /// The report is on another disk, which has room.
    var sparesReport = false
    /// Writes that met a full disk.
    private(set) var fullCount = 0
    private var unitsLeft = Int.max
    /// The process is dead, and has left what it was doing as it is.
    private(set) var isKilled = false

    /// The marks of all rows and of all that may be reserved.
    let marks: StartMarks

    init(rows: Int) {
        usedMarkBytes = MarkLayout.marks.bytes(throughRow: UInt64(rows) + Limits.reservationRows)
        let step = Limits.checkpointStepGroups * MarkLayout.marks.groupBytes
        markBytes = (usedMarkBytes + step - 1) / step * step
        memory = .allocate(byteCount: markBytes, alignment: 8)
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: markBytes)
        safeMarks = Array(repeating: 0, count: markBytes)
        marks = StartMarks(memory: memory)
    }

    deinit { memory.deallocate() }

    /// Kills the process after so many units of what is written.
    func kill(after units: Int) { unitsLeft = units }

    /// The next process finds what there is.
    func revive() {
        isKilled = false
        unitsLeft = .max
    }

    /// Draws the amount of something that happens.
    private func spend(_ units: Int) -> Int {
        guard !isKilled else { return 0 }
        let spent = min(units, unitsLeft)
        if unitsLeft != .max { unitsLeft -= spent }
        isKilled = spent < units
        return spent
    }

    /// Something that happens or not.
    private func spendOne() throws(FileError) {
        guard spend(1) == 1 else { throw Self.killed }
    }

    // MARK: Output files

    func bytes(of path: String) -> Int? { now.files[path]?.count }

    func later(_ parts: ReportParts) -> [String] {
        now.files.keys.compactMap { path in parts.part(named: path).map { ($0, path) } }
            .sorted { $0.0 < $1.0 }.map { $0.1 }
    }

    func contents(of path: String) -> RowInput { .memory(now.files[path, default: []], name: path) }

    func open(_ path: String, mayExist: Bool) throws(FileError) -> SimulatedFile {
        if now.files[path] == nil {
            try spendOne()
            now.files[path] = []
        } else if !mayExist {
            throw FileError(errno: EEXIST, "open", path)
        }
        return SimulatedFile(self, path)
    }

    func remove(_ path: String) throws(FileError) {
        try spendOne()
        now.files[path] = nil
    }

    func synchronize(_ path: String) throws(FileError) {
        try spendOne()
        safe.files[path] = now.files[path]
    }

    func checksum(of files: [(path: String, bytes: Int)]) throws(FileError) -> UInt64 {
        max(1, Checksum.of(files.flatMap { now.files[$0.path, default: []].prefix($0.bytes) }))
    }

    func mayBeBegun(_ path: String, of parts: ReportParts, _ beginning: [UInt8]) -> Bool {
        let head = now.files[path, default: []].prefix(beginning.count)
        return ReportParts.mayBegin(Array(head), beginning)
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>, to path: String) throws(FileError) {
        let isLimited = isLimited(path)
        let fitting = isLimited ? min(bytes.count, room) : bytes.count
        let count = spend(fitting)
        now.files[path, default: []] += bytes[..<count]
        room -= room == .max || !isLimited ? 0 : count
        if isKilled { throw Self.killed }
        guard count == bytes.count else {
            fullCount += 1
            throw FileError(errno: ENOSPC, "write", path)
        }
    }

    private func isLimited(_ path: String) -> Bool {
        !sparesReport || !path.hasPrefix("report")
    }

    func cut(_ path: String, to length: Int) throws(FileError) {
        try spendOne()
        let size = now.files[path, default: []].count
        precondition(length <= size, "a file is never made longer")
        now.files[path]?.removeLast(size - length)
        if room != .max && isLimited(path) { room += size - length }
        // The shorter file may be found again, or the longer one.
        let safeCount = safe.files[path, default: []].count
        if safeCount > length { safe.files[path]?.removeLast(safeCount - length) }
    }

    // MARK: Loss of power

    /// Loses the content that had not reached the disk, some of it or all.
    func losePower(_ dice: inout Dice) {
        boot += 1
        for path in Set(now.files.keys).union(safe.files.keys).sorted() {
            loseFile(path, &dice)
        }
        for offset in CheckpointLayout.slotOffsets where dice.chance(0.5) {
            now.slots[offset] = safe.slots[offset]
        }
        loseText(&dice)
        for index in 0..<usedMarkBytes where dice.chance(0.5) {
            memory.storeBytes(of: safeMarks[index], toByteOffset: index, as: UInt8.self)
        }
        safe = now
        safeMarks = Array(UnsafeRawBufferPointer(start: memory, count: markBytes))
    }

    private func loseFile(_ path: String, _ dice: inout Dice) {
        guard var bytes = now.files[path] else {
            // It was removed, and that may be forgotten.
            if dice.chance(0.5) { now.files[path] = safe.files[path] }
            return
        }
        // One that was never synchronised may have no name yet.
        if safe.files[path] == nil, dice.chance(0.5) { return now.files[path] = nil }
        let kept = dice.number(min(safe.files[path, default: []].count, bytes.count)...bytes.count)
        if dice.chance(0.5) {
            bytes.removeLast(bytes.count - kept)
        } else {
            // The length was kept, and not all that was in it.
            let holes = bytes.count - kept
            bytes.replaceSubrange(kept..., with: Array(repeating: 0, count: holes))
        }
        now.files[path] = bytes
    }

    /// Loses any part of a text that is no record and has more than one sector.
    private func loseText(_ dice: inout Dice) {
        let records = CheckpointLayout.slotOffsets
        for offset in now.slots.keys.sorted() where !records.contains(offset) {
            let kept = safe.slots[offset, default: []]
            var bytes = bytes(at: offset)
            for index in bytes.indices where dice.chance(0.5) {
                bytes[index] = index < kept.count ? kept[index] : 0
            }
            now.slots[offset] = bytes
        }
    }
}

/// The checkpoint: records and texts at their places, and behind them the marks.
extension SimulatedDisk: MarkStorage {
    static let marksOffset = 65_536

    var path: String { "report.checkpoint" }

    /// Writes a record, a text, or marks.
    ///
    /// A record is there or not: it has a page of its own. Of a text there may be a part; and marks are
    /// written in pieces.
    func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        guard offset < Self.marksOffset else { return try writeMarks(bytes, at: offset) }
        var count = spend(bytes.count)
        if isKilled, CheckpointLayout.slotOffsets.contains(offset) { count = 0 }
        var slot = now.slots[offset] ?? []
        slot += [UInt8](repeating: 0, count: max(0, bytes.count - slot.count))
        slot.replaceSubrange(..<count, with: bytes[..<count])
        now.slots[offset] = count == 0 ? now.slots[offset] : slot
        if isKilled { throw Self.killed }
    }

    private func writeMarks(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let pieces = 16
        let count = bytes.count / pieces * spend(pieces)
        bytes.withUnsafeBytes {
            memory.advanced(by: offset - Self.marksOffset)
                .copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: count)
        }
        if isKilled { throw Self.killed }
    }

    func synchronize() throws(FileError) {
        try spendOne()
        safe.slots = now.slots
        safeMarks = Array(UnsafeRawBufferPointer(start: memory, count: markBytes))
    }

    func reserve(_ range: Range<Int>) throws(FileError) {
        precondition(range.upperBound <= Self.marksOffset + markBytes, "more marks than rows")
    }

    func truncate(toBytes length: Int) throws(FileError) {
        try spendOne()
        let start = length - Self.marksOffset
        memory.advanced(by: start).initializeMemory(
            as: UInt8.self, repeating: 0, count: markBytes - start)
    }

    func forget(_ range: Range<Int>) {}

    func remove() throws(FileError) {
        try spendOne()
        hasCheckpoint = false
    }

    func standing() throws(FileError) -> FileDescriptor.Standing { .asWritten }

    func unlock() {}

    /// The content at a place of the checkpoint: behind a shorter text there is still the end of a
    /// longer one.
    func bytes(at offset: Int) -> [UInt8] { now.slots[offset, default: []] }

    /// The newer whole record.
    var record: CheckpointRecord? {
        let records = CheckpointLayout.slotOffsets.map { CheckpointRecord(bytes: bytes(at: $0)) }
        return CheckpointRecord.newer(records[0], records[1])
    }

    /// True if there was another record.
    var isRecordLost: Bool {
        CheckpointRecord.isOneLost(CheckpointLayout.slotOffsets.map { bytes(at: $0) })
    }

    /// The rows of the first marks that no process can have left so, as `OpenedCheckpoint` finds them.
    func damagedRows(in record: CheckpointRecord) -> ClosedRange<UInt64>? {
        let bytes = UnsafeRawBufferPointer(start: memory, count: markBytes)
        let known = UnsafeRawBufferPointer(rebasing: bytes[..<record.markBytes])
        let rest = UnsafeRawBufferPointer(rebasing: bytes[record.markBytes...])
        let layout = MarkLayout.marks
        let group =
            layout.damagedGroup(in: known)
            ?? layout.usedGroup(in: rest).map { record.markBytes / layout.groupBytes + $0 }
        return group.map { UInt64($0) * 32...UInt64($0) * 32 + 31 }
    }
}

/// One of the output files, as the process that has it open sees it.
final class SimulatedFile: DiskFile {
    private let disk: SimulatedDisk
    let path: String
    let canBeCut = true
    let hasName = true

    init(_ disk: SimulatedDisk, _ path: String) {
        self.disk = disk
        self.path = path
    }

    var name: String { path }

    var size: Int { disk.bytes(of: path) ?? 0 }

    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        try disk.append(bytes, to: path)
    }

    func truncate(toBytes length: Int) throws(FileError) { try disk.cut(path, to: length) }

    func synchronize() throws(FileError) { try disk.synchronize(path) }

    func standing(bytes: Int) throws(FileError) -> FileDescriptor.Standing {
        size == bytes ? .asWritten : .resized(bytes: size)
    }
}
