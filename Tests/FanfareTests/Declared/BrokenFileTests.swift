import FanfareCore
import Testing

@testable import Fanfare

/// Files with one thing wrong in each: what is told has the line, the place, what is wrong and what to do.
@Suite struct BrokenFileTests {
    /// A file that is right, line by line.
    private static let good = """
        { "fanfare_provider": 1,
          "name": "example",
          "settings": {"region": {"default": "eu"}, "key": {"secret": true}},
          "origin": "https://${set:region}.example.com",
          "auth": {"kind": "header", "name": "x-key", "value": "${secret:key}"},
          "request": {
            "method": "POST", "path": "/send",
            "headers": {"x-app": "a"},
            "body": {"to": [], "text": "${row:text}"}
          },
          "token": {"shape": "[a-z]{1,9}"},
          "batch": {"rows": 10, "tokens": "/to"},
          "pace": {"in_flight": 8},
          "answer": {
            "id": "/id",
            "rules": [
              {"status": 200, "outcome": "accepted"},
              {"at": "/code", "is": [7], "outcome": "unregistered"}
            ],
            "otherwise": {"outcome": "rejected", "reason": "/error"},
            "rows": {"by": "tokens", "lists": [{"at": "/bad", "outcome": "unregistered"}], "rest": "accepted"}
          },
          "examples": [
            {"rows": [{"token": "a", "text": "b"}], "settings": {"key": "k"},
             "answers": [{"status": 200, "body": {"id": 1}, "outcomes": ["accepted"]}]}
          ]
        }
        """

    /// The text in place of a piece of it, and the message about that.
    struct Broken: Sendable, CustomTestStringConvertible {
        var piece: String
        var other: String
        var line: Int
        var pointer: String
        /// Pieces of the message: what is wrong, and what to do.
        var words: [String]
        /// The number of faults that it makes; one mistake is mostly one.
        var faults: Int

        var testDescription: String { "\(piece) → \(other)" }

        init(
            _ piece: String, _ other: String, _ line: Int, _ pointer: String, _ words: String...,
            faults: Int = 1
        ) {
            self.faults = faults
            self.piece = piece
            self.other = other
            self.line = line
            self.pointer = pointer
            self.words = words
        }
    }

