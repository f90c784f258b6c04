import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// A fingerprint that takes the place of another one in a checkpoint: one of the two counts at any
/// moment, whole.
@Suite struct SecondFingerprintTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private let name = "r.csv.checkpoint"

    /// The offset of the second fingerprint of a short one: half way from 12,288 to 65,536.
    private let secondOffset = 38_912

    private func fingerprint(_ letter: Character, bytes: Int = 100) -> [UInt8] {
        Array(String(repeating: letter, count: bytes).utf8)
    }

    /// The state that a later run finds.
    private struct Found: Equatable {
        var fingerprint: [UInt8]
        var lastMarkedRow: UInt64
        var marksOffset: Int
        var isRecordLost: Bool
    }

    private func found() throws -> Found {
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        let record = opened.record ?? CheckpointRecord()
        return Found(
            fingerprint: opened.fingerprint, lastMarkedRow: try opened.lastMarkedRow(in: record),
            marksOffset: opened.marksOffset, isRecordLost: opened.isRecordLost)
    }

    /// Makes the checkpoint of a job that was killed when row 40 was on the wire.
    private func make(_ text: [UInt8]) throws {
        var opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        try opened.begin(text, layout: .marks)
        let checkpoint = try CheckpointFile(
            opened, record: CheckpointRecord(), isDurable: false)
        try checkpoint.begin(at: OutputLengths())
        try checkpoint.prepare(through: 100)
        checkpoint.marks.set(40)
    }

    /// Does what a run does that goes on with another fingerprint, up to its first record.
    private func replace(by text: [UInt8], writesRecord: Bool = true) throws {
        var opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        var record = opened.record ?? CheckpointRecord()
        try opened.replaceFingerprint(by: text, from: &record)
        if writesRecord {
            let checkpoint = try CheckpointFile(opened, record: record, isDurable: false)
            try checkpoint.begin(at: record.covered)
        }
    }

    /// Writes the first bytes of a run, in its order, and looks at what is found after each of them.
    private func expect(
        _ kept: Found, from before: [UInt8], to after: [UInt8], _ what: String
    ) throws {
        #expect(before.count == after.count)
        let changed = before.indices.filter { before[$0] != after[$0] }
        // The fingerprint first, then what is said of it.
        let order = changed.filter { $0 >= 12_288 } + changed.filter { $0 < 12_288 }
        #expect(order.count >= 100)
        var bytes = before
        for place in order {
            bytes[place] = after[place]
            try folder.write(bytes, to: name)
            #expect(try found() == kept, "\(what), up to byte \(place)")
        }
    }

    @Test func `another fingerprint counts from the first record that says so`() throws {
        try make(fingerprint("a"))
        // Into the second place, the first one and the second one again; longer ones and shorter ones.
        for text in [fingerprint("b", bytes: 130), fingerprint("c", bytes: 90), fingerprint("d")] {
            let before = try found()
            try replace(by: text, writesRecord: false)
            #expect(try found() == before)
            try replace(by: text)
            var after = before
            after.fingerprint = text
            #expect(try found() == after)
            #expect(after.lastMarkedRow == 40)
        }
    }

    @Test(arguments: [1, 2])
    func `a kill at any byte of another fingerprint leaves the one that counts`(
        earlier: Int
    ) throws {
        try make(fingerprint("a"))
        if earlier == 2 { try replace(by: fingerprint("b")) }
        let (before, kept) = (try folder.bytes(name), try found())
        #expect(kept.fingerprint == fingerprint(earlier == 1 ? "a" : "b"))
        try replace(by: fingerprint("c"), writesRecord: false)
        try expect(kept, from: before, to: try folder.bytes(name), "after \(earlier)")
    }

    @Test func `a bit turned in the fingerprint that counts is damage, and in the other one none`()
        throws
    {
        try make(fingerprint("a"))
        try replace(by: fingerprint("b"))
        let bytes = try folder.bytes(name)
        let second = Array(2048..<2080) + Array(secondOffset..<secondOffset + 100)
        let first = Array(21..<53) + Array(12_288..<12_388)
        for place in second + first {
            var damaged = bytes
            damaged[place] ^= 1 << UInt8(place % 8)
            try folder.write(damaged, to: name)
            let expected = first.contains(place) ? fingerprint("b") : []
            #expect(try found().fingerprint == expected, "a bit of byte \(place)")
        }
    }

    @Test(arguments: [(100, 65_536), (13_312, 65_536), (13_313, 131_072), (60_000, 262_144)])
    func `a new checkpoint has room for a fingerprint twice as long`(
        bytes: Int, marksOffset: Int
    ) throws {
        try make(fingerprint("a", bytes: bytes))
        #expect(try found().marksOffset == marksOffset)
        let longer = fingerprint("b", bytes: 2 * bytes)
        try replace(by: longer)
        let after = try found()
        #expect(after.fingerprint == longer && after.marksOffset == marksOffset)
        #expect(after.lastMarkedRow == 40)
    }

    // MARK: The version before

    /// A checkpoint as the version before has made it: its prelude has three numbers, and the marks come at
    /// the next multiple of 64 KiB.
    private func makeOld(_ text: [UInt8], marksOffset: Int) throws {
        var checked = text
        checked.append(littleEndian: 8)
        var bytes = Array("fanfare checkpoint 2\n".utf8)
        bytes.append(littleEndian: UInt64(text.count))
        bytes.append(littleEndian: Checksum.of(checked))
        bytes.append(littleEndian: 8)
        var record = CheckpointRecord()
        record.sequence = 1
        record.markBytes = 65_536
        bytes += [UInt8](repeating: 0, count: 8192 - bytes.count) + record.bytes
        bytes += [UInt8](repeating: 0, count: 12_288 - bytes.count) + text
        bytes += [UInt8](repeating: 0, count: marksOffset - bytes.count)
        bytes += [[UInt8]](repeating: MarkLayout.marks.newGroup, count: 8192).joined()
        try folder.write(bytes, to: name)
    }

    @Test(arguments: [(100, 65_536), (26_624, 65_536), (54_000, 131_072)])
    func `a checkpoint of the version before takes another fingerprint, if there is room`(
        bytes: Int, marksOffset: Int
    ) throws {
        let old = fingerprint("a", bytes: bytes)
        try makeOld(old, marksOffset: marksOffset)
        let before = Found(
            fingerprint: old, lastMarkedRow: 0, marksOffset: marksOffset, isRecordLost: false)
        #expect(try found() == before)
        try replace(by: fingerprint("b", bytes: bytes))
        var after = before
        after.fingerprint = fingerprint("b", bytes: bytes)
        #expect(try found() == after)
    }

    @Test(arguments: [(26_625, 65_536), (53_248, 65_536), (60_000, 131_072)])
    func `a checkpoint of the version before may have no room for another one`(
        bytes: Int, marksOffset: Int
    ) throws {
        let old = fingerprint("a", bytes: bytes)
        try makeOld(old, marksOffset: marksOffset)
        #expect(try found().fingerprint == old)
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        // It would lie over the one that counts.
        let hasRoom = opened.hasRoom(forFingerprintBytes: 100)
        #expect(!hasRoom)
    }
}
