import FanfareCore
import Testing

@testable import Fanfare

/// Examples that do not hold are found.
@Suite struct ExampleRunTests {
    private static let good = #"""
        {
          "fanfare_provider": 1, "name": "example",
          "settings": {"key": {"secret": true}},
          "origin": "https://api.example.com",
          "auth": {"kind": "header", "name": "x-key", "value": "${secret:key}"},
          "request": {"path": "/send", "body": {"to": []}},
          "token": {"shape": "[a-z]+"},
          "batch": {"rows": 2, "tokens": "/to"},
          "answer": {
            "rules": [{"status": 200, "outcome": "accepted"}, {"status": 400, "outcome": "suspect", "split": true}],
            "otherwise": {"outcome": "rejected", "reason": "/why", "split": false},
            "rows": {"by": "tokens", "lists": [{"at": "/bad", "outcome": "unregistered"}], "rest": "accepted"}
          },
          "examples": [
            {
              "rows": [{"token": "a"}, {"token": "b"}], "settings": {"key": "k"},
              "request": {"url": "https://api.example.com/send", "headers": {"content-type": "application/json", "x-key": "k"},
                          "body": {"to": ["a", "b"]}},
              "answers": [
                {"status": 200, "body": {"bad": ["b", "z"]}, "strays": 1, "outcomes": ["accepted", "unregistered"]},
                {"status": 400, "split": true, "outcomes": ["suspect", "suspect"]},
                {"status": 409, "body": {"why": "no"}, "outcomes": [{"outcome": "rejected", "reason": "shared: no"}, "rejected"]}
              ]
            },
            {"rows": [{"token": "A"}], "settings": {"key": "k"}, "problem": "token does not look like [a-z]+"}
          ]
        }
        """#

    private func faults(_ text: String) throws -> [String] {
        let file = try ProviderFile(Array(text.utf8), name: "example.json")
        return ExampleRun.faults(of: file).map(\.description)
    }

    @Test func `examples that hold are found to hold`() throws {
        #expect(try faults(Self.good) == [])
    }

    @Test(arguments: [
        (
            #"["a", "b"]}},"#, #"["a", "c"]}},"#,
            #"line 17, /examples/0/request/body is not what the rows become: expected '{"to":["a","c"]}', made '{"to":["a","b"]}'"#
        ),
        (
            #"com/send", "h"#, #"com/sent", "h"#,
            "line 17, /examples/0/request/url is not what the rows become: expected 'https://api.example.com/sent', made 'https://api.example.com/send'"
        ),
        (
            #""x-key": "k"}"#, #""x-key": "l"}"#,
            "line 17, /examples/0/request/headers/x-key is not what the rows become: expected 'l', made 'k'"
        ),
        (
            #", "x-key": "k"}"#, "}",
            "line 17, /examples/0/request lacks the header field x-key, which is 'k'"
        ),
        (
            #""x-key": "k"}"#, #""x-key": "k", "x-more": "m"}"#,
            "line 17, /examples/0/request/headers/x-more is not what the rows become: expected 'm', made ''"
        ),
        (
            #""accepted", "unregistered"]"#, #""accepted", "accepted"]"#,
            "line 20, /examples/0/answers/0/outcomes/1 is not what the answer means: expected outcome 'accepted', found 'unregistered'"
        ),
        (
            #""strays": 1, "#, "",
            "line 20, /examples/0/answers/0 names 1 tokens that were not sent, and not 0"
        ),
        (
            #"400, "split": true,"#, "400,",
            #"line 21, /examples/0/answers/1 is split, which "split" does not say"#
        ),
        (
            #"{"status": 409,"#, #"{"status": 409, "split": true,"#,
            "line 22, /examples/0/answers/2 is not split"
        ),
        (
            "shared: no", "no",
            "line 22, /examples/0/answers/2/outcomes/0 is not what the answer means: expected reason 'no', found 'shared: no'"
        ),
        (
            #"{"token": "b"}]"#, #"{"token": "B"}]"#,
            "line 15, /examples/0 makes no request: token does not look like [a-z]+"
        ),
        (
            #"[{"token": "A"}]"#, #"[{"token": "a"}]"#,
            "line 25, /examples/1 expects 'token does not look like [a-z]+', and the rows are sent"
        ),
        (
            #"look like [a-z]+"}"#, #"look like it"}"#,
            "line 25, /examples/1 makes no request: token does not look like [a-z]+; "
                + "the problem that it expects is 'token does not look like it'"
        ),
    ])
    func `an example that does not hold is told`(
        piece: String, other: String, fault: String
    ) throws {
        try #require(Self.good.contains(piece))
        #expect(
            try faults(Self.good.replacing(piece, with: other, maxReplacements: 1)) == [fault])
    }

    @Test(arguments: [
        (#""wait": "1.5s""#, ""), (#""wait": "2s""#, "expected wait '2.0 s', found '1.5 s'"),
        (#""retry": "later""#, ""),
    ])
    func `the wait that an answer asks for is compared`(expected: String, fault: String) throws {
        let file = try Described([
            "answer": #"""
            {"rules": [{"status": 429, "outcome": "throttled", "retry": "later",
                        "wait": {"at": "/error/wait_ms", "unit": "milliseconds"}}],
             "otherwise": "rejected"}
            """#,
            "examples": #"""
            [{"rows": [{"token": "a"}], "answers": [
              {"status": 429, "body": {"error": {"wait_ms": 1500}},
               "outcomes": [{"outcome": "throttled", \#(expected)}]}]}]
            """#,
        ]).file
        let faults = ExampleRun.faults(of: file).map(\.text)
        #expect(
            faults == (fault.isEmpty ? [] : ["is not what the answer means: \(fault)"]))
    }

    @Test func `a value of an example that breaks its rule is told with its place`() throws {
        let file = try Described([
            "columns": #"{"title": {"characters": 3}}"#,
            "request": #"{"path": "/", "body": {"to": "${row:token}", "title": "${row:title}"}}"#,
            "examples": #"[{"rows": [{"token": "a", "title": "long"}], "answers": []}]"#,
        ]).file
        let faults = ExampleRun.faults(of: file)
        #expect(
            faults.map(\.text)
                == ["makes no request: the value title has 4 characters; 3 are the most"])
        #expect(faults.map(\.place.pointer.text) == ["/examples/0"])
    }
}