    static let broken: [Broken] = [
        // The file.
        Broken(
            #""name": "example","#, #""name": "example""#, 3, "", "not valid JSON",
            "look for a comma"),
        Broken("{ \"fanfare_provider\": 1,", "[ 1,", 2, "", "not valid JSON", "look for"),
        Broken(
            "\"fanfare_provider\": 1", "\"fanfare_provider\": 2", 1, "/fanfare_provider",
            "no version", "write 1"),
        Broken("\"fanfare_provider\": 1,", "", 1, "/fanfare_provider", "is missing", "write 1"),
        Broken(#""name": "example","#, "", 1, "/name", "is missing", "write what it is called"),
        Broken(#""example""#, #""Ex ample""#, 2, "/name", "small letters"),
        Broken(
            #""example""#, #""a23456789-123456789_123456789-123""#, 2, "/name",
            "32 characters at most"),
        Broken(#""example""#, #""fcm""#, 2, "/name", "built in", "choose another name"),
        Broken(#""example""#, "7", 2, "/name", "is a number", "has to be a text"),
        Broken(
            #""pace": {"#, #""paces": {"#, 13, "/paces", "is not known here", "did you mean pace?"),
        Broken(
            #""name": "example","#, #""name": "example", "name": "b","#, 2, "/name", "comes twice",
            "leave one of them out"),
        // Settings.
        Broken(
            #""settings": {"#, #""settings": {"1st": {"default": "a"}, "#, 3, "/settings/1st",
            "small letters"),
        Broken(
            #"{"secret": true}"#, #"{"secret": true, "default": "x"}"#, 3, "/settings/key/default",
            "would be a secret in the file", "leave it out"),
        Broken(
            #""key": {"secret": true}"#, #""key": {"secret": true}, "spare": {"default": "a"}"#, 3,
            "/settings/spare", "is used nowhere", "leave it out"),
        Broken(
            "${set:region}", "${set:regin}", 4, "/origin", "no such setting", "did you mean region?"
        ),
        Broken(
            "${secret:key}", "${set:key}", 5, "/auth/value", "is a secret", "write ${secret:key}"),
        Broken("${set:region}", "${secret:region}", 4, "/origin", "cannot stand here", "${set:…}"),
        Broken(
            #"{"kind": "header", "name": "x-key", "value": "${secret:key}"}"#,
            ##"{"kind": "hmac", "hash": "sha256", "key": "${secret:key}", "key_default": "${secret:key}", "over": ["${body}"], "as": "hex", "use": "x-key"}"##,
            5, "/auth/key_default", "is never used", "leave it out"),
        // Where requests go.
        Broken(
            "https://${set:region}.example.com", "https://${set:region}.example.com/v1", 4,
            "/origin", "has a path", "/request/path"),
        Broken(
            "https://${set:region}", "http://${set:region}", 4, "/origin", "is not https",
            "write https"),
        Broken(
            #""https://${set:region}.example.com""#, #"{"column": "url", "allow_hosts": []}"#, 4,
            "/origin/allow_hosts", "is empty", "allows any host", faults: 2),
        Broken(
            #""https://${set:region}.example.com""#,
            #"{"column": "url", "allow_hosts": ["a.org"]}"#,
            7, "/request/path", "URL of its own", "leave it out"),
        Broken(
            #""https://${set:region}.example.com""#, #"{"column": "url", "allow_hosts": ["*:*"]}"#,
            4,
            "/origin/allow_hosts/0", "anyone's host could get auth of the kind header",
            "name the hosts",
            faults: 2),
        Broken(
            "https://${set:region}.example.com", "https://${set:region}.example.com:0", 4,
            "/origin", "no URL", "write https and a host"),
        // The service that sends.
        Broken(
            #""kind": "header""#, #""kind": "heder""#, 5, "/auth/kind", "it may be none, header",
            "did you mean header?"),
        Broken(
            #""kind": "header", "#, "", 5, "/auth/kind", "is missing", "write one of none, header"),
        Broken(#""name": "x-key", "#, "", 5, "/auth/name", "is missing", #"write "authorization""#),
        Broken(
            #""x-key""#, #""content-length""#, 5, "/auth/name", "made by itself", "leave it out"),
        Broken(
            #""value": "${secret:key}""#, #""value": "${secret:key}", "user": "u""#, 5,
            "/auth/user", "is not known here", "known are kind, name, value"),
        Broken(
            "${secret:key}", "${secret:key} ${row:user}", 5, "/auth/value", "${row:user}",
            "cannot stand here"),
        Broken("${secret:key}", "${secret:key", 5, "/auth/value", "never closed", "write $${"),
        // Requests.
        Broken(
            #""method": "POST""#, #""method": "SEND""#, 7, "/request/method", "it may be GET, POST"),
        Broken(
            #""method": "POST""#, #""method": "GET""#, 9, "/request/body", "cannot go with GET",
            "write POST"),
        Broken(
            #""/send""#, #""send""#, 7, "/request/path", "does not begin with /",
            "write / before it"),
        Broken(#""/send""#, #""/send it""#, 7, "/request/path", "no path has", "%20"),
        Broken(
            #""/send""#, #""/a/../send""#, 7, "/request/path", "between its slashes",
            "the path that it leads to"),
        Broken(
            #""/send""#, #""/./send""#, 7, "/request/path", "between its slashes",
            "the path that it leads to"),
        Broken(
            #""/send""#, #""/%2e%2E/send""#, 7, "/request/path", "between its slashes",
            "the path that it leads to"),
        Broken(
            #""/send""#, #""/a%2F..%5csend""#, 7, "/request/path", "between its slashes",
            "the path that it leads to"),
        Broken(
            #""/send""#, #""/send/..?a=b""#, 7, "/request/path", "between its slashes",
            "the path that it leads to"),
        Broken(#", "path": "/send""#, "", 6, "/request/path", "is missing", "write the path"),
        Broken(
            #""x-app": "a""#, #""x app": "a""#, 8, "/request/headers/x app", "header field's name"),
        Broken(
            #""x-app": "a""#, #""x-app": "a\r\nx: y""#, 8, "/request/headers/x-app", "a line break",
            "leave it out"),
        Broken(
            #""x-app": "a""#, #""x-app": "a", "X-App": "b""#, 8, "/request/headers/X-App",
            "comes twice"),
        Broken(
            #""${row:text}""#, #""${row:text:json} and more""#, 9, "/request/body/text",
            "is the whole text"),
        Broken(
            #""${row:text}""#, #""${row:text:json|no}""#, 9, "/request/body/text",
            "default is not JSON"),
        Broken(
            #""${row:text}""#, #""${row:text?|none}""#, 9, "/request/body/text",
            "a default and a ?", "write one of them"),
        Broken(
            #""${row:text}""#, #""${row:text}${set:region?}""#, 9, "/request/body/text",
            "only values of rows may be missing"),
        Broken(
            #""x-app": "a""#, #""x-app": "${row:text?}""#, 8, "/request/headers/x-app",
            "only members of a body", "write a default"),
        Broken(
            #""pace": {"#, #""priority": {"high": 8, "normal": 5}, "pace": {"#, 13, "/priority",
            "is used nowhere", "write ${row:priority}"),
        Broken(
            #""pace": {"#, #""priority": {"high": 8}, "pace": {"#, 13, "/priority/normal",
            "is missing", "ordinary messages"),
        Broken(
            #""pace": {"#, #""priority": {"high": 8, "normal": true}, "pace": {"#, 13,
            "/priority/normal", "a text or a number"),
        Broken(
            #""${row:text}""#, #""${rows:text}""#, 9, "/request/body/text", "stands for nothing",
            "${row:…}"),
        Broken(
            #""${row:text}""#, #""${row:text} ${id}""#, 6, "/request", "has ${id}",
            "add \"idempotency\""),
        Broken(
            #""method": "POST""#, #""method": "POST", "encoding": "xml""#, 7, "/request/encoding",
            "it may be json, form, text"),
        Broken(
            #""method": "POST""#, #""method": "POST", "timeout": 30"#, 7, "/request/timeout",
            "no length of time", #""30s""#),
        Broken(
            #""method": "POST""#, #""method": "POST", "max_body": 0"#, 7, "/request/max_body",
            "is 0", "it may be 1 to"),
        // Tokens and batches.
        Broken("[a-z]{1,9}", "^[a-z]+$", 11, "/token/shape", "has ^", "leave it out"),
        Broken("[a-z]{1,9}", "[a-z", 11, "/token/shape", "[ without its ]", "close it"),
        Broken("[a-z]{1,9}", "[a-z]{1,99999}", 11, "/token/shape", "is too large", "write +"),
        Broken(#""rows": 10"#, #""rows": 1"#, 12, "/batch/rows", "is 1", "2 to 10000"),
        Broken(
            #""tokens": "/to""#, #""tokens": "/tokens""#, 12, "/batch/tokens", "no empty array",
            "put [] where"),
        Broken(
            #""tokens": "/to""#, #""tokens": "to""#, 12, "/batch/tokens", "no JSON pointer",
            "write /to"),
        Broken(
            #""tokens": "/to""#, #""tokens": "/to", "messages": """#, 12, "/batch/tokens",
            "exclude each other", "leave one"),
        Broken(#", "tokens": "/to""#, "", 12, "/batch", "neither where tokens go", "add"),
        Broken(
            "${row:text}", "${row:token}", 12, "/batch/tokens", "${row:token}", "no two rows",
            "leave that out"),
        Broken(
            #""in_flight": 8"#, #""in_flight": "8""#, 13, "/pace/in_flight", "is a text",
            "a whole number from 1"),
        Broken(
            #""in_flight": 8"#, #""burst": 8"#, 13, "/pace/burst", "needs rows_per_second"),
        Broken(
            #""in_flight": 8"#, #""rows_per_second": 0"#, 13, "/pace/rows_per_second", "is 0",
            "0.2 for one in 5 seconds"),
        Broken(
            #""in_flight": 8"#, #""rows_per_second": "8""#, 13, "/pace/rows_per_second",
            "a number from 0.001"),
        // Answers.
        Broken(#""id": "/id""#, #""id": "/i~d""#, 15, "/answer/id", "no JSON pointer", "~0 for ~"),
        Broken(
            #""status": 200, "outcome""#, #""status": 99, "outcome""#, 17, "/answer/rules/0/status",
            "'99'", "write 200 to 599"),
        Broken(
            #""status": 200, "outcome": "accepted""#, #""outcome": "accepted""#, 17,
            "/answer/rules/0", "fits every answer", "add a condition"),
        Broken(
            #"{"status": 200, "outcome": "accepted"}"#, #"{"status": 200, "outcome": "ok"}"#, 17,
            "/answer/rules/0/outcome", "it may be accepted"),
        Broken(
            #""outcome": "accepted"},"#, #""outcome": "accepted", "retry": "later"},"#, 17,
            "/answer/rules/0/retry", "accepted row again", "leave it out"),
        Broken(
            #""is": [7], "#, "", 18, "/answer/rules/1/at", "does not say what is expected",
            #"add "is""#
        ),
        Broken(
            #""is": [7]"#, #""is": [7], "present": true"#, 18, "/answer/rules/1/present",
            "one condition too many", "a rule for each"),
        Broken(
            #""at": "/code", "is": [7]"#, #""status": 400, "and": [{"at": "/a", "present": true}]"#,
            18, "/answer/rules/1/and", "adds to no condition", "the first one beside it"),
        Broken(
            #""is": [7]"#, #""is": [7], "and": []"#, 18, "/answer/rules/1/and",
            "adds to no condition"),
        Broken(
            #""is": [7]"#, #""is": [7], "and": [{"present": true}]"#, 18,
            "/answer/rules/1/and/0", "nothing to look at", #"add "at""#),
        Broken(
            #""is": [7]"#, #""is": [7], "and": [{"at": "/a", "is": [1], "outcome": "failed"}]"#, 18,
            "/answer/rules/1/and/0/outcome", "is not known here"),
        Broken(
            #""id": "/id""#, #""id": "/id", "form": "xml""#, 15, "/answer/form", "'xml'",
            "it may be json, any"),
        Broken(
            #""at": "/code", "is": [7]"#, #""status": 400, "is": [7]"#, 18, "/answer/rules/1/is",
            "nothing to look at", #"add "at""#),
        Broken(
            #""is": [7]"#, #""is": [[7]]"#, 18, "/answer/rules/1/is/0", "is an array",
            "has to be a text, a number"),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "unknown", "retry": "later""#, 18, "/answer/rules/1/retry",
            "would send a row twice", "in-doubt"),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "failed", "retry": "with-new-credential""#, 18,
            "/answer/rules/1/retry", "of the kind header", "leave it out"),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "failed", "wait": "10s""#, 18, "/answer/rules/1/wait",
            "has no effect", #"add "retry""#),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "failed", "wait": {"at": "/w", "unit": "seconds"}"#, 18,
            "/answer/rules/1/wait", "has no effect", #"add "retry""#),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "throttled", "retry": "later", "wait": {"at": "/w"}"#, 18,
            "/answer/rules/1/wait/unit", "is missing", #"write "seconds" or "milliseconds""#),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "throttled", "retry": "later", "wait": {"at": "/w", "unit": "s"}"#,
            18, "/answer/rules/1/wait/unit", "'s'", "it may be seconds, milliseconds"),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "throttled", "retry": "later", "wait": {"at": "w", "unit": "seconds"}"#,
            18, "/answer/rules/1/wait/at", "no JSON pointer", "write /w"),
        // Values.
        Broken(
            #""region": {"default": "eu"}"#,
            #""region": {"default": "eu", "values": ["us", "cn"]}"#,
            3, "/settings/region/default", "is none of us, cn", "write one that follows it"),
        Broken(
            #""region": {"default": "eu"}"#, #""region": {"default": "eu", "characters": [3, 9]}"#,
            3, "/settings/region/default", "has 2 characters; 3 are the least"),
        Broken(
            #""region": {"default": "eu"}"#, #""region": {"default": "eu", "values": []}"#,
            3, "/settings/region/values", "is empty", "write the values"),
        Broken(
            #""region": {"default": "eu"}"#,
            #""region": {"default": "eu", "values": ["eu", null]}"#,
            3, "/settings/region/values/1", "has to be a text, a number"),
        Broken(
            #""region": {"default": "eu"}"#, #""region": {"default": "eu", "bytes": [9, 2]}"#,
            3, "/settings/region/bytes", "least, 9, above its most, 2", "the smaller one first",
            faults: 1),
        Broken(
            #""pace": {"#, #""columns": {"text": {"characters": [1]}}, "pace": {"#, 13,
            "/columns/text/characters", "has 1 numbers", "[1, 250]"),
        Broken(
            #""pace": {"#, #""columns": {"text": {"characters": "250"}}, "pace": {"#, 13,
            "/columns/text/characters", "is a text", "a whole number from 1"),
        Broken(
            #""pace": {"#, #""columns": {"text": {"number": 7}}, "pace": {"#, 13,
            "/columns/text/number", "is a number", "[0, 100]"),
        Broken(
            #""pace": {"#, #""columns": {"text": {"number": [7]}}, "pace": {"#, 13,
            "/columns/text/number", "has 1 numbers", "the least and the largest"),
        Broken(
            #""pace": {"#, #""columns": {"text": {"number": [7, 1]}}, "pace": {"#, 13,
            "/columns/text/number", "has its least, 7, above", "the smaller one first"),
        Broken(
            #""pace": {"#, #""columns": {"text": {"length": 250}}, "pace": {"#, 13,
            "/columns/text/length", "is not known here"),
        Broken(
            #""pace": {"#, #""columns": {"texts": {"bytes": 250}}, "pace": {"#, 13,
            "/columns/texts", "no request has", "${row:texts}", "leave it out"),
        Broken(
            #""is": [7], "outcome": "unregistered""#,
            #""is": [7], "outcome": "accepted", "split": true"#, 18, "/answer/rules/1/split",
            "send rows twice"),
        Broken(
            #""otherwise": {"outcome": "rejected", "reason": "/error"},"#, "", 14,
            "/answer/otherwise", "is missing", "if no rule fits"),
        Broken(
            #""in_flight": 8"#, #""remaining_header": "x-left""#, 13, "/pace/remaining_header",
            "needs reset_header"),
        Broken(
            #""in_flight": 8"#, #""reset_header": "x-reset""#, 13, "/pace/reset_header",
            "needs remaining_header"),
        Broken(
            #""in_flight": 8"#,
            #""reset_header": "x", "remaining_header": "\#(String(repeating: "x", count: 41))""#,
            13,
            "/pace/remaining_header", "longer than 40 bytes"),
        Broken(
            #""by": "tokens""#, #""by": "token""#, 21, "/answer/rows/by", "it may be batch, index",
            "did you mean tokens?"),
        Broken(
            #", "rest": "accepted""#, "", 21, "/answer/rows/rest", "is missing",
            "that are not named"),
        // Examples.
        Broken(
            #""outcomes": ["accepted"]"#, #""outcomes": []"#, 25, "/examples/0/answers/0/outcomes",
            "0 outcomes for 1 rows", "one for each"),
        Broken(
            #""settings": {"key": "k"}"#, #""settings": {"kee": "k", "key": "k"}"#, 24,
            "/examples/0/settings/kee", "is no setting", "did you mean key?"),
        Broken(
            #", "settings": {"key": "k"}"#, "", 24, "/examples/0", "has no value for key", "add"),
    ]

    @Test func `the file that is broken below is right`() throws {
        #expect(ProviderFile.faults(of: Self.good) == [])
        let file = try ProviderFile(Array(Self.good.utf8), name: "example.json")
        #expect(ExampleRun.faults(of: file) == [])
        #expect(Self.broken.count >= 40)
    }

    @Test(arguments: broken)
    func `what is wrong is told with its place and what to do`(_ broken: Broken) throws {
        try #require(Self.good.contains(broken.piece))
        let text = Self.good.replacing(broken.piece, with: broken.other, maxReplacements: 1)
        let faults = ProviderFile.faults(of: text)
        let fault = try #require(
            faults.first { $0.place.pointer.text == broken.pointer }, "\(faults)")
        #expect(fault.place.line == broken.line)
        for word in broken.words { #expect(fault.text.contains(word), "\(fault)") }
        #expect(faults.count == broken.faults, "\(faults)")
    }

    @Test func `all faults of a file are told at once, in the order of its lines`() {
        let text = Self.good.replacing("POST", with: "SEND").replacing("\"/to\"", with: "\"/x\"")
            .replacing("\"example\"", with: "\"\"")
        #expect(ProviderFile.faults(of: text).map(\.place.line) == [2, 7, 12])
    }
}
