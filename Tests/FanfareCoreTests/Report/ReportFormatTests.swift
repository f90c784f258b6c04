import FanfareBase
import FanfareCore
import Testing

@Suite struct ReportFormatTests {
    static let token = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

    static func prefix(
        _ format: ReportFormat, row: UInt64 = 7, id: String? = "u-1", token: String = token,
        isPlainToken: Bool = false, hasProvider: Bool = true
    ) -> String {
        withBytes(token) { token in
            guard let id else {
                return appended {
                    format.appendPrefix(
                        row: row, id: nil, token: token, isPlainToken: isPlainToken,
                        hasProvider: hasProvider, into: &$0)
                }
            }
            return withBytes(id) { id in
                appended {
                    format.appendPrefix(
                        row: row, id: id, token: token, isPlainToken: isPlainToken,
                        hasProvider: hasProvider, into: &$0)
                }
            }
        }
    }

    static func line(
        _ lines: inout ReportLineWriter, prefix: String = "", suffix: String = "",
        reason: String = "", messageID: String = "", _ fill: (inout RowResult) -> Void = { _ in }
    ) -> String {
        withBytes(reason) { reason in
            withBytes(messageID) { messageID in
                var result = RowResult(.accepted, reason: reason, messageID: messageID)
                fill(&result)
                return withBytes(prefix) { prefix in
                    withBytes(suffix) { suffix in
                        appended {
                            lines.append(
                                prefix: prefix, result: result, suffix: suffix, into: &$0)
                        }
                    }
                }
            }
        }
    }

