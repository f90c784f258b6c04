import FanfareBase
import Testing

@testable import FanfareCore

/// Outcomes as values.
@Suite struct RowOutcomesTests {
    /// The outcome of a row with a token, an id and a carried column.
    private func outcome(
        _ line: String, _ result: RowResult = RowResult(.accepted),
        _ style: ReportFormat.TokenStyle = .full, fits: Bool = true, hasProvider: Bool = true
    ) throws -> RowOutcome {
        let schema = RowSchema(extra: ["say"])
        let slot = try #require(schema.slot(named: "say"))
        let bytes = Array(line.utf8)
        let batch = RowBatch(inputCapacity: 256, rowCapacity: 1, slotCount: schema.slotCount)
        batch.bytes.update(from: bytes, count: bytes.count)
        batch.inputEnd = bytes.count
        var parser = CSVParser(
            schema: schema, columns: ["token", "id", "say"], delimiter: UInt8(ascii: ","),
            firstLine: 2)
        _ = parser.parse(batch, isFinal: true)
        var texts = ByteBuffer()
        ReportFormat(.csv, tokenStyle: style, carriedNames: ["say"], provider: .fcm)
            .appendTexts(
                batch: batch, row: 0, slots: [slot], fits: fits, hasProvider: hasProvider,
                into: &texts)
        var outcomes = RowOutcomes()
        // Another one before it, with texts of its own.
        outcomes.append(row: 1, RowResult(.invalid), texts: texts.bytes)
        outcomes.append(row: 2, result, texts: texts.bytes)
        return try #require(outcomes.all.last)
    }

    @Test func `texts are those of the row, as they are`() throws {
        let outcome = try outcome("aa,\"u,1\",\"a \"\"b\"\"\nc\"\n")
        #expect(
            outcome
                == RowOutcome(
                    row: 2, outcome: .accepted, status: 0, attempts: 0, latencyNanoseconds: -1,
                    id: "u,1", token: "aa", provider: .fcm, carried: ["a \"b\"\nc"]))
    }

    @Test func `what a row has not, or is too long to be kept, is empty`() throws {
        let missing = try outcome("aa\n")
        #expect(missing.id.isEmpty && missing.token == "aa" && missing.carried == [""])
        #expect(try outcome("aa,,x\n", hasProvider: false).provider == nil)
        let long = try outcome("aa,u1,x\n", fits: false)
        #expect(long.id.isEmpty && long.token == "aa" && long.carried == [""])
    }

    @Test func `a token is shown as the report shows it`() throws {
        let token = "0123456789abcdef0123"
        #expect(try outcome("\(token),,\n", RowResult(.accepted), .prefix).token == "01234567…")
        let style = ReportFormat.TokenStyle.hash { token, buffer in
            buffer.append(decimal: UInt64(token.count))
        }
        #expect(try outcome("\(token),,\n", RowResult(.accepted), style).token == "20")
    }

    @Test(
        arguments: [
            (-1, -1), (0, 0), (499, 0), (500, 1000), (12_345_678, 12_346_000),
        ] as [(Int64, Int64)])
    func `times are those that a line can say`(nanoseconds: Int64, rounded: Int64) throws {
        var result = RowResult(.unregistered, latencyNanoseconds: nanoseconds)
        result.unregisteredAtMilliseconds = .max
        result.sentAtMilliseconds = 1_700_000_000_123
        let outcome = try outcome("aa,,\n", result)
        #expect(outcome.latencyNanoseconds == rounded)
        // 9999-12-31T23:59:59.999Z
        #expect(outcome.unregisteredAtMilliseconds == 253_402_300_799_999)
        #expect(outcome.sentAtMilliseconds == 1_700_000_000_123)
    }

    @Test func `an answer says why`() throws {
        let reason: StaticString = "BadDeviceToken"
        let messageID: StaticString = "9D2A"
        let result = RowResult(
            .suspect, status: 400, reason: reason.bytes, messageID: messageID.bytes, attempts: 2)
        let outcome = try outcome("aa,,\n", result)
        #expect(outcome.outcome == .suspect && outcome.status == 400 && outcome.attempts == 2)
        #expect(outcome.reason == "BadDeviceToken" && outcome.messageID == "9D2A")
    }

    @Test func `a list that was emptied has none`() {
        var outcomes = RowOutcomes()
        var texts = ByteBuffer()
        // No id, no token, no provider.
        for _ in 0..<12 { texts.append(UInt8(0)) }
        outcomes.append(row: 1, RowResult(.accepted), texts: texts.bytes)
        #expect(outcomes.all.map(\.row) == [1])
        outcomes.removeAll()
        #expect(outcomes.all.isEmpty)
    }
}
