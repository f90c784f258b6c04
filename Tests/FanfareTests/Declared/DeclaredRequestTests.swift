import FanfareBase
import FanfareCore
import Foundation
import Testing

@testable import Fanfare

@Suite struct DeclaredRequestTests {
    /// A row of cells.
    private struct Cells: DeclaredRow {
        var values: [String]
        var hasJSONStrings: Bool { false }

        func lend<R, E>(
            _ column: Int, _ body: (Field.Kind, UnsafeBufferPointer<UInt8>) throws(E) -> R
        ) throws(E) -> R {
            try Array(values[column].utf8).withUnsafeBufferPointer { (bytes) throws(E) -> R in
                try body(.text, bytes)
            }
        }
    }

    // MARK: Escapes

    @Test(arguments: [
        #"say "hi" \ there"#, "line\nbreak\r\ttab", "\u{0}\u{1}\u{1F}", "</script>\u{2028}",
        "d\u{E9}j\u{E0} \u{1F600}",
        #"","admin":true,"x":""#, "${row:token} ${secret:key}",
    ])
    func `a value in JSON is a text and nothing else`(text: String) throws {
        let described = try Described([
            "request": #"{"path": "/", "body": {"a": "<${row:text}>", "b": ["${row:text}"]}}"#
        ])
        let row = String(
            decoding: try JSONSerialization.data(withJSONObject: ["token": "t", "text": text]),
            as: UTF8.self)
        let body = try described.request([row]).body
        let read = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        #expect(read?.count == 2)
        #expect(read?["a"] as? String == "<\(text)>")
        #expect(read?["b"] as? [String] == [text])
    }