    @Test func `the header names the columns and the carried ones`() {
        let fixed =
            "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
            + "unregistered_at,sent_at"
        #expect(ReportFormat(.csv).header == fixed + "\n")
        #expect(
            ReportFormat(.csv, carriedNames: ["name", "a,b"]).header == fixed + ",name,\"a,b\"\n")
        #expect(ReportFormat(.ndjson, carriedNames: ["name"]).header == "")
    }

    @Test func `a prefix has row, id, token and provider`() {
        let csv = ReportFormat(.csv, provider: .apns)
        #expect(Self.prefix(csv) == "7,u-1,\(Self.token),apns,")
        #expect(
            Self.prefix(csv, row: .max, id: nil, token: "a,b")
                == "18446744073709551615,,\"a,b\",apns,")
        let ndjson = ReportFormat(.ndjson, provider: .apns)
        #expect(
            Self.prefix(ndjson)
                == #"{"row":7,"id":"u-1","token":"\#(Self.token)","provider":"apns","#)
        #expect(
            Self.prefix(ndjson, id: nil, token: "\"")
                == #"{"row":7,"id":null,"token":"\"","provider":"apns","#)
    }

    @Test(arguments: ProviderKind.allCases, [false, true])
    func `a prefix has the provider's name`(provider: ProviderKind, isPlainToken: Bool) {
        var csv = ReportFormat(.csv)
        csv.provider = provider
        #expect(
            Self.prefix(csv, isPlainToken: isPlainToken)
                == "7,u-1,\(Self.token),\(provider.rawValue),")
        var ndjson = ReportFormat(.ndjson)
        ndjson.provider = provider
        #expect(
            Self.prefix(ndjson, isPlainToken: isPlainToken)
                == #"{"row":7,"id":"u-1","token":"\#(Self.token)","provider":"\#(provider.rawValue)","#
        )
    }

    @Test(arguments: [nil, .fcm] as [ProviderKind?])
    func `a row of no provider has none`(provider: ProviderKind?) {
        let hasProvider = provider == nil
        #expect(
            Self.prefix(ReportFormat(.csv, provider: provider), hasProvider: hasProvider)
                == "7,u-1,\(Self.token),,")
        #expect(
            Self.prefix(ReportFormat(.ndjson, provider: provider), hasProvider: hasProvider)
                == #"{"row":7,"id":"u-1","token":"\#(Self.token)","provider":null,"#)
    }

    @Test(
        arguments: [
            (token, "01234567…"), ("abcd", "ab…"), ("", "…"), ("a", "…"), ("aéé", "a…"),
        ])
    func `a token can be cut to its beginning`(token: String, shown: String) {
        let csv = Self.prefix(ReportFormat(.csv, tokenStyle: .prefix), token: token)
        #expect(csv == "7,u-1,\(shown),,")
        let ndjson = Self.prefix(ReportFormat(.ndjson, tokenStyle: .prefix), token: token)
        #expect(ndjson == #"{"row":7,"id":"u-1","token":"\#(shown)","provider":null,"#)
    }

    @Test func `a token can be hashed, by any function`() {
        let style = ReportFormat.TokenStyle.hash { token, buffer in
            buffer.append(decimal: UInt64(token.count))
        }
        let csv = ReportFormat(.csv, tokenStyle: style, provider: .fcm)
        #expect(Self.prefix(csv, token: "a,b") == "7,u-1,3,fcm,")
        let ndjson = ReportFormat(.ndjson, tokenStyle: style, provider: .fcm)
        #expect(
            Self.prefix(ndjson, token: "a,b")
                == #"{"row":7,"id":"u-1","token":"3","provider":"fcm","#)
    }

    @Test func `an accepted row is a line of CSV`() {
        var lines = ReportLineWriter(.csv)
        let line = Self.line(
            &lines, prefix: "7,u-1,abc,apns,", suffix: ",Ann",
            messageID: "eabeae54-14a8-11e5-b60b-1697f925ec7b"
        ) {
            $0.status = 200
            $0.attempts = 2
            $0.latencyNanoseconds = 41_234_567
            $0.sentAtMilliseconds = 1_234_567_890_123
        }
        #expect(
            line == "7,u-1,abc,apns,accepted,200,,eabeae54-14a8-11e5-b60b-1697f925ec7b,2,41.235,,"
                + "2009-02-13T23:31:30.123Z,Ann\n")
    }

    @Test func `a row that was never sent has empty columns`() {
        var csv = ReportLineWriter(.csv)
        let reason = "line 3, column 2: text after a closing quote"
        #expect(
            Self.line(&csv, prefix: "1,,,,", reason: reason) { $0.outcome = .invalid }
                == "1,,,,invalid,,\"\(reason)\",,0,,,\n")
        var ndjson = ReportLineWriter(.ndjson)
        let expected =
            #"{"row":1,"outcome":"invalid","status":null,"reason":"\#(reason)","message_id":null,"#
            + #""attempts":0,"latency_ms":null,"unregistered_at":null,"sent_at":null}"# + "\n"
        #expect(
            Self.line(&ndjson, prefix: #"{"row":1,"#, reason: reason) { $0.outcome = .invalid }
                == expected)
    }

    /// The text is made once, and is still that of each row where something tells rows apart.
    @Test(arguments: [ReportFormat.Kind.csv, .ndjson])
    func `the lines of rows that share an outcome are those that each would have`(
        kind: ReportFormat.Kind
    ) {
        func result(_ outcome: Outcome, _ attempts: UInt16, _ id: UnsafeBufferPointer<UInt8>)
            -> RowResult
        {
            var result = RowResult(
                outcome, status: 200, messageID: id, attempts: attempts,
                latencyNanoseconds: 41_235_000, sentAtMilliseconds: 1_234_567_890_123)
            result.isOwnID = !id.isEmpty
            return result
        }
        let rows: [(Outcome, UInt16, String, Bool)] = [
            (.accepted, 1, "", false), (.accepted, 1, "", true), (.accepted, 2, "", true),
            (.failed, 2, "", true), (.failed, 2, "own-1", true), (.failed, 2, "own-2", true),
            (.accepted, 1, "", false),
        ]
        var (shared, alone) = (ReportLineWriter(kind), ReportLineWriter(kind))
        var found = ByteBuffer()
        var expected = ByteBuffer()
        for (number, row) in rows.enumerated() {
            let prefix = Array("\(number),".utf8)
            Array(row.2.utf8).withUnsafeBufferPointer { id in
                prefix.withUnsafeBufferPointer { prefix in
                    let result = result(row.0, row.1, id)
                    shared.append(
                        prefix: prefix, shared: result, isAgain: row.3, suffix: prefix, into: &found
                    )
                    alone.append(prefix: prefix, result: result, suffix: prefix, into: &expected)
                }
            }
        }
        #expect(
            String(decoding: found.bytes, as: UTF8.self)
                == String(decoding: expected.bytes, as: UTF8.self))
        #expect(found.count > 100)
    }

    @Test func `an unregistered row is a line of NDJSON`() {
        var lines = ReportLineWriter(.ndjson)
        let line = Self.line(
            &lines, prefix: #"{"row":7,"#, suffix: #","name":"Ann""#, reason: "Unregistered",
            messageID: "eabeae54-14a8-11e5-b60b-1697f925ec7b"
        ) {
            $0.outcome = .unregistered
            $0.status = 410
            $0.attempts = 1
            $0.latencyNanoseconds = 0
            $0.unregisteredAtMilliseconds = 951_782_400_000
            $0.sentAtMilliseconds = 1_234_567_890_123
        }
        let expected =
            #"{"row":7,"outcome":"unregistered","status":410,"reason":"Unregistered","#
            + #""message_id":"eabeae54-14a8-11e5-b60b-1697f925ec7b","attempts":1,"latency_ms":0.000,"#
            + #""unregistered_at":"2000-02-29T00:00:00.000Z","#
            + #""sent_at":"2009-02-13T23:31:30.123Z","name":"Ann"}"# + "\n"
        #expect(line == expected)
    }

    @Test(
        arguments: [
            (Int64(0), "0.000"), (499, "0.000"), (500, "0.001"), (999_499, "0.999"),
            (999_500, "1.000"), (40_000_000, "40.000"), (3_600_000_000_000, "3600000.000"),
        ])
    func `a latency is rounded to microseconds`(nanoseconds: Int64, text: String) {
        var lines = ReportLineWriter(.csv)
        let line = Self.line(&lines) { $0.latencyNanoseconds = nanoseconds }
        #expect(line == "accepted,,,,0,\(text),,\n")
    }

    @Test func `a suffix has the carried values, each in its kind`() {
        let values: [(Field.Kind, String)] = [
            (.text, "Ann, \"A\""), (.json, #"{"a":[1,2]}"#), (.null, "null"), (.missing, ""),
            (.text, ""),
        ]
        let batch = RowBatch(inputCapacity: 1024, rowCapacity: 2, slotCount: 8)
        var offset = 0
        for (index, value) in values.enumerated() {
            for (place, byte) in value.1.utf8.enumerated() {
                batch.bytes[offset + place] = byte
            }
            // The second row, and slots in reverse, so that neither is taken for granted.
            batch.fields[8 + 7 - index] = Field(
                value.0, start: offset, length: value.1.utf8.count)
            offset += value.1.utf8.count
        }
        let names = ["name", "data", "nul", "gone", "empty \"1\""]
        let slots = [7, 6, 5, 4, 3]
        let csv = ReportFormat(.csv, carriedNames: names)
        #expect(
            appended { csv.appendSuffix(batch: batch, row: 1, slots: slots, into: &$0) }
                == #","Ann, ""A""","{""a"":[1,2]}",,,"#)
        let ndjson = ReportFormat(.ndjson, carriedNames: names)
        #expect(
            appended { ndjson.appendSuffix(batch: batch, row: 1, slots: slots, into: &$0) }
                == #","name":"Ann, \"A\"","data":{"a":[1,2]},"nul":null,"gone":null,"empty \"1\"":"""#
        )
    }
}
