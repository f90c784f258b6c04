import FanfareCore
import Testing

struct StartMarksTests {
    @Test
    func `each row has a bit of its own`() {
        withMarks(rows: 1000) { marks in
            for row in UInt64(0)..<1000 where row % 7 == 0 { marks.set(row) }
            for row in UInt64(0)..<1000 where row % 21 == 0 { marks.clear(row) }
            for row in UInt64(0)..<1000 {
                #expect(marks.isSet(row) == (row % 7 == 0 && row % 21 != 0))
            }
        }
    }

    @Test
    func `setting and clearing twice is setting and clearing once`() {
        withMarks(rows: 64) { marks in
            marks.set(63)
            marks.set(63)
            marks.clear(62)
            #expect(marks.isSet(63))
            marks.clear(63)
            marks.clear(63)
            #expect(!marks.isSet(63))
        }
    }

    @Test(
        arguments: [(0, 8), (63, 8), (64, 16), (127, 16), (1_048_575, 131_072)] as [(UInt64, Int)])
    func `rows take whole words`(row: UInt64, bytes: Int) {
        #expect(StartMarks.bytes(throughRow: row) == bytes)
    }

    @Test
    func `the bits are little-endian words in memory, as they are found in the file`() {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: 16, alignment: 8)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: 16)
        let marks = StartMarks(memory: memory)
        marks.set(0)
        marks.set(9)
        marks.set(65)
        let bytes = memory.assumingMemoryBound(to: UInt8.self)
        #expect(bytes[0] == 1)
        #expect(bytes[1] == 2)
        #expect(bytes[8] == 2)
    }

    private func withMarks(rows: UInt64, _ body: (StartMarks) -> Void) {
        let count = StartMarks.bytes(throughRow: rows)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count, alignment: 8)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
        body(StartMarks(memory: memory))
    }
}
