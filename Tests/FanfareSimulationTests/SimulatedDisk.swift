import FanfareBase
import FanfareCore
import Glibc

@testable import Fanfare
@testable import FanfareSystem

/// What is left when a process ends: the output files, the records of the checkpoint, the marks.
///
/// All that is asked of it takes a number of units, a byte each mostly; when those that a kill
/// leaves are over it happens in the middle of one thing, and nothing more is done.
final class SimulatedDisk: CheckpointStorage {
    /// What the system holds, and what of it a loss of power would leave for certain.
    private struct Content {
        var files: [OutputKind: [UInt8]] = [:]
        var slots: [Int: [UInt8]] = [:]
    }

    private static let killed = FileError(errno: EINTR, "write", "a killed process")

    private var now = Content()
    private var safe = Content()
    private let memory: UnsafeMutableRawPointer
    private let markBytes: Int
    private var safeMarks: [UInt8]

    /// Changes when the machine is started anew.
    private(set) var boot: UInt64 = 1
    /// Whether the checkpoint is there.
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
        markBytes = MarkLayout.marks.bytes(throughRow: UInt64(rows) + Limits.reservationRows)
        memory = .allocate(byteCount: markBytes, alignment: 8)
        Self.forgetMarks(memory, markBytes)
        safeMarks = Array(UnsafeRawBufferPointer(start: memory, count: markBytes))
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

    /// How much of something happens.
    private func spend(_ units: Int) -> Int {
        guard !isKilled else { return 0 }
        let spent = min(units, unitsLeft)
        if unitsLeft != .max { unitsLeft -= spent }
        isKilled = spent < units
        return spent
    }

    // MARK: Output files

    func bytes(of kind: OutputKind) -> [UInt8] { now.files[kind, default: []] }

    var sizes: OutputLengths {
        var sizes = OutputLengths()
        for (kind, bytes) in now.files { sizes[kind] = bytes.count }
        return sizes
    }

    /// Starts a file anew.
    func create(_ kind: OutputKind, _ header: [UInt8]) {
        now.files[kind] = header
        safe.files[kind] = []
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>, to kind: OutputKind) throws(FileError) {
        let isLimited = kind != .report || !sparesReport
        let fitting = isLimited ? min(bytes.count, room) : bytes.count
        let count = spend(fitting)
        now.files[kind, default: []] += bytes[..<count]
        room -= room == .max || !isLimited ? 0 : count
        if isKilled { throw Self.killed }
        guard count == bytes.count else {
            fullCount += 1
            throw FileError(errno: ENOSPC, "write", "\(kind)")
        }
    }

    func cut(_ kind: OutputKind, to length: Int) throws(FileError) {
        guard spend(1) == 1 else { throw Self.killed }
        let size = bytes(of: kind).count
        precondition(length <= size, "a file is never made longer")
        now.files[kind]?.removeLast(size - length)
        if room != .max && (kind != .report || !sparesReport) { room += size - length }
        // The shorter file may be found again, or the longer one.
        let safeCount = safe.files[kind, default: []].count
        if safeCount > length { safe.files[kind]?.removeLast(safeCount - length) }
    }

    func synchronizeFiles() throws(FileError) {
        for kind in OutputKind.allCases where now.files[kind] != nil {
            guard spend(1) == 1 else { throw Self.killed }
            safe.files[kind] = now.files[kind]
        }
    }

    // MARK: Checkpoint

    func write(_ bytes: [UInt8], at offset: Int) throws(FileError) {
        let count = spend(bytes.count)
        var slot = now.slots[offset] ?? []
        slot += [UInt8](repeating: 0, count: max(0, bytes.count - slot.count))
        slot.replaceSubrange(..<count, with: bytes[..<count])
        now.slots[offset] = slot
        if isKilled { throw Self.killed }
    }

    func synchronize() throws(FileError) {
        guard spend(1) == 1 else { throw Self.killed }
        safe.slots = now.slots
        safeMarks = Array(UnsafeRawBufferPointer(start: memory, count: markBytes))
    }

    func removeCheckpoint() throws(FileError) {
        guard spend(1) == 1 else { throw Self.killed }
        hasCheckpoint = false
    }

    /// What is at a place of the checkpoint: behind a shorter text there is still the end of a longer one.
    func bytes(at offset: Int) -> [UInt8] { now.slots[offset, default: []] }

    /// The newer whole record.
    var record: CheckpointRecord? {
        let slots = CheckpointFile.Layout.slotOffsets.map {
            CheckpointRecord(bytes: now.slots[$0] ?? [])
        }
        return CheckpointRecord.newer(slots[0], slots[1])
    }

    private static func forgetMarks(_ memory: UnsafeMutableRawPointer, _ byteCount: Int) {
        let word = MarkLayout.marks.newGroup
        for index in 0..<byteCount {
            memory.storeBytes(of: word[index % 8], toByteOffset: index, as: UInt8.self)
        }
    }

    /// The rows of the first marks that no process can have left so.
    var damagedRows: ClosedRange<UInt64>? {
        let bytes = UnsafeRawBufferPointer(start: memory, count: markBytes)
        return MarkLayout.marks.damagedGroup(in: bytes).map {
            UInt64($0) * 32...UInt64($0) * 32 + 31
        }
    }

    /// Forgets all marks, and marks rows of which nothing is known any more.
    func replaceMarks(through row: UInt64, unless isKnown: (UInt64) -> Bool) {
        Self.forgetMarks(memory, markBytes)
        guard row > 0 else { return }
        for doubtful in 1...row where !isKnown(doubtful) { marks.set(doubtful) }
    }

    // MARK: Loss of power

    /// What had not reached the disk is lost, some of it or all.
    func losePower(_ dice: inout Dice) {
        boot += 1
        for kind in OutputKind.allCases {
            guard var bytes = now.files[kind] else { continue }
            let kept = dice.number(
                min(safe.files[kind, default: []].count, bytes.count)...bytes.count)
            if dice.chance(0.5) {
                bytes.removeLast(bytes.count - kept)
            } else {
                // The length was kept, and not all that was in it.
                let holes = bytes.count - kept
                bytes.replaceSubrange(kept..., with: Array(repeating: 0, count: holes))
            }
            now.files[kind] = bytes
        }
        for offset in CheckpointFile.Layout.slotOffsets where dice.chance(0.5) {
            now.slots[offset] = safe.slots[offset]
        }
        loseText(&dice)
        for index in 0..<markBytes where dice.chance(0.5) {
            memory.storeBytes(of: safeMarks[index], toByteOffset: index, as: UInt8.self)
        }
        safe.files = now.files
        safe.slots = now.slots
        safeMarks = Array(UnsafeRawBufferPointer(start: memory, count: markBytes))
    }

    /// What is no record has more than one sector: any part of it may be lost.
    private func loseText(_ dice: inout Dice) {
        let records = CheckpointFile.Layout.slotOffsets
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

/// One of the output files, as the process that has it open sees it.
final class SimulatedFile: RecordFile {
    let isCompressed = false
    private let disk: SimulatedDisk
    private let kind: OutputKind
    private(set) var length: Int

    init(_ disk: SimulatedDisk, _ kind: OutputKind) {
        self.disk = disk
        self.kind = kind
        length = disk.bytes(of: kind).count
    }

    var name: String { "\(kind)" }

    var excess: Int { disk.bytes(of: kind).count - length }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        try disk.append(bytes, to: kind)
        length += bytes.count
    }

    func cut(toLength length: Int) throws(FileError) {
        try disk.cut(kind, to: length)
        self.length = length
    }
}
