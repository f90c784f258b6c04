import CNghttp2
import FanfareBase
import Foundation
import Testing

@testable import FanfareHTTP2

/// Our decoder for answers, against RFC 7541 and nghttp2's.
@Suite struct HeaderDecoderTests {
    /// A decoder's reading of a block: of each field its size, its value if it is kept, and whether
    /// an answer may have it.
    private struct Seen: Equatable {
        var size: Int
        var value: [UInt8]?
        var isWellFormed = true
    }

    /// A date of RFC 7541 C.5, by its seconds.
    private func date(_ seconds: String) -> [UInt8] {
        Array("Mon, 21 Oct 2013 20:13:\(seconds) GMT".utf8)
    }

    private func seen(_ decoder: inout HeaderDecoder, _ block: [UInt8]) -> [Seen]? {
        var list: [Seen] = []
        return block.withUnsafeBufferPointer { block in
            do throws(SessionFault) {
                let facts = try decoder.decode(block, withOthers: true) { field in
                    let isKept =
                        [.status, .messageID, .retryAfter, .date].contains(field.name)
                        && field.valueBytes <= 40
                    list.append(
                        Seen(
                            size: field.size, value: isKept ? Array(field.value) : nil,
                            isWellFormed: field.isWellFormed))
                }
                #expect(facts.bytes == list.reduce(0) { $0 + $1.size })
                return list
            } catch {
                return nil
            }
        }
    }

    private func seen(_ decoder: FieldDecoder, _ block: [UInt8]) -> [Seen]? {
        decoder.decode(block)?.map { field in
            let isKept =
                [":status", "apns-id", "retry-after", "date"].contains(field.name)
                && field.valueBytes.count <= 40
            return Seen(
                size: field.nameBytes.count + field.valueBytes.count + 32,
                value: isKept ? field.valueBytes : nil, isWellFormed: Self.isWellFormed(field))
        }
    }

    /// By nghttp2's own look at names and values, and by the names that no answer has.
    private static func isWellFormed(_ field: FieldDecoder.Field) -> Bool {
        let (name, value) = (field.nameBytes, field.valueBytes)
        let isBarred =
            name.first == UInt8(ascii: ":") && field.name != ":status"
            || ["connection", "transfer-encoding", "te", "upgrade"].contains(field.name)
        return !isBarred && nghttp2_check_header_name(name, name.count) != 0
            // A length is read later, and then only digits are taken.
            && (field.name == "content-length"
                || nghttp2_check_header_value_rfc9113(value, value.count) != 0)
    }

    private func bytes(_ hex: String) -> [UInt8] {
        let digits = hex.filter { $0 != " " }
        return stride(from: 0, to: digits.count, by: 2).compactMap { place in
            UInt8(digits.dropFirst(place).prefix(2), radix: 16)
        }
    }

    /// Three answers on one connection, without Huffman code and with it.
    ///
    /// RFC 7541, appendices C.5 and C.6
    private static let answersOfRFC = [
        [
            "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420"
                + "3230 3133 2032 303a 3133 3a32 3120 474d 546e 1768 7474 7073 3a2f 2f77 7777"
                + "2e65 7861 6d70 6c65 2e63 6f6d",
            "4803 3330 37c1 c0bf",
            "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d"
                + "54c0 5a04 677a 6970 7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049"
                + "5541 5851 5745 4f49 553b 206d 6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e"
                + "3d31",
        ],
        [
            "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81"
                + "66e0 82a6 2d1b ff6e 919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
            "4883 640e ffc1 c0bf",
            "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab"
                + "77ad 94e7 821d d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5"
                + "291f 9587 3160 65c0 03ed 4ee5 b106 3d50 07",
        ],
    ]

