import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Rows that are left out because of their tokens.
@Suite struct TokenFilterTests {
    private static func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return "ab" + String(repeating: "0", count: 62 - digits.utf8.count) + digits
    }

    /// A filter's verdicts on rows, and on those that are known already.
    private func verdicts(
        _ inputs: [RowInput], _ deduplication: Deduplication?, suppressing lists: [RowInput] = [],
        validates: Bool = true, setBytesMax: Int = Limits.tokenSetBytesMax,
        known: [RowBatch.Verdict] = []
    ) throws -> [RowBatch.Verdict] {
        var configuration = Preparation.configuration("")
        configuration.inputs = inputs
        configuration.rows.deduplication = deduplication
        configuration.rows.suppressions = lists
        configuration.rows.validates = validates
        let source = RowReading.source(inputs)
        try source.openFirst()
        let filter = try #require(
            try PreparedJob.tokenFilter(
                configuration, source.spec, seedCount: 0, cancellation: source.cancellation,
                setBytesMax: setBytesMax))
        let batch = RowBatch(
            inputCapacity: 4096, rowCapacity: 16, slotCount: source.schema.slotCount)
        var verdicts: [RowBatch.Verdict] = []
        while try source.fill(batch) {
            if !known.isEmpty {
                batch.verdicts = Array(known[verdicts.count..<verdicts.count + batch.rowCount])
            }
            try filter.mark(batch)
            verdicts +=
                batch.verdicts.isEmpty
                ? Array(repeating: .none, count: batch.rowCount) : batch.verdicts
        }
        return verdicts
    }

    private let a = Self.token(1)
    private let b = Self.token(2)
    private let c = Self.token(3)

    @Test func `the first or the last row of a token is left, over all inputs and in either case`()
        throws
    {
        let inputs: [RowInput] = [
            .text("token\n\(a)\n\(b)\n\(a.uppercased())\n"),
            .text(#"{"token":"\#(b)"}"# + "\n" + #"{"token":"\#(c)"}"# + "\n"),
            .text("id;token\n1;\(a)\n"),
        ]
        #expect(
            try verdicts(inputs, .first) == [
                .none, .none, .duplicate, .duplicate, .none, .duplicate,
            ])
        #expect(
            try verdicts(inputs, .last) == [
                .duplicate, .duplicate, .duplicate, .none, .none, .none,
            ])
    }

    @Test func `rows that cannot be sent stand for no token`() throws {
        let rows: [RowInput] = [.text("token,id\n\(a),1,2\nxyz,1\nxyz,2\n,3\n,4\n\(a),5\n")]
        #expect(try verdicts(rows, .first) == Array(repeating: .none, count: 6))
        // Unchecked, all that stands there is a token; the first row is broken all the same.
        #expect(
            try verdicts(rows, .last, validates: false)
                == [.none, .duplicate, .none, .none, .none, .none])
    }

    /// Against a dictionary, also with a set too small for all tokens.
    @Test(arguments: Deduplication.allCases, [Limits.tokenSetBytesMax, 64 * 1024])
    func `any number of rows is looked through`(winner: Deduplication, setBytesMax: Int) throws {
        var generator = SplitMix64(seed: 11)
        let numbers = (0..<40_000).map { _ in Int(generator.next() % 20_000) }
        let rows: [RowInput] = [
            .text("token\n" + numbers.map { Self.token($0) + "\n" }.joined())
        ]
        var winners: [Int: Int] = [:]
        for (row, number) in numbers.enumerated() {
            if winner == .last || winners[number] == nil { winners[number] = row }
        }
        let found = try verdicts(rows, winner, setBytesMax: setBytesMax)
        let expected = numbers.enumerated().map { row, number in
            winners[number] == row ? RowBatch.Verdict.none : .duplicate
        }
        // Not the arrays: a failure would print them.
        let differences = zip(found, expected).count { $0 != $1 }
        #expect(differences == 0 && found.count == expected.count)
    }

    @Test func `what earlier runs did stays, and counts as seen`() throws {
        let rows: [RowInput] = [.text("token\n\(a)\n\(a)\n\(b)\n\(b)\n\(c)\n")]
        #expect(
            try verdicts(
                rows, .first, suppressing: [.text(c)],
                known: [.finished, .none, .inDoubt, .none, .inDoubt])
                == [.finished, .duplicate, .inDoubt, .duplicate, .inDoubtHeld])
    }

    @Test(arguments: [
        "token,unregistered_at\nA,2025-01-01T00:00:00Z\n", "A\n", "A", "\r\nA\r\n", "token\nA",
        #"{"token":"A","unregistered_at":"2025-01-01T00:00:00Z"}"#,
    ])
    func `tokens of a list are not sent to`(list: String) throws {
        let rows: [RowInput] = [.text("token\n\(b)\n\(a)\n\(c)\n")]
        let list = list.replacing("A", with: a.uppercased())
        #expect(
            try verdicts(rows, nil, suppressing: [.text(list)]) == [.none, .suppressed, .none])
        #expect(
            try verdicts(rows, nil, suppressing: [.text(list), .text(c)])
                == [.none, .suppressed, .suppressed])
    }

    @Test func `a list is read by its own names, also if the rows use others`() throws {
        var configuration = Preparation.configuration("device\n\(a)\n\(b)\n")
        configuration.rows.mapping = ["token": "device"]
        configuration.rows.suppressions = [
            .text("token,x\n\(a),1\n"), .text("deviceToken\n\(b)\n"),
        ]
        configuration.report.path = Rehearsal.noReport
        let summary = try Rehearsal(configuration).run().summaryJSON
        #expect(summary.contains("token is suppressed") && !summary.contains("\"valid\""))
    }

    @Test func `a list with something else than tokens is refused`() throws {
        let rows: [RowInput] = [.text("token\n\(a)\n")]
        for (list, message) in [
            (a + "\nfoo\n", "list, line 2: this is no token"),
            ("token\n\(a)\n\n1a2b…\n", "list, line 4: this is the beginning of a token"),
            ("name\nfoo\n", "list has no column 'token', which RowOptions.suppressions reads"),
        ] {
            let error = fanfareError {
                _ = try verdicts(rows, nil, suppressing: [.text(list, name: "list")])
            }
            #expect(error?.code == .input)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "none")")
        }
    }

    @Test func `the last row cannot be known of what is read once`() {
        let error = fanfareError {
            var configuration = Preparation.configuration("")
            configuration.inputs = [.standardInput]
            configuration.rows.deduplication = .last
            _ = try PreparedJob(configuration, identity: Preparation.identity)
        }
        #expect(error?.code == .configuration)
        #expect(error?.message.contains("standard input can be read only once") == true)
    }
}
