import FanfareBase
import FanfareCore
import Testing

@Suite struct RowGeneratorTests {
    private func generate(
        seed: UInt64, pieces: [Int], format: RowGenerator.Format, header: Bool = false,
        mix: RowMix? = nil
    ) -> [UInt8] {
        var generator = RowGenerator(seed: seed, mix: mix)
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

    // MARK: Mixes

    private static let half = RowMix([.init(.apns, 50), .init(.fcm, 50)])

    private func lines(_ mix: RowMix?, count: Int = 1000, header: Bool = false) -> [String] {
        let bytes = generate(seed: 7, pieces: [count], format: .csv, header: header, mix: mix)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `a mix has a column for the provider and tokens of each shape`() {
        let lines = lines(Self.half, count: 10_000, header: true)
        #expect(lines.first == "provider,token,name,segment,badge,id")
        var counts: [String: Int] = [:]
        var lengths: Set<Int> = []
        for line in lines.dropFirst() {
            let values = line.split(separator: ",", maxSplits: 2).map(String.init)
            counts[values[0], default: 0] += 1
            switch values[0] {
            case "apns":
                #expect(values[1].wholeMatch(of: /[0-9a-f]{64}/) != nil, "\(values[1])")
            default:
                let match = values[1].wholeMatch(of: /[A-Za-z0-9_-]{22}:APA91b[A-Za-z0-9_-]+/)
                #expect(match != nil, "\(values[1])")
                lengths.insert(values[1].utf8.count)
            }
        }
        // Binomial, n = 10,000, p = 1/2: the standard deviation is 50.
        #expect(counts.count == 2)
        #expect(abs((counts["fcm"] ?? 0) - 5000) < 250)
        #expect(lengths == Set(142...163))
    }

    @Test func `the rest of a row is the same with any mix`() {
        let plain = lines(nil)
        let android = lines(RowMix([.init(.fcm, 1)]))
        for (row, line) in lines(Self.half).enumerated() {
            let isAPNs = line.hasPrefix("apns,")
            #expect(line == (isAPNs ? "apns," + plain[row] : android[row]))
            let rest = plain[row].dropFirst(64)
            #expect(android[row].hasPrefix("fcm,") && android[row].hasSuffix(rest))
        }
    }

    @Test func `weights are against each other`() {
        let tenth = lines(RowMix([.init(.apns, 9), .init(.fcm, 1)]), count: 10_000)
        // The standard deviation is 30.
        #expect(abs(tenth.count { $0.hasPrefix("fcm,") } - 1000) < 150)
    }

    @Test func `no two registration tokens of 100,000 are equal`() {
        let lines = lines(RowMix([.init(.fcm, 1)]), count: 100_000)
        #expect(Set(lines.map { $0.split(separator: ",")[1] }).count == 100_000)
    }

    @Test(arguments: RowGenerator.Format.allCases)
    func `mixes are the same however many rows at a time`(_ format: RowGenerator.Format) {
        let rows = generate(seed: 7, pieces: [300], format: format, mix: Self.half)
        #expect(rows == generate(seed: 7, pieces: [1, 99, 200], format: format, mix: Self.half))
        #expect(rows != generate(seed: 8, pieces: [300], format: format, mix: Self.half))
    }

    @Test func `NDJSON says the same of a mix`() {
        let table = lines(Self.half, count: 50)
        let bytes = generate(seed: 7, pieces: [50], format: .ndjson, mix: Self.half)
        let objects = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        for (line, object) in zip(table, objects) {
            let values = line.split(separator: ",", maxSplits: 2).map(String.init)
            #expect(
                object.hasPrefix(#"{"provider":"\#(values[0])","token":"\#(values[1])","name":"#))
        }
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