    @Test(arguments: answersOfRFC)
    func `the RFC's answers are read as it says, with evictions`(answers: [String]) {
        var decoder = HeaderDecoder()
        // There the table has 256 bytes, which the first block sets here.
        #expect(
            seen(&decoder, bytes("3F E1 01" + answers[0])) == [
                // :status 302, cache-control private, date, location
                Seen(size: 42, value: Array("302".utf8)), Seen(size: 52),
                Seen(size: 65, value: date("21")),
                Seen(size: 63),
            ])
        // :status 307 evicts :status 302.
        #expect(
            seen(&decoder, bytes(answers[1])) == [
                Seen(size: 42, value: Array("307".utf8)), Seen(size: 52),
                Seen(size: 65, value: date("21")),
                Seen(size: 63),
            ])
        #expect(
            seen(&decoder, bytes(answers[2])) == [
                // :status 200, cache-control, date, location, content-encoding, set-cookie
                Seen(size: 42, value: Array("200".utf8)), Seen(size: 52),
                Seen(size: 65, value: date("22")),
                Seen(size: 63), Seen(size: 52), Seen(size: 98),
            ])
    }

    @Test(arguments: [
        "80", "C6", "FF 00", "FF FF FF FF FF FF", "FF 80 80 80 80 80 01", "40", "40 01", "40 05 61",
        "0F", "7F FF", "88 20", "3F E2 1F", "48 82 FF FF", "48 81 64 00",
        "48 84 FF FF FF FF",
        "04 85 FF FF FF FF FE",
    ])
    func `what cannot be decoded is an error`(hex: String) {
        var decoder = HeaderDecoder()
        #expect(seen(&decoder, bytes(hex)) == nil)
        #expect(seen(FieldDecoder(), bytes(hex)) == nil)
    }

    @Test func `every byte has its code`() throws {
        for byte in 0..<256 as Range<Int> {
            // Three times, so that codes begin at different bits. nghttp2 codes only what gets
            // shorter, so zeros, of five bits each, stand before it.
            let value =
                [UInt8](repeating: 0x30, count: 40) + [UInt8](repeating: UInt8(byte), count: 3)
            var block = try #require(Self.deflate([("x", value)]))
            #expect(block[block.count - 1] != UInt8(byte) || byte == 0xFF)
            var decoder = HeaderDecoder()
            #expect(seen(&decoder, block)?.map(\.size) == [1 + 43 + 32])
            block = try #require(Self.deflate([("apns-id", Array(value.suffix(39)))]))
            let isRight = byte >= 0x21 && byte != 0x7F
            #expect(
                seen(&decoder, block) == [
                    Seen(
                        size: 7 + 39 + 32, value: Array(value.suffix(39)), isWellFormed: isRight)
                ])
        }
    }

    /// As http2jp's stories are: header lists of one connection, by another implementation's encoder.
    @Test(arguments: 0..<30 as Range<UInt64>)
    func `stories of answers, encoded by nghttp2 with any size of table, are read as told`(
        seed: UInt64
    ) throws {
        var random = SplitMix(state: seed)
        func number(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }
        var decoder = HeaderDecoder()
        var deflater: OpaquePointer?
        try #require(nghttp2_hd_deflate_new(&deflater, 4096) == 0)
        defer { nghttp2_hd_deflate_del(deflater) }
        for _ in 0..<60 {
            if number(0..<10) == 0 {
                let size = [0, 100, 500, 4096][number(0..<4)]
                try #require(nghttp2_hd_deflate_change_table_size(deflater, size) == 0)
            }
            var list = [(":status", ["200", "400", "410", "429", "500"][number(0..<5)])]
            let others = [
                ("apns-id", "EABCD123-0000-1111-2222-3333443555\(number(10..<60))"),
                ("date", "Mon, 21 Oct 2013 20:13:\(number(10..<60)) GMT"),
                ("content-type", "application/json"), ("content-length", "\(number(0..<3000))"),
                ("set-cookie", String(repeating: "k=v; ", count: number(1..<80)) + "x"),
                ("x-\(number(0..<9))", String(repeating: "y", count: number(0..<60))),
                ("retry-after", "\(number(0..<90))"), ("server", "nginx"),
            ]
            for field in others where number(0..<2) == 0 { list.append(field) }
            let block = try #require(
                Self.deflate(list.map { ($0.0, Array($0.1.utf8)) }, by: deflater, flags: 0))
            let told = list.map { name, value in
                let isKept = [":status", "apns-id", "retry-after", "date"].contains(name)
                return Seen(
                    size: name.utf8.count + value.utf8.count + 32,
                    value: isKept ? Array(value.utf8) : nil)
            }
            #expect(seen(&decoder, block) == told)
        }
    }

    @Test func `a quota's field is known from the table as well`() throws {
        var decoder = HeaderDecoder(quota: QuotaFields(remaining: "x-left", reset: "x-reset"))
        // §6.2.1: a literal with a new name, kept; §6.1: the newest entry, index 62.
        let literal: [UInt8] = [0x40, 6] + Array("x-left".utf8) + [2] + Array("12".utf8)
        for block in [literal, [0xBE]] {
            var fields: [(name: AnswerField.Name, value: UInt64?)] = []
            try block.withUnsafeBufferPointer { block in
                _ = try decoder.decode(block) { fields.append(($0.name, $0.value.decimal)) }
            }
            #expect(fields.map(\.name) == [.quotaRemaining] && fields.first?.value == 12)
        }
    }

    private struct Story: Decodable {
        struct Case: Decodable {
            let wire: String
            let headers: [[String: String]]
        }

        let description: String
        let cases: [Case]
    }

    /// In the form of http2jp's stories; `make-stories` beside them says how they were made.
    @Test func `stories of answers, encoded by python-hpack, are read as told`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Fixtures/hpack/python-hpack.json")
        let stories = try JSONDecoder().decode([Story].self, from: Data(contentsOf: file))
        #expect(stories.count == 5)
        for story in stories {
            var ours = HeaderDecoder()
            let theirs = FieldDecoder()
            for (number, list) in story.cases.enumerated() {
                let told = list.headers.flatMap { $0 }.map { name, value in
                    let isKept = [":status", "apns-id", "retry-after", "date"].contains(name)
                    return Seen(
                        size: name.utf8.count + value.utf8.count + 32,
                        value: isKept ? Array(value.utf8) : nil)
                }
                #expect(
                    seen(&ours, bytes(list.wire)) == told, "\(story.description), case \(number)")
                #expect(seen(theirs, bytes(list.wire)) == told)
            }
        }
    }

    @Test func `our code is the one that nghttp2 reads`() {
        for length in 1..<60 {
            let value = String(
                (0..<length).map { Character(Unicode.Scalar(UInt8(32 + $0 * 37 % 95))) })
            var block = ByteBuffer()
            FieldLiteral.append(
                HeaderField("authorization", value), .neverIndexed, staticName: 23, to: &block)
            let fields = FieldDecoder().decode(Array(block.bytes))
            #expect(fields?.map(\.value) == [value])
            #expect(fields?.map(\.isSecret) == [true])
        }
    }

    @Test func `both decoders say the same of any block, one after the other`() {
        var random = SplitMix(state: 7)
        var right = 0
        for _ in 0..<400 {
            var ours = HeaderDecoder()
            let theirs = FieldDecoder()
            while true {
                let block = Self.block(&random)
                let expected = seen(theirs, block)
                #expect(seen(&ours, block) == expected, "\(block)")
                if expected == nil { break }
                right += 1
            }
        }
        #expect(right > 2000)
    }

    /// A block of fields that mostly make sense.
    private static func block(_ random: inout SplitMix) -> [UInt8] {
        var block: [UInt8] = []
        func number(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }
        func integer(_ value: Int, _ prefix: Int, _ mark: UInt8) {
            let target = UnsafeMutablePointer<UInt8>.allocate(capacity: 8)
            defer { target.deallocate() }
            let end = FieldLiteral.write(value, prefix: prefix, mark: mark, to: target)
            block += UnsafeBufferPointer(start: target, count: end - target)
        }
        func string(_ text: String) {
            var coded = ByteBuffer()
            if number(0..<2) == 0 {
                integer(text.utf8.count, 7, 0)
                coded.append(text)
            } else {
                integer(HuffmanCode.shared.codedBytes(text), 7, 0x80)
                HuffmanCode.shared.append(text, to: &coded)
            }
            block += coded.bytes
        }
        if number(0..<6) == 0 { integer([0, 40, 100, 1000, 4096][number(0..<5)], 5, 0x20) }
        for _ in 0..<number(0..<8) {
            switch number(0..<5) {
            case 0, 1:
                integer(number(0..<20) == 0 ? number(0..<100) : number(1..<66), 7, 0x80)
            default:
                let (prefix, mark) = [(6, 0x40), (4, 0), (4, 0x10)][number(0..<3)] as (Int, UInt8)
                let index = number(0..<3) == 0 ? 0 : number(1..<64)
                integer(index, prefix, mark)
                if index == 0 {
                    let names = [
                        "apns-id", "retry-after", ":status", "date", "apns-ie", "X", "a b", "",
                    ]
                    string(names[number(0..<8)])
                }
                let unit = ["0", "a~", "Z{", "x y", "\u{1B}"][number(0..<5)]
                string(String(repeating: unit, count: [0, 1, 3, 18, 20, 21, 900][number(0..<7)]))
            }
        }
        if number(0..<30) == 0, !block.isEmpty {
            block[number(0..<block.count)] = UInt8(number(0..<256))
        }
        return block
    }

    private static func deflate(_ fields: [(String, [UInt8])]) -> [UInt8]? {
        var deflater: OpaquePointer?
        guard nghttp2_hd_deflate_new(&deflater, 4096) == 0 else { return nil }
        defer { nghttp2_hd_deflate_del(deflater) }
        return deflate(fields, by: deflater, flags: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
    }

    private static func deflate(
        _ fields: [(String, [UInt8])], by deflater: OpaquePointer?, flags: UInt8
    ) -> [UInt8]? {
        var text = fields.flatMap { Array($0.0.utf8) + $0.1 }
        var block = [UInt8](repeating: 0, count: 1000)
        let count = text.withUnsafeMutableBufferPointer { text in
            var next = text.baseAddress
            let pairs = fields.map { field in
                let name = next
                let value = next.map { $0 + field.0.utf8.count }
                next = value.map { $0 + field.1.count }
                return nghttp2_nv(
                    name: name, value: value, namelen: field.0.utf8.count,
                    valuelen: field.1.count, flags: flags)
            }
            return nghttp2_hd_deflate_hd(deflater, &block, block.count, pairs, pairs.count)
        }
        return count > 0 ? Array(block.prefix(count)) : nil
    }
}
