import FanfareBase
import FanfareCore
import FanfareJSON
import Glibc
import Testing

@Suite struct JSONValidatorTests {
    /// The names are those of JSONTestSuite (https://github.com/nst/JSONTestSuite) where it has the case.
    static let valid = [
        "[]", "{}", "[ ]", " { } ", "[[]]", "[1]", "[1,2]", "\t[\n1\r,2 ]\n", "true", "false",
        "null", "0",
        "-0", "1", "-1", "123", "1.5", "0.0", "-0.1", "1e5", "1E5", "1e+5", "1e-5", "1.5e10", "0e0",
        "0e+1",
        "20e1", "-123123123123123123123123123123", "1e400", "123456789012345678901234567890.5",
        "\"\"",
        "\"a\"", "\" \"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0041\"", "\"\\u0000\"",
        "\"\\uD83D\\uDE00\"",
        "\"\\ud83d\\ude00x\"", "\"\\uDBFF\\uDFFF\"", "\"\\u2028\"", "\"\u{2028}\"", "\"é\"",
        "\"😀\"",
        "\"\u{7F}\"", "\"\\\\\"", "\"\\\\\\\\\\\"\"", "[\"\\\\n\"]", "\"{}[]:,\"", "{\"a\":1}",
        "{\"a\":1,\"b\":2}",
        "{\"a\":1,\"a\":2}", "{\"\":0}", "{\"a\\u0000\":1}", "{\"a\":{\"b\":[{}]}}",
        "[null,true,false,\"x\",1.0,{},[]]",
        "[1,null,null,null,2]", "{\"a\" : [ 1 , 2 ] }", "[\"\\uFFFF\"]", "[\"\u{10FFFF}\"]",
        "[\"asd \"]",
        "[false]", "[-1]", "[123e65]", "{\"min\":-1.0e+28,\"max\":1.0e+28}",
        "{\"title\":\"\\u041f\\u043e\"}",
    ]

