import FanfareBase
import Testing

@testable import FanfareCore

struct CheckpointRecordTests {
    private var record: CheckpointRecord {
        var record = CheckpointRecord()
        record.sequence = 0x0102_0304_0506_0708
        record.boot = .max
        record.isDurable = true
        record.covered = .init(retryRows: 3, unregistered: 2, report: 1)
        record.intended = .init(retryRows: 6, unregistered: 5, report: 4)
        record.reservation = 1 << 40
        record.markBytes = 7
        record.reportChecksum = 8 << 56
        return record
    }

    @Test
    func `comes back as it went`() {
        #expect(CheckpointRecord(bytes: record.bytes) == record)
        var atRest = record
        atRest.isAtRest = true
        atRest.isDurable = false
        atRest.isBeingReplaced = true
        #expect(CheckpointRecord(bytes: atRest.bytes) == atRest)
        atRest.isBeingOrdered = true
        #expect(CheckpointRecord(bytes: atRest.bytes) == atRest)
        atRest.hasSecondFingerprint = true
        #expect(CheckpointRecord(bytes: atRest.bytes) == atRest)
        #expect(CheckpointRecord(bytes: record.bytes)?.hasSecondFingerprint == false)
    }

    @Test
    func `lengths are added file by file`() {
        let sum = record.covered + record.intended
        #expect(sum == OutputLengths(retryRows: 9, unregistered: 7, report: 5))
    }

    @Test
    func `numbers are little-endian, in the order of the picture`() {
        let bytes = record.bytes
        #expect(bytes.count == CheckpointRecord.byteCount)
        #expect(bytes[0..<8].elementsEqual([8, 7, 6, 5, 4, 3, 2, 1]))
        #expect(bytes[16] == 2)
        #expect(bytes[29] == 1)
        #expect([32, 40, 48, 56, 64, 72, 80, 95].map { bytes[$0] } == [3, 2, 1, 6, 5, 4, 7, 8])
    }

    @Test
    func `a record with any byte changed, or cut anywhere, is none`() {
        let bytes = record.bytes
        for index in bytes.indices {
            var torn = bytes
            torn[index] ^= 0x10
            #expect(CheckpointRecord(bytes: torn) == nil)
            #expect(CheckpointRecord(bytes: bytes[..<index]) == nil)
        }
        #expect(
            CheckpointRecord(bytes: [UInt8](repeating: 0, count: CheckpointRecord.byteCount)) == nil
        )
    }

    @Test
    func `of two records the later one counts, and the whole one before a torn one`() {
        var later = record
        later.sequence += 1
        #expect(CheckpointRecord.newer(record, later) == later)
        #expect(CheckpointRecord.newer(later, record) == later)
        #expect(CheckpointRecord.newer(nil, record) == record)
        #expect(CheckpointRecord.newer(later, nil) == later)
        #expect(CheckpointRecord.newer(nil, nil) == nil)
    }

    @Test
    func `a record that is torn or gone is lost, but for the second place behind the first record`()
    {
        var (first, later) = (record, record)
        first.sequence = 1
        later.sequence = 2
        let empty = [UInt8](repeating: 0, count: CheckpointRecord.byteCount)
        var torn = later.bytes
        torn[9] ^= 1
        #expect(!CheckpointRecord.isOneLost([empty, empty]))
        #expect(!CheckpointRecord.isOneLost([[], first.bytes]))
        #expect(!CheckpointRecord.isOneLost([empty, first.bytes]))
        #expect(!CheckpointRecord.isOneLost([later.bytes, first.bytes]))
        for lost in [[], empty, torn, Array(later.bytes.dropLast())] {
            #expect(CheckpointRecord.isOneLost([later.bytes, lost]))
        }
        #expect(CheckpointRecord.isOneLost([torn, first.bytes]))
    }

    /// The vectors of the FNV reference implementation, draft-eastlake-fnv appendix C.
    @Test(
        arguments: [
            ("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] as [(String, UInt64)])
    func `the checksum is FNV-1a`(text: String, hash: UInt64) {
        #expect(Checksum.of(Array(text.utf8)) == hash)
    }
}
