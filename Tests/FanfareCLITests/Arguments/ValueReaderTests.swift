import FanfareCLI
import FanfareCore
import Testing

@Suite struct ValueReaderTests {
    /// A reader's result for a text: its value, or nil and the fault's example.
    private func fault<Value>(
        _ text: String, _ read: (String) throws(ValueFault) -> Value
    ) -> ValueFault? {
        do throws(ValueFault) {
            _ = try read(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        ("1", 1), ("0", 0), ("007", 7), ("1_000", 1_000), ("1_0_0", 100), ("90k", 90_000),
        ("90K", 90_000), ("1.5m", 1_500_000), ("2M", 2_000_000), ("0.001k", 1),
        ("1_234.5k", 1_234_500), ("999999999999999999", 999_999_999_999_999_999),
        ("9223372036854775807", 9_223_372_036_854_775_807),
        ("00000000000000000000000000000000000000000000007", 7), (".5k", 500), ("1.", 1),
    ])
    func `a count has underscores and a suffix`(text: String, expected: Int) throws {
        #expect(try ValueReader.count(text, in: 0...Int.max) == expected)
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "k", "1_", "_1", "1__0", ".", ".k", "1.5", "1.0001k", "1kk", "1g",
        "1 k", "1.5.5k", "0x10", "1e3", "\u{661}", "1\u{301}", "1000000000000000000000",
        "99999999999999999m", "0.0000000000000000000000000000000000000001",
        "1.0000000000000000000000000000000000000000k",
    ])
    func `what is not a count is refused`(text: String) {
        #expect(
            fault(text) { text throws(ValueFault) in
                try ValueReader.count(text, in: 0...Int.max)
            } != nil)
    }

    @Test(arguments: [
        "9223372036854775808", "18446744073709551616", "99999999999999999m",
        "99999999999999999999999999999999999999999999999999",
    ])
    func `a count beyond 64 bits is called too large`(text: String) {
        let found = fault(text) { text throws(ValueFault) in
            try ValueReader.count(text, in: 0...Int.max)
        }
        #expect(found?.problem == "is too large, at most 9223372036854775807 is possible")
    }

    @Test(arguments: [
        ("apns=50,fcm=50", RowMix([.init(.apns, 50), .init(.fcm, 50)])),
        (" fcm = 1k , apns=3 ", RowMix([.init(.fcm, 1000), .init(.apns, 3)])),
        ("fcm", RowMix([.init(.fcm, 1)])), ("apns=7", RowMix([.init(.apns, 7)])),
    ])
    func `a mix has providers with their parts`(text: String, mix: RowMix) throws {
        #expect(try ValueReader.mix(text) == mix)
    }

    @Test(arguments: [
        ("", "is empty"), ("apns=1,,fcm=1", "has an empty name between its commas"),
        ("apns,fcm=1", "does not say how many rows are for apns"),
        ("fcm=1,fcm=2", "names 'fcm' twice"), ("fcm=0", "is too small, at least 1 is needed"),
        ("fcm=1m", "is too large, at most 999999 is possible"),
        ("fcm=many", "is not a whole number"),
        ("webpush=1", "has 'webpush', which is none of apns and fcm"),
    ])
    func `what is no mix is told`(text: String, problem: String) {
        let found = fault(text) { text throws(ValueFault) in try ValueReader.mix(text) }
        #expect(found?.problem == problem)
    }

    @Test func `a provider that was meant is named`() {
        let found = fault("apns=1,fmc=2") { text throws(ValueFault) in try ValueReader.mix(text) }
        #expect(found?.example == "fcm=2")
    }

    @Test func `a count keeps its bounds`() {
        for (text, isRight) in [("0", false), ("1", true), ("5k", true), ("5001", false)] {
            let found = fault(text) { text throws(ValueFault) in
                try ValueReader.count(text, in: 1...5000)
            }
            #expect((found == nil) == isRight, "\(text)")
        }
    }

    /// The grammar of RFC 8259 §6.
    @Test func `a number is one of JSON`() throws {
        for (text, value) in [("0", 0), ("-0.5", -0.5), ("25", 25), ("1e2", 100), ("1.5E-1", 0.15)]
            as [(String, Double)]
        {
            #expect(try ValueReader.number(text) == value)
        }
        for text in ["", "-", "01", ".5", "5.", "+1", "1e", "0x1p3", "nan", "inf", "1e999", "1 "] {
            #expect(fault(text, ValueReader.number) != nil, "\(text)")
        }
    }

    @Test func `a size has decimal and binary units`() throws {
        for (text, bytes) in [
            ("512", 512), ("1B", 1), ("4KiB", 4_096), ("1MB", 1_000_000), ("1.5kb", 1_500),
            ("2mib", 2_097_152), ("1GiB", 1_073_741_824), ("1GB", 1_000_000_000),
        ] {
            #expect(try ValueReader.size(text) == bytes)
        }
        for text in ["", "0", "0KiB", "-1", "1.5", "4K", "4 KiB", "KiB", "99999999999999GB"] {
            #expect(fault(text, ValueReader.size) != nil, "\(text)")
        }
    }

    @Test func `a delimiter is one byte, or tab`() throws {
        for (text, byte) in [
            (",", 0x2C), (";", 0x3B), ("|", 0x7C), ("tab", 9), ("\t", 9), ("\\t", 9),
        ]
            as [(String, UInt8)]
        {
            #expect(try ValueReader.delimiter(text) == byte)
        }
        for text in ["", ",,", "\"", "\n", "\r", "\0", "§", "\r\n"] {
            #expect(fault(text, ValueReader.delimiter) != nil)
        }
    }

    @Test func `a list has names between commas, each once`() throws {
        #expect(try ValueReader.list("token") == ["token"])
        #expect(try ValueReader.list("token, first name ,id") == ["token", "first name", "id"])
        #expect(fault("", ValueReader.list)?.problem == "is empty")
        #expect(fault("a,,b", ValueReader.list)?.problem == "has an empty name between its commas")
        #expect(fault("a,b,", ValueReader.list) != nil)
        #expect(fault("a,b,a", ValueReader.list)?.problem == "names 'a' twice")
    }

    @Test func `a pair splits at its first equals sign`() throws {
        let pair = try ValueReader.pair("url=https://a?b=c", allowsEmptyValue: false)
        #expect(pair == (key: "url", value: "https://a?b=c"))
        #expect(try ValueReader.pair("k=", allowsEmptyValue: true) == (key: "k", value: ""))
        for text in ["", "k", "=v", "=", "k="] {
            let found = fault(text) { text throws(ValueFault) in
                try ValueReader.pair(text, allowsEmptyValue: false)
            }
            #expect(found != nil, "\(text)")
        }
    }

    @Test func `a choice names what there is, and guesses`() {
        let found = fault("plan") { text throws(ValueFault) in
            try ValueReader.choice(text, of: ["auto", "bar", "plain"])
        }
        #expect(found == ValueFault("is none of auto, bar and plain", example: "plain"))
    }
}
