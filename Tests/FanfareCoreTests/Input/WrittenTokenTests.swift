import FanfareBase
import Testing

@testable import FanfareCore

/// Tokens with more than their digits.
@Suite struct WrittenTokenTests {
    private static let token = String(repeating: "3af8E11e", count: 8)
    private static let groups = Array(repeating: "3af8E11e", count: 8).joined(separator: " ")

    private func digits(_ text: String) -> Int {
        var text = text
        return text.withUTF8 { WrittenToken.digits(in: $0) }
    }

    @Test(arguments: [
        "<\(groups)>", "<\(token)>", " \(token)", "\(token)\t", "\(token)\r\n", groups,
        " < \(groups) > ",
        groups.replacing(" ", with: "\u{A0}"),
    ])
    func `blanks and brackets are no part of a token`(text: String) {
        #expect(digits(text) == 64)
    }

    @Test(arguments: [
        "", token, "<\(token)", "\(token)>", "<<\(token)>>", "<\(token)> \(token)", "<\(token)>a",
        "a<\(token)>", " \(token)a", " \(token.dropLast(2))", "0170 1234567", " \(token)g",
        "-\(token)",
        "\(token)\u{C0}", "\(token)\u{20A0}", "(\(token))", "<\(token),\(token)>",
    ])
    func `any other text stays as it is`(text: String) {
        #expect(digits(text) == 0)
    }

    /// With slots for the token, a value, and the token once more.
    private func batch(_ rows: [String], delimiter: UInt8 = UInt8(ascii: ",")) -> RowBatch {
        let schema = RowSchema(extra: ["name", "copy"], mapping: ["copy": "token"])
        let text = rows.map { $0 + "\n" }.joined()
        let batch = RowBatch(
            inputCapacity: text.utf8.count, rowCapacity: 16, slotCount: schema.slotCount)
        for byte in text.utf8 {
            batch.bytes[batch.inputEnd] = byte
            batch.inputEnd += 1
        }
        var parser = CSVParser(
            schema: schema, columns: ["token", "name"], delimiter: delimiter, firstLine: 1)
        _ = parser.parse(batch, isFinal: true)
        return batch
    }

    @Test func `a batch's tokens become digits, and its rows stay`() {
        let rows = [
            "<\(Self.groups)>,\"a\"\"b\"", Self.token + ",Ann", "\" \(Self.token)\n\",\"\"\"\"",
            "\"<\(Self.token)>\",<x>", "xyz \(Self.token),Eve",
        ]
        let batch = batch(rows)
        for _ in 0..<2 {
            batch.cleanTokens(.ofAPNs)
            #expect(batch.cleanedCount == 3 && batch.rowCount == 5)
        }
        for row in 0..<4 {
            for slot in [RowSchema.Known.token.slot, batch.slotCount - 1] {
                #expect(text(batch.value(batch.field(row: row, slot: slot))) == Self.token)
            }
            #expect(text(batch.rawRow(row)) == rows[row])
        }
        let names = (0..<5).map {
            text(batch.value(batch.field(row: $0, slot: batch.slotCount - 2)))
        }
        #expect(names == ["a\"b", "Ann", "\"", "<x>", "Eve"])
        #expect(text(batch.value(of: .token, row: 4)) == "xyz \(Self.token)")
    }

    @Test func `of other tokens only the ends are cleaned`() {
        let rows = [
            " abc:APA91b-_x\t,Ann", "\" a\"\"b\u{A0}\",\"\"\"\"", "<a b>,Eve", "   ,Bo",
            "<\(Self.token)>,Al",
        ]
        let batch = batch(rows)
        batch.cleanTokens(.ends)
        #expect(batch.cleanedCount == 2)
        let tokens = (0..<5).map { text(batch.value(of: .token, row: $0)) }
        #expect(tokens == ["abc:APA91b-_x", "a\"b", "<a b>", "   ", "<\(Self.token)>"])
        for row in 0..<5 {
            #expect(
                text(batch.value(batch.field(row: row, slot: batch.slotCount - 1))) == tokens[row])
            #expect(text(batch.rawRow(row)) == rows[row])
        }
        batch.reset()
        #expect(batch.cleanedCount == 0)
    }

    private func text(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