    @Test func `a value in a form and in a path is escaped`() throws {
        let described = try Described([
            "request": #"""
            {"path": "/v1/${row:text}/x?a=b", "encoding": "form",
             "body": {"a b": "${row:text}", "n": 5, "j": {"json": {"t": "${row:text}"}}}}
            """#
        ])
        let request = try described.request([#"{"token": "t", "text": "a/b?c=d&e f%é"}"#])
        #expect(
            request.url == "https://api.example.com/v1/a%2Fb%3Fc%3Dd%26e%20f%25%C3%A9/x?a=b")
        #expect(
            request.bodyText
                == "a+b=a%2Fb%3Fc%3Dd%26e+f%25%C3%A9&n=5&j=%7B%22t%22%3A%22a%2Fb%3Fc%3Dd%26e+f%25%C3%A9%22%7D"
        )
        #expect(request.field("content-type") == "application/x-www-form-urlencoded")
    }

    @Test(arguments: [
        (".", PathFault.dotSegment), ("..", .dotSegment), ("", .emptySegment),
    ])
    func `a value that would lead to another path makes no request`(
        text: String, fault: PathFault
    ) throws {
        let described = try Described([
            "request": #"{"path": "/v1/${row:text}/x?a=${row:text}", "body": {"b": "c"}}"#
        ])
        let ending = try Described([
            "request": #"{"path": "//v1/${row:text}", "body": {"b": "c"}}"#
        ])
        for described in [described, ending] {
            #expect(throws: DeclaredRowProblem.path(fault)) {
                try described.request([#"{"token": "t", "text": "\#(text)"}"#])
            }
        }
        #expect(
            try ending.request([#"{"token": "t", "text": "..."}"#]).url
                == "https://api.example.com//v1/...")
        // In a part with other text they are names, and in a query values.
        let beside = try Described([
            "request": #"{"path": "/v1/a${row:text}?b=${row:text}", "body": {"b": "c"}}"#
        ])
        #expect(
            try beside.request([#"{"token": "t", "text": "\#(text)"}"#]).url
                == "https://api.example.com/v1/a\(text)?b=\(text)")
    }

    @Test func `a setting in a path may be empty, and excuses no empty value beside it`() throws {
        let described = try Described([
            "settings": #"{"base": {"default": ""}, "room": {"default": ""}}"#,
            "request": #"""
            {"path": "/${set:base}/${set:room}${row:text}/x", "body": {"b": "c"}}
            """#,
        ])
        let row = #"{"token": "t", "text": "y"}"#
        #expect(try described.request([row]).url == "https://api.example.com//y/x")
        #expect(
            try described.request([row], settings: [("base", "a/b"), ("room", "c")]).url
                == "https://api.example.com/a%2Fb/cy/x")
        let empty = #"{"token": "t", "text": ""}"#
        for base in ["", "a"] {
            #expect(throws: DeclaredRowProblem.path(.emptySegment)) {
                try described.request([empty], settings: [("base", base)])
            }
        }
        #expect(
            try described.request([empty], settings: [("room", "c")]).url
                == "https://api.example.com//c/x")
    }

    @Test func `a path with an empty setting alone is that of all rows`() throws {
        let described = try Described([
            "settings": #"{"base": {"default": ""}}"#,
            "request": #"{"path": "/${set:base}/message", "body": {"b": "c"}}"#,
        ])
        #expect(
            try described.request([#"{"token": "t"}"#]).url == "https://api.example.com//message")
    }

    /// Some servers take `%2F`, `%5C` and `%2E` for what they stand for before they look for dots.
    @Test(arguments: [
        "../x", #"..\\x"#, "x/..", "./x", "x/./y", "../../admin", "..",
    ])
    func `a value with dots between escaped slashes makes no request`(text: String) throws {
        for path in ["/v1/${row:text}/x", "/v1/${row:text}", "/v1/a/${row:text}?b=c"] {
            let described = try Described([
                "request": #"{"path": "\#(path)", "body": {"b": "c"}}"#
            ])
            #expect(throws: DeclaredRowProblem.path(.dotSegment)) {
                try described.request([#"{"token": "t", "text": "\#(text)"}"#])
            }
        }
    }

    @Test(arguments: [
        ("a/b", "a%2Fb"), ("/a", "%2Fa"), ("a/", "a%2F"), ("a//b", "a%2F%2Fb"),
        ("..a/b", "..a%2Fb"),
        ("a/b..", "a%2Fb.."), (".../a", "...%2Fa"),
    ])
    func `a value with other slashes is a value`(text: String, escaped: String) throws {
        let described = try Described([
            "request": #"{"path": "/v1/${row:text}/x", "body": {"b": "c"}}"#
        ])
        #expect(
            try described.request([#"{"token": "t", "text": "\#(text)"}"#]).url
                == "https://api.example.com/v1/\(escaped)/x")
    }

    @Test(arguments: ["", "."])
    func `an escaped dot of the file and a value make no request together`(text: String) throws {
        for dot in ["%2e", "%2E"] {
            let described = try Described([
                "request": #"{"path": "/v1/\#(dot)${row:text}/x", "body": {"b": "c"}}"#
            ])
            #expect(throws: DeclaredRowProblem.path(.dotSegment)) {
                try described.request([#"{"token": "t", "text": "\#(text)"}"#])
            }
        }
    }

    @Test(arguments: [
        #"a\r\nx: y"#, #"a\nb"#, #"\u0000"#, #" a"#, #"a "#, "", #"a\u007f"#, #"\ta"#,
    ])
    func `a value that would end its header field makes no request`(text: String) throws {
        let described = try Described([
            "request":
                #"{"path": "/", "headers": {"X-Title": "${row:text}"}, "body": "b", "encoding": "text"}"#
        ])
        #expect(throws: DeclaredRowProblem.fieldValue(name: "x-title")) {
            try described.request([#"{"token": "t", "text": "\#(text)"}"#])
        }
        let good = try described.request([#"{"token": "t", "text": "a: \"b\" é"}"#])
        #expect(good.field("x-title") == #"a: "b" é"#)
        #expect(good.field("content-type") == "text/plain; charset=utf-8" && good.bodyText == "b")
    }

    @Test func `a setting in a header field is checked, too`() throws {
        let described = try Described([
            "settings": #"{"app": {}}"#,
            "request": #"{"path": "/", "headers": {"x-app": "${set:app}"}}"#,
        ])
        #expect(throws: DeclaredRowProblem.fieldValue(name: "x-app")) {
            try described.request([#"{"token": "t"}"#], settings: [("app", "a\r\nb: c")])
        }
    }

    @Test func `what looks like a place is text when it is written so`() throws {
        let described = try Described([
            "request": ##"{"path": "/", "body": {"a": "$${row:x} $5 ${time:s} ${time:ms}"}}"##
        ])
        #expect(
            try described.request([#"{"token": "t"}"#]).bodyText
                == ##"{"a":"${row:x} $5 1614265330 1614265330123"}"##)
    }

    // MARK: Values

    private static let values = [
        "request": ##"""
        {"path": "/", "body": {"a": "${row:a}", "b": "${row:b|none}", "c": "${row:c:json|{\"d\":1}}"}}
        """##
    ]

    @Test(arguments: [
        (#"{"token":"t","a":"x","b":"y","c":[1, "z"]}"#, #"{"a":"x","b":"y","c":[1,"z"]}"#),
        (#"{"token":"t","a":5,"b":null}"#, #"{"a":"5","b":"none","c":{"d":1}}"#),
        (#"{"token":"t","a":"","b":"","c":"gold"}"#, #"{"a":"","b":"","c":"gold"}"#),
        (
            #"{"token":"t","a":true,"b":{"x": 1},"c":-1.50}"#,
            #"{"a":"true","b":"{\"x\":1}","c":-1.50}"#
        ),
    ])
    func `values of JSON are inserted as they are`(row: String, body: String) throws {
        #expect(try Described(Self.values).request([row]).bodyText == body)
    }

    @Test func `cells are as in templates of payloads`() throws {
        let described = try Described(Self.values)
        #expect(described.file.provider.columns == ["token", "a", "b", "c"])
        let renderer = try described.renderer()
        let request = try renderer.request(of: [Cells(values: ["t", "", "", ""])])
        #expect(request.bodyText == #"{"a":"","b":"none","c":{"d":1}}"#)
        #expect(
            try renderer.request(of: [Cells(values: ["t", "3", "4", "5"])]).bodyText
                == #"{"a":"3","b":"4","c":5}"#)
        #expect(throws: DeclaredRowProblem.valueNotJSON(column: "c")) {
            try renderer.request(of: [Cells(values: ["t", "3", "4", "gold"])])
        }
    }

    private static let optional = [
        "request": #"""
        {"path": "/", "body": {"to": "${row:token}", "a": "${row:a?}", "b": "${row:b:json?}",
         "c": {"d": "${row:a?}", "e": {"f": ["${row:b?}s"]}}, "g": [1, "${row:a?}-${row:b}"], "h": {}}}
        """#
    ]

    @Test(arguments: [
        (#"{"token":"t"}"#, #"{"to":"t","g":[1],"h":{}}"#),
        (#"{"token":"t","a":null,"b":null}"#, #"{"to":"t","g":[1],"h":{}}"#),
        (#"{"token":"t","b":3}"#, #"{"to":"t","b":3,"c":{"e":{"f":["3s"]}},"g":[1],"h":{}}"#),
        (
            #"{"token":"t","a":"","b":"x"}"#,
            #"{"to":"t","a":"","b":"x","c":{"d":"","e":{"f":["xs"]}},"g":[1,"-x"],"h":{}}"#
        ),
    ])
    func `what stands for a missing value with ? is left out`(row: String, body: String) throws {
        #expect(try Described(Self.optional).request([row]).bodyText == body)
    }

    @Test func `an empty cell leaves out, too, and what is beside it is wanted still`() throws {
        let described = try Described(Self.optional)
        #expect(described.file.provider.columns == ["token", "a", "b"])
        let renderer = try described.renderer()
        #expect(
            try renderer.request(of: [Cells(values: ["t", "", ""])]).bodyText
                == #"{"to":"t","g":[1],"h":{}}"#)
        // The last one is left out for a row without a, and wants b otherwise.
        #expect(throws: DeclaredRowProblem.valueMissing(column: "b")) {
            try described.request([#"{"token":"t","a":"x"}"#])
        }
        #expect(described.file.provider.requiredColumns == ["b"])
    }

    @Test func `a field of a form is left out with its name`() throws {
        let described = try Described([
            "request": #"""
            {"path": "/", "encoding": "form",
             "body": {"a": "${row:a?}", "to": "${row:token}", "b": {"json": {"c": "${row:b?}"}}}}
            """#
        ])
        #expect(try described.request([#"{"token":"t"}"#]).bodyText == "to=t")
        #expect(
            try described.request([#"{"token":"t","a":"x y","b":"z"}"#]).bodyText
                == "a=x+y&to=t&b=%7B%22c%22%3A%22z%22%7D")
    }

    @Test func `a value that is missing is named`() throws {
        for row in [#"{"token":"t"}"#, #"{"token":"t","a":null}"#] {
            #expect(throws: DeclaredRowProblem.valueMissing(column: "a")) {
                try Described(Self.values).request([row])
            }
        }
    }

    @Test func `a column with points leads into objects`() throws {
        let described = try Described([
            "request": #"{"path": "/", "body": {"a": "${row:user.name}"}}"#
        ])
        #expect(
            try described.request([#"{"token":"t","user":{"name":"Ada"}}"#]).bodyText
                == #"{"a":"Ada"}"#)
        #expect(
            try described.request([#"{"token":"t","user.name":"Bob"}"#]).bodyText
                == #"{"a":"Bob"}"#)
    }

    @Test(arguments: [
        (#"{}"#, DeclaredRowProblem.tokenMissing), (#"{"token":""}"#, .tokenMissing),
        (#"{"token":"a b"}"#, .tokenInvalid), (#"{"token":"a\n"}"#, .tokenInvalid),
        (#"{"token":"é"}"#, .tokenInvalid), (#"{"token":"AB"}"#, .tokenShape("[a-z]+")),
    ])
    func `a token is looked at`(row: String, problem: DeclaredRowProblem) throws {
        let described = try Described(["token": #"{"shape": "[a-z]+"}"#])
        #expect(throws: problem) { try described.request([row]) }
        let long = String(repeating: "a", count: 1025)
        #expect(throws: DeclaredRowProblem.tokenTooLong) {
            try described.request([#"{"token":"\#(long)"}"#])
        }
        #expect(try described.request([#"{"token":"ab"}"#]).bodyText == #"{"to":"ab"}"#)
    }

    @Test func `a body that is too large makes no request`() throws {
        let described = try Described([
            "request": #"{"path": "/", "max_body": 12, "body": {"to": "${row:token}"}}"#
        ])
        #expect(try described.request([#"{"token":"abc"}"#]).body.count == 12)
        #expect(throws: DeclaredRowProblem.bodyTooLarge(bytes: 13, most: 12)) {
            try described.request([#"{"token":"abcd"}"#])
        }
    }

    @Test func `the settings make no origin that must not be`() throws {
        let described = try Described([
            "settings": #"{"url": {}}"#, "origin": #""${set:url}""#,
        ])
        #expect(
            try described.request(
                [#"{"token":"t"}"#], settings: [("url", "https://my.example.org:8443/")]
            ).url == "https://my.example.org:8443/send")
        #expect(throws: DeclaredRowProblem.url(.notEncrypted)) {
            try described.request([#"{"token":"t"}"#], settings: [("url", "http://my.example.org")])
        }
    }
}
