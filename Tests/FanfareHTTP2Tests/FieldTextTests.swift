import Testing

@testable import FanfareHTTP2

/// Each byte at each place of a name and of a value.
@Suite struct FieldTextTests {
    // RFC 9110 §5.6.2, without upper case: RFC 9113 §8.2.1
    private static let token = Set("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz".utf8)

    private func isName(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { FieldText.isName($0) }
    }

    private func isValue(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { FieldText.isValue($0) }
    }

    @Test(arguments: 1...20)
    func `every byte is judged by itself, wherever it stands`(count: Int) {
        for byte in 0...255 as ClosedRange<UInt8> {
            let isControl = byte < 0x20 && byte != 9 || byte == 0x7F
            for place in 0..<count {
                var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                bytes[place] = byte
                #expect(isName(bytes) == Self.token.contains(byte))
                let isOuter = place == 0 || place == count - 1
                let isBlank = byte == 0x20 || byte == 9
                #expect(isValue(bytes) == !(isControl || isOuter && isBlank))
                // The same next to bytes that a borrow could reach.
                bytes = [UInt8](repeating: 0x80, count: count)
                bytes[place] = byte
                #expect(isValue(bytes) == !(isControl || isOuter && isBlank))
            }
            let marks = FieldText.marks(of: byte)
            #expect((marks & FieldText.Mark.notInName == 0) == Self.token.contains(byte))
            #expect((marks & FieldText.Mark.notInValue == 0) == !isControl)
        }
    }

    @Test func `nothing is a value, and no name`() {
        #expect(isValue([]))
        #expect(!isName([]))
    }
}
