import FanfareBase
import FanfareCore
import Testing

@Suite struct RowGeneratorTests {
    private func generate(
        seed: UInt64, pieces: [Int], format: RowGenerator.Format, header: Bool = false
    ) -> [UInt8] {
        var generator = RowGenerator(seed: seed)
        var output = ByteBuffer()
        if header { generator.appendHeader(format: format, into: &output) }
        for count in pieces { generator.appendRows(count: count, format: format, into: &output) }
        return Array(output.bytes)
    }

    private func readCSV(_ input: [UInt8]) -> [ReadRow] {
        CSVHarness(
            columns: RowGenerator.columns, inputCapacity: Limits.batchInputBytes,
            rowCapacity: Limits.batchRows
        ).rows(of: input)
    }

    @Test(arguments: RowGenerator.Format.allCases)
    func `equal seeds give equal rows however many at a time`(_ format: RowGenerator.Format) {
        let rows = generate(seed: 7, pieces: [300], format: format)
        #expect(rows == generate(seed: 7, pieces: [1, 99, 200], format: format))
        #expect(rows != generate(seed: 8, pieces: [300], format: format))
    }

    @Test func `no two tokens of 100,000 are equal`() {
        let rows = readCSV(generate(seed: 1, pieces: [100_000], format: .csv))
        #expect(rows.count == 100_000)
        #expect(rows.allSatisfy { $0.fault == .none })
        let tokens = Set(rows.map { $0.values[0] })
        #expect(tokens.count == 100_000)
        let hex = Set("0123456789abcdef".utf8)
        #expect(tokens.allSatisfy { $0?.count == 64 && $0?.allSatisfy(hex.contains) == true })
    }

    @Test func `CSV rows have what is awkward in names and read back`() {
        let file = generate(seed: 3, pieces: [2_000], format: .csv, header: true)
        var reader = CSVHeader(delimiter: nil)
        let header = file.withUnsafeBufferPointer { reader.parse($0, isFinal: true) }
        let headerText = "token,name,segment,badge,id\n"
        #expect(
            header
                == .header(
                    columns: ["token", "name", "segment", "badge", "id"], delimiter: 0x2C,
                    consumedBytes: headerText.utf8.count, lines: 1))
        let rows = readCSV(Array(file.dropFirst(headerText.utf8.count)))
        let texts = rows.map { $0.values.map { String(decoding: $0!, as: UTF8.self) } }
        let names = Set(texts.map { $0[1] })
        #expect(names.count == 64)
        #expect(names.isSuperset(of: ["Robert Smith, Jr.", "Dmitri \"Dima\"", "O'Brien", "雨桐"]))
        #expect(Set(texts.map { $0[2] }) == ["trial", "basic", "premium", "lapsed"])
        #expect(Set(texts.map { $0[3] }) == Set((0...20).map(String.init)))
        #expect(texts.map { $0[4] } == (1...2_000).map { "u\($0)" })
    }

    @Test func `both formats say the same`() {
        let table = readCSV(generate(seed: 5, pieces: [500], format: .csv))
        let expected = table.map { row in
            let text = row.values.map { String(decoding: $0!, as: UTF8.self) }
            let name = text[1].split(separator: "\"", omittingEmptySubsequences: false)
                .joined(separator: "\\\"")
            return "{\"token\":\"\(text[0])\",\"name\":\"\(name)\",\"segment\":\"\(text[2])\","
                + "\"badge\":\(text[3]),\"id\":\"\(text[4])\"}"
        }
        let lines = generate(seed: 5, pieces: [500], format: .ndjson, header: true)
        #expect(String(decoding: lines, as: UTF8.self) == expected.joined(separator: "\n") + "\n")
    }
}
