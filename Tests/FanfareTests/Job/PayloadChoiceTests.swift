import FanfareCore
import Testing

@testable import Fanfare

/// Payloads of which each row gets one.
@Suite struct PayloadChoiceTests {
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "b", count: 64 - digits.utf8.count) + digits
    }

    private static func template(_ word: String) -> PayloadSource {
        .template(json: Array(#"{"aps":{"alert":"\#(word) {{name|x}}"}}"#.utf8), name: word)
    }

    private static func byLocale(_ values: String...) throws -> PayloadSource {
        .chosen(try PayloadChoice(byColumn: "locale", values.map { ($0, template("T\($0)")) }))
    }

    private static func variants(
        _ shares: [(String, Double)], seed: UInt64 = 0
    ) throws -> PayloadSource {
        .chosen(
            try PayloadChoice(variants: shares.map { ($0.0, $0.1, template($0.0)) }, seed: seed))
    }

    /// The names that the report gives to the payloads of rows.
    private func names(_ tokens: [String], _ payload: PayloadSource) throws -> [String] {
        try Preparation.rows("token,name\n" + tokens.map { $0 + ",Eva\n" }.joined()) {
            $0.payload = payload
        }.map { String($0.suffix.dropFirst()) }
    }

    // MARK: By a column

    @Test func `the first value that fits decides, and a star takes what is left`() throws {
        let token = Self.token(1)
        let payload = try Self.byLocale("de", "de-*", "*")
        let rows = try Preparation.rows(
            "token,locale,name\n"
                + ["de", "de-AT", "en", "", "DE"].map { "\(token),\($0),Eva\n" }
                .joined()
        ) {
            $0.payload = payload
            $0.report.carriedColumns = ["name"]
        }
        #expect(rows.map(\.isReady) == [true, true, true, true, true])
        #expect(
            rows.map(\.payload)
                == ["de", "de-*", "*", "*", "*"].map { #"{"aps":{"alert":"T\#($0) Eva"}}"# })
        #expect(rows.map(\.suffix) == [",Eva,de", ",Eva,de-*", ",Eva,*", ",Eva,*", ",Eva,*"])
    }

    @Test func `a row that no value fits is invalid, unless it has its own payload`() throws {
        let token = Self.token(1)
        let payload = try Self.byLocale("de")
        let rows = try Preparation.rows(
            "token,locale,name,payload\n\(token),fr,Eva,\n\(token),fr,Eva,{}\n\(token),de,Eva,{}\n"
        ) { $0.payload = payload }
        #expect(rows.map(\.isReady) == [false, true, true])
        #expect(rows[0].problem == "line 2: no payload is for the row's value: locale 'fr'")
        #expect(rows.map(\.payload).suffix(2) == ["{}", "{}"])
        #expect(rows.map(\.suffix) == [",", ",", ",de"])
    }

    @Test(arguments: [
        (["*", "de"], "de", "*"), (["de*", "fr", "de-AT"], "de-AT", "de*"),
        (["*x*", "*", "ax*"], "ax*", "*x*"),
    ])
    func `a value that no row gets to is refused`(
        values: [String], hidden: String, earlier: String
    ) {
        let error = #expect(throws: FanfareError.self) {
            try PayloadChoice(byColumn: "locale", values.map { ($0, Self.template($0)) })
        }
        #expect(
            error?.message.contains(
                "no row gets the payload for '\(hidden)', because '\(earlier)' before it") == true,
            "\(error?.message ?? "")")
    }

    @Test func `the column has to be there`() throws {
        let payload = try Self.byLocale("de")
        #expect(throws: FanfareError.self) {
            try Preparation.rows("token\n\(Self.token(1))\n") { $0.payload = payload }
        }
    }

    // MARK: By the token

    /// Five standard deviations of a binomial count: 5·√(n·p·(1−p)), which is 250 of 10,000 at most.
    @Test func `tokens are shared out by their shares, in the same way each time`() throws {
        let tokens = (0..<10_000).map(Self.token)
        let shares = [("A", 20.0), ("B", 30.0), ("C", 50.0)]
        let found = try names(tokens, Self.variants(shares))
        for (name, share) in shares {
            #expect(abs(found.count { $0 == name } - Int(share * 100)) < 250)
        }
        #expect(try names(tokens, Self.variants(shares)) == found)
        // 0.2² + 0.3² + 0.5² of them get the same one of another seed by chance: 3,800.
        let other = try names(tokens, Self.variants(shares, seed: 1))
        #expect(abs(zip(found, other).count { $0 == $1 } - 3800) < 250)
    }

    @Test func `a sample of the rows has rows of all variants`() throws {
        let sample = TokenSample(millionths: 100_000, seed: 0)
        let tokens = (0..<10_000).map(Self.token).filter { token in
            var token = token
            return token.withUTF8 { sample.contains($0) }
        }
        let found = try names(tokens, Self.variants([("A", 50), ("B", 50)]))
        #expect(abs(found.count { $0 == "A" } - tokens.count / 2) < 5 * 16)
    }

    @Test func `thirds are shares, and what is not all is refused`() throws {
        _ = try Self.variants([("A", 33.3333), ("B", 33.3333), ("C", 33.3333)])
        for (shares, words) in [
            ([("A", 50), ("B", 40)], "the shares are 90% together"),
            ([("A", 100), ("B", 0)], "B: its share is not between"),
            ([("A", 50), ("A", 50)], "names 'A' twice"), ([], "1 to 200 payloads, not 0"),
        ] as [([(String, Double)], String)] {
            let error = #expect(throws: FanfareError.self) { try Self.variants(shares) }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `a carried column of the same name is refused`() throws {
        let payload = try Self.variants([("A", 100)])
        let error = #expect(throws: FanfareError.self) {
            try Preparation.rows("token,variant\n\(Self.token(1)),x\n") {
                $0.payload = payload
                $0.report.carriedColumns = ["variant"]
            }
        }
        #expect(error?.message.contains("the report has a column of that name") == true)
    }

    // MARK: Providers

    @Test func `messages are translated for each provider`() throws {
        let message = { (title: String, priority: String) throws(FanfareError) in
            PayloadSource.message(
                try Message(
                    json: Array(#"{"title":"\#(title)","priority":"\#(priority)"}"#.utf8),
                    name: title))
        }
        var configuration = Preparation.configuration(
            "token,platform,locale\n\(Self.token(1)),ios,de\n", payload: nil)
        configuration.routes.append(.fcm)
        configuration.payload = .chosen(
            try PayloadChoice(
                byColumn: "locale",
                [("de", try message("Hallo", "high")), ("*", try message("Hi", "high"))]))
        let plan = try PreparedJob(configuration, identity: Preparation.identity)
        #expect(
            plan.routes.map { $0.templates.map { String(decoding: $0.json, as: UTF8.self) } }[0]
                == [#"{"aps":{"alert":{"title":"Hallo"}}}"#, #"{"aps":{"alert":{"title":"Hi"}}}"#])
        #expect(plan.routes[1].templates.count == 2)
        configuration.payload = .chosen(
            try PayloadChoice(
                byColumn: "locale",
                [("de", try message("Hallo", "high")), ("*", try message("Hi", "normal"))]))
        let error = #expect(throws: FanfareError.self) {
            try PreparedJob(configuration, identity: Preparation.identity)
        }
        #expect(error?.message.contains("differ in ttl, collapse or priority") == true)
    }

    // MARK: Carrying on

    @Test func `another payload, share or name is another job`() throws {
        var configuration = Preparation.configuration("token\n", payload: nil)
        let value = { (payload: PayloadSource) in
            configuration.payload = payload
            return JobFingerprint.settings(of: configuration).first { $0.name == "payload" }?.value
        }
        let first = value(try Self.variants([("A", 50), ("B", 50)]))
        #expect(value(try Self.variants([("A", 50), ("B", 50)])) == first)
        #expect(value(try Self.variants([("A", 60), ("B", 40)])) != first)
        #expect(value(try Self.variants([("A", 50), ("C", 50)])) != first)
        #expect(value(try Self.variants([("A", 50), ("B", 50)], seed: 1)) != first)
        #expect(value(try Self.byLocale("A", "B")) != first)
    }
}
