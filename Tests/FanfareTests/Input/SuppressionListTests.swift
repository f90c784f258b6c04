import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Lists of tokens that are never sent to, in the forms that people have them, and what is said of them.
@Suite struct SuppressionListTests {
    /// `printf %s TOKEN | sha256sum`, of the token in small and in capital letters.
    private static let a = "ab" + String(repeating: "0", count: 61) + "1"
    private static let sumOfA = "2168433c9406fce499c9b23214303b1de21f74d8d8f4c3a0e96f6ef97b5f211a"
    private static let sumOfCapitalA =
        "e5e2ff6a6a94822695b5fd85d53eb925678cc7cda16b70128cefd0ecc866c0ef"
    private static let b = "ab" + String(repeating: "0", count: 61) + "2"
    private static let fcm = "dQw4w9WgXcQ:APA91bHun4MxP5egoKMwt2KZFBaFUH-1RYqx"
    private static let apns = ProviderOptions()
    private static let sumOfFCM = "2de8f014fb809a5dbb77d5edee09b85928a503c5f47650a686d92e37c8f8f7a0"

    /// The rows that are left out, and what is said of the lists.
    private func filtered(
        _ routes: [ProviderOptions], _ rows: String, suppressing lists: [String],
        _ deduplication: Deduplication? = nil
    ) throws -> (left: [Int], hints: [String]) {
        var configuration = Preparation.configuration("token\n" + rows)
        let routing = configuration.provider
        configuration.routes = routes
        for index in configuration.routes.indices where routes[index].provider == .apns {
            configuration.routes[index] = routing
        }
        configuration.rows.suppressions = lists.enumerated().map {
            .text($1, name: "list\($0 + 1)")
        }
        configuration.rows.deduplication = deduplication
        let source = RowReading.source(configuration.inputs)
        try source.openFirst()
        let kinds = routes.map(\.provider.kind)
        let filter = try #require(
            try PreparedJob.tokenFilter(
                configuration, source.spec, seedCount: 0,
                finder: kinds.count > 1 ? RouteFinder(kinds, slot: nil) : nil,
                cancellation: source.cancellation))
        let batch = RowBatch(slotCount: source.schema.slotCount)
        var left: [Int] = []
        let history = RowHistory<MappedFile>(tokens: filter)
        while try source.fill(batch) {
            try history.record(batch)
            left += (0..<batch.rowCount).filter { batch.verdict(ofRow: $0) != .none }
                .map { Int(batch.number(of: $0)) }
        }
        #expect(filter.hints.isEmpty)
        try history.reachedEnd(rowCount: source.rowCount)
        return (left, filter.hints.map(\.description))
    }

    // MARK: Hidden tokens

    /// A report with `--report-token hash`, a list of whole sums, and one that a database has made.
    @Test(arguments: [
        "row,id,token,provider\n1,,\(sumOfA.prefix(32)),apns\n", sumOfA, sumOfA.uppercased(),
        sumOfCapitalA, #"{"token":"\#(sumOfA)"}"#,
    ])
    func `sums of tokens stand for the tokens`(list: String) throws {
        for token in [Self.a, Self.a.uppercased()] {
            let (left, hints) = try filtered(
                [Self.apns], "\(Self.b)\n\(token)\n", suppressing: [list])
            #expect(left == [2] && hints.isEmpty)
        }
    }

    @Test func `so do those of other providers' tokens`() throws {
        let rows = "\(Self.fcm.lowercased())\n\(Self.fcm)\n\(Self.a)\n"
        for list in [
            Self.sumOfFCM, Self.sumOfFCM.uppercased(), "token\n\(Self.sumOfFCM.prefix(32))",
        ] {
            #expect(try filtered([.fcm], rows, suppressing: [list]).left == [2])
            #expect(
                try filtered([Self.apns, .fcm], rows, suppressing: [list + "\n" + Self.sumOfA]).left
                    == [2, 3])
        }
    }

    @Test func `the beginnings of tokens say nothing of devices`() {
        for routes in [[Self.apns], [.fcm]] {
            let error = fanfareError {
                _ = try filtered(
                    routes, "\(Self.a)\n",
                    suppressing: ["row,id,token\n1,,\(Self.a)\n2,,dQw4w9Wg…\n"])
            }
            #expect(error?.code == .input)
            #expect(
                error?.message
                    == "list1, line 3: this is the beginning of a token, as reports have it with "
                    + "ReportOptions.token = .prefix, so it does not say which device to leave out; nothing "
                    + "was sent")
        }
    }

    // MARK: What is said

    @Test func `each list says how many of its tokens fit no row`() throws {
        let none = String(repeating: "c", count: 64)
        let (left, hints) = try filtered(
            [Self.apns], "\(Self.a)\n\(Self.b)\n\(Self.a)\n",
            suppressing: [
                "\(Self.a)\n\(none)\n\(Self.a.uppercased())\n", Self.b, "\(none)\n\(none)\n",
                "token\n\(none)\n\(none.replacing("c", with: "d"))\n", "token\n",
            ])
        #expect(left == [1, 2, 3])
        #expect(
            hints == [
                "RowOptions.suppressions list1: 1 of its 2 tokens fits no row",
                "RowOptions.suppressions list3: its only token fits no row, so it leaves nobody out",
                "RowOptions.suppressions list4: none of its 2 tokens fits a row, so it leaves nobody out",
            ])
    }

    // MARK: Plain lists

    @Test(arguments: [
        fcm, "ExponentPushToken[Pd4kJ0Nq2sLhB1xT9rZcWe]", "b3f1a0d2-5c7e-4f6a-9b8c-0d1e2f3a4b5c",
        "https://hooks.example.com/T0/x", "user_4711_alerts", "+4915112345678",
    ])
    func `a list has one token a line, of whatever provider`(token: String) throws {
        for list in [token, token + "\r\n" + Self.fcm + "\r\n", "\u{FEFF}" + token + "\n"] {
            let (left, _) = try filtered(
                [try .declared("ntfy")], "\(Self.b)\n\(token)\n", suppressing: [list])
            #expect(left == [2])
        }
    }

    @Test(arguments: ["name", "deviceIdentifier", "bob7@example.com", "user id 1", "größe1234"])
    func `a column's name and a mail address are no tokens`(first: String) {
        let error = fanfareError {
            _ = try filtered([.fcm], "\(Self.fcm)\n", suppressing: ["\(first)\n\(Self.fcm)\n"])
        }
        #expect(error?.message.contains("list1 has no column 'token'") == true)
        #expect(error?.message.contains("put the line 'token' before it") == true)
    }

    // MARK: Capital letters

    @Test func `letters of either case are one where tokens are hexadecimal, and two elsewhere`()
        throws
    {
        let rows = "abcdef\nABCDEF\n"
        #expect(try filtered([Self.apns], rows, suppressing: ["token\nABCDEF"]).left == [1, 2])
        #expect(try filtered([Self.apns], rows, suppressing: [], .first).left == [2])
        let ntfy = try ProviderOptions.declared("ntfy")
        #expect(try filtered([ntfy], rows, suppressing: ["token\nABCDEF"]).left == [2])
        #expect(try filtered([ntfy], rows, suppressing: [], .first).left.isEmpty)
        #expect(try filtered([ntfy], rows, suppressing: [], .last).left.isEmpty)
        // Of two providers the row's own one decides.
        let both = "\(Self.a)\n\(Self.a.uppercased())\nabcdef\nABCDEF\n"
        #expect(try filtered([Self.apns, .fcm], both, suppressing: [], .first).left == [2])
        #expect(
            try filtered([Self.apns, .fcm], both, suppressing: ["token\n\(Self.a.uppercased())"])
                .left
                == [1, 2])
    }
}
