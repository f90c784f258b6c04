import FanfareCore
import FanfareJSON
import FanfareTestSupport
import Testing

@testable import Fanfare

/// `check` as a library: everything but the network.
@Suite struct RehearsalTests {
    private func configuration(_ inputs: [RowInput], lanes: Int? = nil) -> Configuration {
        var configuration = Preparation.configuration("")
        configuration.inputs = inputs
        configuration.engine.lanes = lanes
        configuration.report.path = Rehearsal.noReport
        return configuration
    }

    private static let good = String(repeating: "ab", count: 32)

    @Test(arguments: [1, 3])
    func `good rows are valid, bad ones are reported as send would`(lanes: Int) throws {
        let folder = try TemporaryFolder()
        var configuration = configuration(
            [
                .text("token,id\n\(Self.good),a\nxyz!,b\n"),
                .text(#"{"token":"\#(Self.good)","id":"c"}"# + "\n" + #"{"id":"d"}"#),
            ], lanes: lanes)
        configuration.report.path = folder.path("r.csv")
        let result = try Rehearsal(configuration).run()
        #expect(result.exitCode == 0)
        #expect(result.rowsRead == 4)
        #expect(result.outcomes["skipped"] == 2)
        #expect(result.outcomes["invalid"] == 2)
        #expect(result.outcomes.values.reduce(0, +) == 4)
        #expect(result.stopMessage == nil)
        #expect(result.unreportedRows.isEmpty)
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == 4)
        #expect(lines[1]?[1...6] == ["a", Self.good, "apns", "skipped", "", "valid"])
        #expect(
            lines[2]?[1...6]
                == ["b", "xyz!", "apns", "invalid", "", "line 3: token is not hexadecimal"])
        #expect(lines[3]?[1...6] == ["c", Self.good, "apns", "skipped", "", "valid"])
        #expect(lines[4]?[1...6] == ["d", "", "apns", "invalid", "", "line 2: token is missing"])
    }

    /// `check --strict` ends with exit code 1 if there is such a warning.
    @Test func `a word for no value is told`() throws {
        var configuration = configuration([
            .text("token,name\n\(Self.good),Ann\n\(Self.good),NULL\n\(Self.good),Nullman\n")
        ])
        let template = #"{"aps":{"alert":"Hi {{name}}"}}"#
        configuration.payload = .template(json: Array(template.utf8), name: "the template")
        let result = try Rehearsal(configuration, strict: true).run()
        let warnings = result.rowWarnings
        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasSuffix(": a row has NULL for {{name}} (row 2)") == true,
            "\(warnings)")
        #expect(result.exitCode == 0)
    }

    @Test func `a row that has expired would be skipped`() throws {
        let folder = try TemporaryFolder()
        var configuration = configuration([
            .text("token,expiration\n\(Self.good),1000000000\n\(Self.good),0\n\(Self.good),\n")
        ])
        configuration.report.path = folder.path("r.csv")
        configuration.provider.expiration = "1000000001"
        let result = try Rehearsal(configuration, strict: true).run()
        #expect(result.exitCode == 1)
        let lines = try folder.reportLines("r.csv")
        #expect(
            (1...3).map { lines[$0]?[6] }
                == ["expiration has passed", "valid", "expiration has passed"])
        #expect((1...3).allSatisfy { lines[$0]?[4] == "skipped" })
    }

    @Test(arguments: [1, 3])
    func `it tells what is wrong with rows, and what they would send`(lanes: Int) throws {
        let good = Self.good
        var configuration = configuration(
            [
                .text("token,name\n\(good),Ada\nxyz,\n\(good.uppercased()),\n", name: "a"),
                .text("token;name\n\(good + "00");x\nzz;y\n", name: "b"),
            ], lanes: lanes)
        configuration.payload = .template(
            json: Array(#"{"aps":{"alert":"Hi {{name|you}}"}}"#.utf8), name: "template")
        configuration.engine.rate = SendingRate(2, per: .seconds(1))
        configuration.engine.connections = 4
        let result = try Rehearsal(configuration, samples: 2).run()
        let table = result.table(usesColor: false)
        for line in [
            "token is not hexadecimal: a line 3, b line 3",
            "2 rows lack name (40.0 %): a line 3, a line 4",
            "duplicates    1 (RowOptions.deduplication leaves them out)",
            "64 characters 66.7 %, 66 characters 33.3 %",
            "3 rows, 4 connections, 1.5 s at that rate",
            #"a line 2: {"aps":{"alert":"Hi Ada"}}"#, #"a line 4: {"aps":{"alert":"Hi you"}}"#,
        ] { #expect(table.contains(line), "\(line) in:\n\(table)") }
        #expect(!table.contains("Hi x"))
        let json = try unsafe Array(result.summaryJSON.utf8).withUnsafeBufferPointer {
            try unsafe JSONValue.parse($0)
        }
        guard case .object(let members) = json,
            case .object(let rehearsal)? = members.first(where: { $0.key == "rehearsal" })?.value
        else {
            Issue.record("no rehearsal in the summary")
            return
        }
        func member(_ name: String) -> JSONValue? { rehearsal.first { $0.key == name }?.value }
        #expect(member("rows_ready") == .integer(3))
        #expect(member("estimated_ms") == .integer(1500))
        #expect(member("duplicates") == .integer(1))
        #expect(member("connections") == .integer(4))
    }

    /// Ada's row has no badge, the last one has nothing, and no row has a sound or an image.
    @Test func `columns that no row has are named in one line`() throws {
        var configuration = configuration([
            .text(
                "token,name,badge,sound,image\n\(Self.good),Ada,,,\n\(Self.good),,3,,\n"
                    + "zz,,,,\n")
        ])
        configuration.payload = .template(
            json: Array(
                #"{"aps":{"alert":"{{name|a}} {{badge|b}} {{sound|c}} {{image|d}}"}}"#.utf8),
            name: "template")
        let table = try Rehearsal(configuration).run().table(usesColor: false)
        #expect(table.contains("values        no row has sound, image\n"), "\(table)")
        #expect(table.contains("2 rows lack name (66.7 %): line 3, line 4"), "\(table)")
        #expect(table.contains("2 rows lack badge (66.7 %): line 2, line 4"), "\(table)")
    }

    /// A lane makes no request of a row that goes on the one of another row.
    ///
    /// The least one here has 25 bytes, and the token of the last row has one more.
    @Test(arguments: ["array", "messages"])
    func `rows that share requests show what each of them would send`(join: String) throws {
        let isOfTokens = join == "array"
        let described = try Described([
            "request": isOfTokens
                ? #"{"path": "/send", "body": {"to": [], "text": "${row:body}"}}"#
                : #"{"path": "/send", "body": {"to": ["${row:token}"], "text": "${row:body}"}}"#,
            "batch": isOfTokens
                ? #"{"rows": 10, "tokens": "/to"}"# : #"{"rows": 10, "messages": ""}"#,
            "answer":
                #"{"rules": [], "otherwise": {"outcome": "accepted"}, "rows": {"by": "batch"}}"#,
        ])
        var configuration = Preparation.configuration(
            "token,body\naa,hi\nbb,hi\nccc,hi\n", payload: nil)
        configuration.provider = try ProviderOptions(
            described.file, try ProviderSettings(described.file.provider, given: [], secrets: []))
        configuration.report.path = Rehearsal.noReport
        let result = try Rehearsal(configuration, samples: 3).run()
        let bodies = ["aa", "bb", "ccc"].map { token in
            let body = #"{"to":["\#(token)"],"text":"hi"}"#
            return isOfTokens ? body : "[\(body)]"
        }
        #expect(result.summary.rehearsal?.figures.samples.map(\.payload) == bodies)
        let table = result.table(usesColor: false)
        #expect(
            table.contains("payload bytes min \(isOfTokens ? 25 : 27),"), "\(table)")
    }

    @Test func `strict asks whether all rows could be sent`() throws {
        let bad = configuration([.text("token\nx\n\(Self.good)\n")])
        #expect(try Rehearsal(bad).run().exitCode == 0)
        #expect(try Rehearsal(bad, strict: true).run().exitCode == 1)
        let good = configuration([.text("token\n\(Self.good)\n")])
        #expect(try Rehearsal(good, strict: true).run().exitCode == 0)
    }

    @Test(arguments: [1, 4])
    func `every row of a long input is looked at once`(lanes: Int) throws {
        let folder = try TemporaryFolder()
        let count = 20_000
        let text =
            "token\n" + (1...count).map { "\(String($0 + 0x1000_0000, radix: 16))\n" }.joined()
        var configuration = configuration([.text(text)], lanes: lanes)
        configuration.report.path = folder.path("r.csv")
        let rehearsal = try Rehearsal(configuration)
        let result = try rehearsal.run()
        #expect(result.rowsRead == UInt64(count))
        #expect(result.outcomes["skipped"] == UInt64(count))
        #expect(rehearsal.progress.finished == UInt64(count))
        let lines = try folder.reportLines("r.csv")
        #expect(lines.count == count)
        let areTheirOwn = (1...count).allSatisfy {
            lines[$0]?[2] == String($0 + 0x1000_0000, radix: 16)
        }
        #expect(areTheirOwn)
    }

    @Test func `header values that no request can have are refused, as by send`() throws {
        let changes: [(String, (inout ProviderOptions) -> Void)] = [
            ("ProviderOptions.topic a b: topic is not a valid header value", { $0.topic = "a b" }),
            (
                "ProviderOptions.pushType a b: push_type is not a valid header "
                    + "value", { $0.pushType = "a b" }
            ),
            ("ProviderOptions.priority 7: priority must be 1 or 5 or 10", { $0.priority = "7" }),
            (
                "ProviderOptions.expiration soon: expiration is not 0 or a time in unix seconds",
                { $0.expiration = "soon" }
            ),
            (
                "ProviderOptions.collapseID a\nb: collapse_id is not a valid header value",
                { $0.collapseID = "a\nb" }
            ),
        ]
        for (message, change) in changes {
            var configuration = configuration([.text("token\n\(Self.good)\n")])
            change(&configuration.provider)
            let error = fanfareError { _ = try Rehearsal(configuration) }
            #expect(error?.code == .configuration)
            #expect(error?.message == message)
        }
    }

    @Test func `rows are needed, but no rows are no error`() throws {
        let result = try Rehearsal(configuration([.text("token\n")])).run()
        #expect(result.rowsRead == 0 && result.exitCode == 0)
    }

    @Test func `an input that fails on the way ends with exit code 4`() throws {
        let folder = try TemporaryFolder()
        let wrong = try folder.write(
            Array(CompressedVectors.gzip[..<53].dropLast(4)), to: "wrong.csv.gz")
        let result = try Rehearsal(
            configuration([.text("token\n\(Self.good)\n"), .file(wrong)])
        ).run()
        #expect(result.exitCode == 4)
        #expect(result.stopMessage?.hasPrefix("\(wrong) cannot be read on after row 4") == true)
        #expect(result.outcomes.values.reduce(0, +) == result.rowsRead)
    }

    @Test func `the first input is looked at before anything is created`() throws {
        let folder = try TemporaryFolder()
        var configuration = configuration([.text("device\naa\n")])
        configuration.report.path = folder.path("r.csv")
        let error = fanfareError { _ = try Rehearsal(configuration) }
        #expect(error?.code == .input)
        #expect(throws: (any Error).self) { try folder.read("r.csv") }
    }

    @Test func `an interruption before the start leaves all rows`() throws {
        let rehearsal = try Rehearsal(configuration([.text("token\n\(Self.good)\n")]))
        rehearsal.interrupt()
        let result = try rehearsal.run()
        #expect(result.exitCode == 130)
        #expect(result.rowsRead == 0)
    }

    @Test func `a full disk ends with exit code 4 and names the rows`() throws {
        var configuration = configuration([.text("token\n\(Self.good)\n\(Self.good)\n")])
        configuration.report.path = "/dev/full"
        let error = fanfareError { _ = try Rehearsal(configuration) }
        #expect(error?.code == .output)
    }

    /// Four blocks for each worker and four more, as for `send`: `docs/operating.md`, "What bounds a job".
    @Test func `rows are not looked at faster than their report is read`() throws {
        let folder = try TemporaryFolder()
        var configuration = configuration([.text("token\n")], lanes: 3)
        configuration.report.path = folder.path("r.csv")
        #expect(try Rehearsal(configuration).report?.queueMax == 16)
    }

    @Test func `the summary says the same as the result`() throws {
        let result = try Rehearsal(configuration([.text("token\n\(Self.good)\nx\n")])).run()
        #expect(result.summaryJSON.contains(#""schema": "fanfare.summary/1""#))
        #expect(result.summaryJSON.contains(#""rows_read": 2"#))
        #expect(result.summaryJSON.contains(#""invalid": 1"#))
        #expect(result.table(usesColor: false).contains("invalid"))
        #expect(!result.table(usesColor: false).contains("\u{1B}"))
    }

    /// Three rows: a pace of requests takes all of them at once.
    @Test(arguments: [
        (#"{"rows_per_second": 2}"#, nil, "1.5 s at that rate (test asks for 2 rows a second)"),
        (
            #"{"requests_per_second": 1}"#, nil,
            "1.0 s at that rate (test asks for 1 request a second)"
        ),
        (
            #"{"requests_per_second": 1, "burst": 1}"#, nil,
            "0 ms at that rate (test asks for 1 request a second after 1 at once)"
        ),
        (#"{"rows_per_second": 2}"#, SendingRate(1, per: .seconds(1)), "3.0 s at that rate"),
        ("{}", nil, "as fast as the provider takes them"),
    ])
    func `the plan names the pace that a provider's file asks for`(
        pace: String, rate: SendingRate?, plan: String
    ) throws {
        let file = try Described([
            "request": #"{"path": "/send", "body": {"to": []}}"#,
            "batch": #"{"rows": 3, "tokens": "/to"}"#, "pace": pace,
            "answer": #"{"rules": [], "otherwise": "accepted", "rows": {"by": "batch"}}"#,
        ]).file
        var configuration = Preparation.configuration("token\na\nb\nc\n", payload: nil)
        configuration.provider = try ProviderOptions(
            file, try ProviderSettings(file.provider, given: [], secrets: []))
        configuration.report.path = Rehearsal.noReport
        configuration.engine.rate = rate
        let table = try Rehearsal(configuration).run().table(usesColor: false)
        #expect(table.contains(plan), "\(table)")
        #expect(table.contains("asks for") == plan.contains("asks for"))
    }

    /// docs/providers.md: `check` wants no secrets.
    @Test func `webhooks are checked without the key of those that have none of their own`() throws
    {
        var configuration = configuration([
            .text("endpoint,payload\nhttps://example.org/hook,\"{\"\"a\"\":1}\"\n")
        ])
        configuration.payload = .column
        configuration.provider = try .declared("webhook")
        configuration.provider.allowedHosts = ["example.org"]
        let result = try Rehearsal(configuration).run()
        #expect(result.outcomes["skipped"] == 1, "\(result.outcomes)")
    }
}
