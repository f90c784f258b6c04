import FanfareCore
import Testing

@Suite struct JSONPointerTests {
    private static func number(_ text: String) -> PlacedJSON { PlacedJSON(.number(text)) }

    private static func object(_ members: (String, PlacedJSON)...) -> PlacedJSON {
        PlacedJSON(
            .object(members.map { PlacedJSON.Member(key: $0.0, keyOffset: 0, value: $0.1) }))
    }

    /// The example of RFC 6901 §5.
    private static let document = object(
        ("foo", PlacedJSON(.array([PlacedJSON(.text("bar")), PlacedJSON(.text("baz"))]))),
        ("", number("0")), ("a/b", number("1")), ("c%d", number("2")), ("e^f", number("3")),
        ("g|h", number("4")), ("i\\j", number("5")), ("k\"l", number("6")), (" ", number("7")),
        ("m~n", number("8")))

    private func find(_ pointer: String, in value: PlacedJSON = document) throws -> String? {
        let pointer = try #require(JSONPointer(pointer))
        return pointer.find(in: value).map { String(decoding: $0.json, as: UTF8.self) }
    }

    /// RFC 6901 §5.
    @Test(arguments: [
        ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"),
        ("/c%d", "2"), ("/e^f", "3"), ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"),
        ("/m~0n", "8"),
    ])
    func `the RFC's pointers lead to the RFC's values`(pointer: String, value: String) throws {
        #expect(try find(pointer) == value)
        #expect(JSONPointer(pointer)?.text == pointer)
    }

    @Test func `the empty pointer leads to the whole value`() throws {
        #expect(try find("") == String(decoding: Self.document.json, as: UTF8.self))
        #expect(JSONPointer("")?.keys == [])
    }

    /// RFC 6901 §4: leading zeros, and `-`, which is behind the last element.
    @Test(arguments: [
        "/foo/2", "/foo/-", "/foo/00", "/foo/01", "/foo/-1", "/foo/+1", "/foo/1.0", "/foo/",
        "/foo/99999999999999999999", "/foo/bar", "/foo/0/0", "/a/b", "/m~01n", "//x",
    ])
    func `what is not there is not found`(pointer: String) throws {
        #expect(try find(pointer) == nil)
    }

    /// RFC 6901 §3.
    @Test(arguments: ["foo", "0", " /foo", "#/foo", "/m~n", "/m~", "/m~2", "/~"])
    func `what is no pointer is none`(text: String) {
        #expect(JSONPointer(text) == nil)
    }

    /// RFC 6901 §4: first `~1`, then `~0`.
    @Test func `an escape is not read twice`() {
        #expect(JSONPointer("/~01")?.keys == ["~1"])
        #expect(JSONPointer(keys: ["~1", "a/b", ""]).text == "/~01/a~1b/")
    }

    /// RFC 6901 §4: no Unicode normalization.
    @Test func `a key is compared by its characters as they are written`() throws {
        let value = Self.object(("e\u{301}", Self.number("1")))
        #expect(try find("/e\u{301}", in: value) == "1")
        #expect(try find("/\u{E9}", in: value) == nil)
    }

    @Test func `of a key that comes twice the last one is found`() throws {
        let value = Self.object(("a", Self.number("1")), ("a", Self.number("2")))
        #expect(try find("/a", in: value) == "2")
    }

    @Test func `a value is put in place of another one`() throws {
        var value = Self.document
        value.replace(at: JSONPointer(keys: ["foo", "1"])) { _ in Self.number("9") }
        value.replace(at: JSONPointer(keys: ["nothing", "there"])) { _ in Self.number("9") }
        value.replace(at: JSONPointer(keys: [""])) { _ in nil }
        #expect(try find("/foo", in: value) == #"["bar",9]"#)
        #expect(try find("/", in: value) == "0")
    }

    @Test(arguments: [
        ("1", "1", true), ("1", "1.0", true), ("1e2", "100", true), ("-0", "0", true),
        ("9223372036854775807", "9223372036854775806", false), ("1", "2", false),
        ("1e400", "1e401", false), ("1e400", "1e400", true),
    ])
    func `numbers are compared by what they are worth`(left: String, right: String, same: Bool) {
        #expect(Self.number(left).isSame(as: Self.number(right)) == same)
        #expect(!Self.number(left).isSame(as: PlacedJSON(.text(left))))
    }
}
