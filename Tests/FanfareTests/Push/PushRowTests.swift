import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

@Suite struct PushRowTests {
    private func line(_ row: PushRow) -> String {
        var buffer = ByteBuffer()
        row.appendLine(to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private func prepared(
        _ rows: [PushRow], payload: String? = nil,
        _ change: @escaping @Sendable (inout Configuration) -> Void = { _ in }
    ) async throws -> [PreparedTexts] {
        try await onOwnThread {
            var configuration = Preparation.configuration("", payload: payload)
            configuration.inputs = [.sequence(RowSequence(rows))]
            change(&configuration)
            return try Preparation.rows(configuration)
        }
    }

    @Test func `a row with nothing of its own is its token`() {
        #expect(line(PushRow(token: "ab")) == #"{"token":"ab"}"# + "\n")
    }

    @Test func `a row may be for one of several providers`() {
        var row = PushRow(token: "ab", values: ["provider": "huawei"])
        #expect(line(row) == #"{"token":"ab","provider":"huawei"}"# + "\n")
        row.provider = .fcm
        #expect(line(row) == #"{"token":"ab","provider":"fcm"}"# + "\n")
    }

    @Test func `what could end a line or a text is escaped`() {
        let row = PushRow(token: "a\"}\n{", id: "\\", values: ["a\nb": "\u{1}"])
        #expect(
            line(row) == #"{"token":"a\"}\n{","id":"\\","a\nb":"\u0001"}"# + "\n")
    }

    @Test func `values stand in the order of their names, of any kind`() {
        let row = PushRow(
            token: "ab",
            values: [
                "f": ["z": 1, "a": [true, .null]], "e": 1.5, "d": .number(.infinity),
                "c": -3, "b": "é", "a": false,
            ])
        #expect(
            line(row) == #"{"token":"ab","a":false,"b":"é","c":-3,"d":null,"e":1.5,"#
                + #""f":{"a":[true,null],"z":1}}"# + "\n")
    }

    @Test func `a property wins over a value of its name`() {
        var row = PushRow(token: "ab", values: ["topic": "value", "collapse_id": "c"])
        row.topic = "property"
        #expect(
            line(row) == #"{"token":"ab","topic":"property","collapse_id":"c"}"# + "\n")
    }

    @Test func `what a row says is what is sent`() async throws {
        var row = PushRow(
            token: "00ff00ff00ff00ff00ff00ff00ff00ff", id: "u1",
            values: ["user": ["name": "Ada \"A\""], "badge": 3])
        row.topic = "com.example.other"
        row.pushType = "background"
        row.priority = 5
        row.expiration = 1_700_000_000
        row.collapseID = "c"
        row.apnsID = "9D2A9B62-7B0A-4E0F-8A7B-0123456789AB"
        let texts = try await prepared(
            [row], payload: #"{"aps":{"alert":"Hi {{user.name}}","badge":"{{badge:json}}"}}"#)
        #expect(texts.count == 1 && texts[0].isReady)
        #expect(texts[0].payload == #"{"aps":{"alert":"Hi Ada \"A\"","badge":3}}"#)
        #expect(texts[0].topic == "com.example.other")
        #expect(texts[0].pushType == "background")
        #expect(texts[0].priority == "5")
        #expect(texts[0].expiration == "1700000000")
        #expect(texts[0].collapseID == "c")
        #expect(texts[0].apnsID.lowercased() == row.apnsID?.lowercased())
        #expect(texts[0].prefix == "1,u1,00ff00ff00ff00ff00ff00ff00ff00ff,apns,")
    }

    @Test func `a row may bring its payload`() async throws {
        let token = String(repeating: "a", count: 64)
        let texts = try await prepared([
            PushRow(token: token, payload: #"{"aps":{"alert":"é\n"}}"#),
            PushRow(token: token, payload: "[1]"), PushRow(token: token),
        ])
        #expect(texts.map(\.isReady) == [true, false, false])
        #expect(texts[0].payload == #"{"aps":{"alert":"é\n"}}"#)
    }

    @Test func `options about text and names of files say nothing about rows`() async throws {
        let row = PushRow(
            token: String(repeating: "a", count: 64), values: ["bundle_id": "other", "t": "x"],
            payload: "{}")
        let texts = try await prepared([row]) {
            $0.rows.format = .csv
            $0.rows.encoding = .utf16LittleEndian
            $0.rows.mapping = ["token": "t"]
            $0.rows.hasHeader = false
            $0.rows.columns = ["t"]
        }
        #expect(texts.map(\.isReady) == [true])
        // No option says that the row's topic is under another name.
        #expect(!texts[0].givesTopic)
    }
}
