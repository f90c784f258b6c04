import FanfareCore
import Testing

struct StartMarksTests {
    @Test
    func `each row has a bit of its own`() {
        withMarks(rows: 1000) { marks, _ in
            for row in UInt64(0)..<1000 where row % 7 == 0 { marks.set(row) }
            for row in UInt64(0)..<1000 where row % 21 == 0 { marks.clear(row) }
            for row in UInt64(0)..<1000 {
                #expect(marks.isSet(row) == (row % 7 == 0 && row % 21 != 0))
            }
        }
    }

    @Test
    func `setting and clearing twice is setting and clearing once`() {
        withMarks(rows: 64) { marks, _ in
            marks.set(63)
            marks.set(63)
            marks.clear(62)
            #expect(marks.isSet(63))
            marks.clear(63)
            marks.clear(63)
            #expect(!marks.isSet(63))
        }
    }

    @Test(arguments: [MarkLayout.marks, .marksAndChecks])
    func `one row that is marked is enough not to be clear`(layout: MarkLayout) {
        withMarks(rows: 95, layout) { marks, bytes in
            #expect(marks.areClear(through: 95))
            if layout == .marksAndChecks {
                let checks = RowChecks(memory: bytes.baseAddress!)
                checks[7] = 7
                #expect(marks.areClear(through: 95))
            }
            for row in UInt64(0)...95 {
                marks.set(row)
                #expect(!marks.areClear(through: 95))
                #expect(marks.areClear(through: 31) == (row > 31))
                marks.clear(row)
            }
            #expect(marks.areClear(through: 95))
        }
    }

    @Test(arguments: [MarkLayout.marks, .marksAndChecks])
    func `the last row with a mark is found`(
        layout: MarkLayout
    ) {
        withMarks(rows: 95, layout) { marks, bytes in
            let memory = UnsafeRawBufferPointer(bytes)
            #expect(layout.lastMarkedRow(in: memory) == nil)
            for row in UInt64(0)...95 {
                marks.set(row)
                #expect(layout.lastMarkedRow(in: memory) == row)
            }
            for row in UInt64(41)...95 { marks.clear(row) }
            #expect(layout.lastMarkedRow(in: memory) == 40)
        }
    }

    @Test(
        arguments: [
            (0, 8, 72), (31, 8, 72), (32, 16, 144), (63, 16, 144), (1_048_575, 262_144, 2_359_296),
        ] as [(UInt64, Int, Int)])
    func `rows take whole groups`(row: UInt64, bytes: Int, withChecks: Int) {
        #expect(MarkLayout.marks.bytes(throughRow: row) == bytes)
        #expect(MarkLayout.marksAndChecks.bytes(throughRow: row) == withChecks)
        #expect(MarkLayout.marks.lastRow(in: bytes) == row | 31)
        #expect(MarkLayout.marksAndChecks.lastRow(in: withChecks) == row | 31)
        #expect(MarkLayout.marks.lastRow(in: 7) == nil)
    }

    @Test
    func `a row has a bit and its opposite, in little-endian words as they are found in the file`()
    {
        withMarks(rows: 40) { marks, bytes in
            #expect(Array(bytes[..<8]) == [0, 0, 0, 0, 255, 255, 255, 255])
            marks.set(0)
            marks.set(9)
            marks.set(33)
            #expect(Array(bytes[..<8]) == [1, 2, 0, 0, 254, 253, 255, 255])
            #expect(Array(bytes[8..<16]) == [2, 0, 0, 0, 253, 255, 255, 255])
        }
    }

    @Test(arguments: [MarkLayout.marks, .marksAndChecks])
    func `marks with any bit turned, or with a word of zeros or ones, are damaged`(
        layout: MarkLayout
    ) {
        withMarks(rows: 95, layout) { marks, bytes in
            for row in [3, 40, 41, 95] as [UInt64] { marks.set(row) }
            marks.clear(40)
            #expect(layout.damagedGroup(in: UnsafeRawBufferPointer(bytes)) == nil)
            for group in 0..<3 {
                let start = group * layout.groupBytes
                for bit in 0..<64 {
                    bytes[start + bit / 8] ^= 1 << UInt8(bit % 8)
                    #expect(layout.damagedGroup(in: UnsafeRawBufferPointer(bytes)) == group)
                    bytes[start + bit / 8] ^= 1 << UInt8(bit % 8)
                }
                for fill in [0, 255] as [UInt8] {
                    let kept = Array(bytes[start..<start + 8])
                    for index in start..<start + 8 { bytes[index] = fill }
                    #expect(layout.damagedGroup(in: UnsafeRawBufferPointer(bytes)) == group)
                    for index in 0..<8 { bytes[start + index] = kept[index] }
                }
            }
        }
    }

    @Test(arguments: [MarkLayout.marks, .marksAndChecks])
    func `marks are told from room that is new or empty`(layout: MarkLayout) {
        var bytes = layout.newGroup + layout.newGroup.map { _ in 0 } + layout.newGroup
        #expect(bytes.withUnsafeBytes { layout.usedGroup(in: $0) } == nil)
        bytes[2 * layout.groupBytes] ^= 2
        bytes[2 * layout.groupBytes + 4] ^= 2
        #expect(bytes.withUnsafeBytes { layout.usedGroup(in: $0) } == 2)
    }

    @Test
    func `checks lie between the marks and do not touch them`() {
        withMarks(rows: 95, .marksAndChecks) { marks, bytes in
            let checks = RowChecks(memory: bytes.baseAddress!)
            for row in UInt64(0)...95 {
                #expect(checks[row] == 0)
                checks[row] = UInt16(row) + 1
                if row % 5 == 0 { marks.set(row) }
            }
            for row in UInt64(0)...95 {
                #expect(checks[row] == UInt16(row) + 1)
                #expect(marks.isSet(row) == (row % 5 == 0))
            }
            let layout = MarkLayout.marksAndChecks
            #expect(layout.damagedGroup(in: UnsafeRawBufferPointer(bytes)) == nil)
        }
    }

    private func withMarks(
        rows: UInt64, _ layout: MarkLayout = .marks,
        _ body: (StartMarks, UnsafeMutableRawBufferPointer) -> Void
    ) {
        let count = layout.bytes(throughRow: rows)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 8)
        defer { memory.deallocate() }
        let groups = [[UInt8]](repeating: layout.newGroup, count: count / layout.groupBytes)
        memory.copyBytes(from: groups.joined())
        // swift-format-ignore: NeverForceUnwrap
        body(StartMarks(memory: memory.baseAddress!, layout: layout), memory)
    }
}