    static let invalid = [
        "", " ", "\n", "[", "]", "{", "}", "[}", "{]", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1,,2]",
        "[1 2]",
        "[1:2]", "[\"a\":1]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}", "{,\"a\":1}",
        "{\"a\":1,,\"b\":2}",
        "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{a:1}", "{'a':1}", "{1:1}", "{\"a\":1}}", "{\"a\":1}x",
        "{\"a\":1} {}",
        "[]]", "[][]", "1 2", "tru", "True", "truex", "true1", "nul", "nullx", "fals", "falsee",
        "NaN", "Infinity",
        "-Infinity", "-", "+1", "01", "-01", "00", "1.", ".5", "-.5", "1.e5", "1e", "1e+", "1e-",
        "1ee5", "1e5.5",
        "0x1", "1_000", "1a", "-a", "1.5.5", "2.e3", "0e", "0.e1", "--1", "- 1", "1 .5", "\"",
        "\"a", "\"a\"b", "\"\\",
        "\"\\\"", "\"\\x\"", "\"\\u\"", "\"\\u12\"", "\"\\u123\"", "\"\\u123g\"", "\"\\uD800\"",
        "\"\\uDC00\"",
        "\"\\uD800x\"", "\"\\uD800\\n\"", "\"\\uD800\\u0041\"", "\"\\uD800\\uD800\"",
        "\"\\uD83D\\uDE0\"", "\"a\nb\"",
        "\"a\tb\"", "\"a\u{0}b\"", "\"a\u{1F}b\"", "\"\\\n\"", "\"a\"\"b\"", "[\"a\"\"b\"]",
        "[\"a\" \"b\"]", "1\"a\"",
        "\"a\"1", "\\\"a\"", "[\\\"a\"]", "\u{FEFF}[]", "[\u{C}1]", "[1\u{C}]", "1\u{C}",
        "[\u{1A}]", "\u{A0}1", "[1\u{0}]",
        "/**/1", "1//", "[<null>]", "[*]", "{\"a\":\"b\"}#", "{\"a\":/*x*/1}",
        "[\"\\u00\u{1F600}\"]", "é", "[é]",
        "{[]:1}", "{\"a\":[}", "[{\"a\":]", ":", ",", "{:1}", "{\"a\"::1}", "[1,\n1\n,1", "[\"x\"",
        "[\"x", "{\"x\":",
    ]

    @Test(arguments: valid)
    func `valid JSON is valid at every alignment`(_ text: String) {
        let validator = JSONValidator()
        #expect(ReferenceJSON.parse(Array(text.utf8)) != nil, "the reference")
        for padding in [0, 1, 50, 62, 63, 64, 65, 126, 127, 128, 129] {
            let bytes = Array(repeating: UInt8(ascii: " "), count: padding) + Array(text.utf8)
            #expect(bytes.withUnsafeBufferPointer { validator.isValid($0) })
            let isObject = text.drop { $0 == " " }.first == "{"
            #expect(bytes.withUnsafeBufferPointer { validator.isObject($0) } == isObject)
        }
    }

    @Test(arguments: invalid)
    func `what is not JSON is invalid at every alignment`(_ text: String) {
        let validator = JSONValidator()
        #expect(ReferenceJSON.parse(Array(text.utf8)) == nil, "the reference")
        for padding in [0, 1, 50, 62, 63, 64, 65, 126, 127, 128, 129] {
            let bytes = Array(repeating: UInt8(ascii: " "), count: padding) + Array(text.utf8)
            #expect(!bytes.withUnsafeBufferPointer { validator.isValid($0) })
            #expect(!bytes.withUnsafeBufferPointer { validator.isObject($0) })
        }
    }

    /// Ill-formed sequences by table 3-7 of Unicode 15, in a string.
    @Test(arguments: [
        [0x80], [0xBF], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80],
        [0xE0, 0x9F, 0xBF],
        [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80],
        [0xF0, 0x8F, 0xBF, 0xBF],
        [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF],
    ])
    func `ill-formed UTF-8 is named with its place`(_ sequence: [Int]) {
        let validator = JSONValidator()
        let bytes = Array("{\"é\":\"".utf8) + sequence.map(UInt8.init) + Array("\"}".utf8)
        let fault = bytes.withUnsafeBufferPointer { validator.fault(ofObject: $0) }
        #expect(fault == RowFault(.lineNotUTF8, column: 8))
    }

    @Test func `the place of a fault is the byte where it was seen`() {
        let validator = JSONValidator()
        let cases: [(String, Int)] = [
            ("{\"a\":tru}", 6), ("{\"a\" 1}", 6), ("{\"a\":1}}", 8), ("{\"a\":\"\\x\"}", 7),
            ("{\"a\":1", 7),
            ("{\"a\":\"b\u{1}\"}", 8), ("{\"a\":\"b}", 6), ("{\"\\\"a\":\"b", 8),
        ]
        for (text, column) in cases {
            let fault = Array(text.utf8).withUnsafeBufferPointer { validator.fault(ofObject: $0) }
            #expect(fault == RowFault(.invalidJSON, column: column), "\(text)")
        }
    }

    @Test func `nesting is bounded by 1024`() {
        let validator = JSONValidator()
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            for depth in [1, 1023, 1024, 1025, 100_000] {
                let text =
                    String(repeating: open, count: depth) + "1"
                    + String(repeating: close, count: depth)
                let isValid = Array(text.utf8).withUnsafeBufferPointer { validator.isValid($0) }
                #expect(isValid == (depth <= 1024))
            }
        }
    }

    @Test func `validity of a megabyte does not depend on earlier texts`() {
        let validator = JSONValidator()
        let long = Array(("[" + String(repeating: "\"\\u00e9 x\",", count: 100_000) + "1]").utf8)
        for _ in 0..<3 {
            #expect(long.withUnsafeBufferPointer { validator.isValid($0) })
            #expect(!long.dropLast().withUnsafeBufferPointer { validator.isValid($0) })
            #expect(Array("1".utf8).withUnsafeBufferPointer { validator.isValid($0) })
        }
    }

    @Test func `no byte behind the text is read`() throws {
        // The page behind the text may not be touched at all.
        let page = sysconf(Int32(_SC_PAGESIZE))
        let memory = try #require(
            mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
        defer { munmap(memory, 2 * page) }
        mprotect(memory + page, page, PROT_NONE)
        let validator = JSONValidator()
        let sample = Array(
            "{\"a\":[1,-2.5e3,true,\"é😀\\u00e9\",null],\"long enough for two blocks\":\"\\\\\"}"
                .utf8)
        let others = (Self.valid + Self.invalid).map { Array($0.utf8) }
        for text in (0...sample.count).map({ Array(sample[..<$0]) }) + others {
            let start = memory + page - text.count
            start.copyMemory(from: text, byteCount: text.count)
            let bytes = UnsafeBufferPointer(
                start: start.assumingMemoryBound(to: UInt8.self), count: text.count)
            #expect(validator.isValid(bytes) == (ReferenceJSON.parse(text) != nil))
        }
    }

    @Test func `minified text has no white space outside strings`() {
        let validator = JSONValidator()
        var out = ByteBuffer()
        let text = Array(" { \"a b\" :\t[ 1 , \" \\\" x \" ] ,\r\n\"c\" : { } } \n".utf8)
        let isDone = text.withUnsafeBufferPointer { validator.minify($0, into: &out) }
        #expect(isDone)
        #expect(Array(out.bytes) == Array("{\"a b\":[1,\" \\\" x \"],\"c\":{}}".utf8))
        let isRefused = !Array("{ ".utf8).withUnsafeBufferPointer {
            validator.minify($0, into: &out)
        }
        #expect(isRefused)
        let count = out.count
        #expect(count == 27)
    }
}
