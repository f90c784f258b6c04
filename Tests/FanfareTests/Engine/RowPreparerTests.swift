import FanfareCore
import Foundation
import Testing

@testable import Fanfare

/// Good rows: what becomes of their values.
@Suite struct RowPreparerTests {
    private let token = String(repeating: "a1", count: 32)

    @Test func `a row becomes a path, an id, a payload and its report texts`() throws {
        let rows = try Preparation.rows("token,name,id\nA1b2,Eva,\"7,1\"\nc3d4,Bo,8\n") {
            $0.payload = .template(
                json: Array(#"{ "aps": {"alert":"Hi {{name}}"} }"#.utf8), name: "")
            $0.report.carriedColumns = ["name"]
        }
        var first = PreparedTexts(isReady: true)
        first.token = "A1b2"
        // 60 bits of the job, version 8, variant 8, 48 bits of the row: RFC 9562 §5.8.
        first.apnsID = "12345678-9abc-8def-8000-000000000001"
        first.payload = #"{"aps":{"alert":"Hi Eva"}}"#
        first.prefix = #"1,"7,1",A1b2,apns,"#
        first.suffix = ",Eva"
        var second = first
        second.token = "c3d4"
        second.apnsID = "12345678-9abc-8def-8000-000000000002"
        second.payload = #"{"aps":{"alert":"Hi Bo"}}"#
        second.prefix = "2,8,c3d4,apns,"
        second.suffix = ",Bo"
        #expect(rows == [first, second])
    }

    // MARK: Payload

    @Test func `a row's own payload wins over the template, an empty cell does not`() throws {
        let rows = try Preparation.rows(
            "token,payload\n\(token),\"{\"\"own\"\":1}\"\n\(token),\n", payload: #"{"aps":{}}"#)
        #expect(rows.map(\.payload) == [#"{"own":1}"#, #"{"aps":{}}"#])
    }

    @Test func `a payload of NDJSON is sent byte for byte`() throws {
        let rows = try Preparation.rows(
            #"{"token":"\#(token)","payload":{ "aps" : { "badge" : 1.0 } }}"#, payload: nil)
        #expect(rows.map(\.payload) == [#"{ "aps" : { "badge" : 1.0 } }"#])
    }

    @Test func `a default stands in for an empty cell and for null`() throws {
        let csv = try Preparation.rows(
            "token,name\n\(token),\n\(token),\"O\"\"H\"\n",
            payload: #"{"a":"{{name|friend}}"}"#)
        #expect(csv.map(\.payload) == [#"{"a":"friend"}"#, #"{"a":"O\"H"}"#])
        let ndjson = try Preparation.rows(
            #"{"token":"\#(token)","user":{"name":null,"age":41}}"#,
            payload: #"{"a":"{{user.name|friend}}","b":"{{user.age:json}}","c":"{{x|}}"}"#)
        #expect(ndjson.map(\.payload) == [#"{"a":"friend","b":41,"c":""}"#])
    }

    // MARK: Header values

    @Test func `an empty cell means the job's own value`() throws {
        let rows = try Preparation.rows(
            "token,topic,push_type,priority,expiration,collapse_id,apns_id\n\(token),,,,,,\n")
        #expect(rows.count == 1)
        #expect(rows.first?.isReady == true)
        #expect(
            rows.first.map { [$0.topic, $0.pushType, $0.priority, $0.expiration, $0.collapseID] }
                == ["", "", "", "", ""])
        #expect(rows.first?.apnsID == "12345678-9abc-8def-8000-000000000001")
    }

    @Test func `a row's own values are taken over`() throws {
        let rows = try Preparation.rows(
            """
            token,topic,push_type,priority,expiration,collapse_id,apns_id
            \(token),com.example.other,alert,10,0,news 1,EABEAE54-14A8-11E5-B60B-1697F925EC7B
            """)
        let row = try #require(rows.first)
        #expect(row.isReady)
        #expect(row.topic == "com.example.other")
        #expect(row.givesTopic)
        #expect(row.pushType == "alert")
        #expect(row.priority == "10")
        #expect(row.expiration == "0")
        #expect(row.collapseID == "news 1")
        #expect(row.apnsID == "eabeae54-14a8-11e5-b60b-1697f925ec7b")
    }

    @Test(arguments: [
        ("alert", "a.b", "a.b"), ("voip", "a.b", "a.b.voip"), ("voip", "a.b.voip", "a.b.voip"),
        ("liveactivity", "a.b", "a.b.push-type.liveactivity"),
        ("location", "a.b", "a.b.location-query"), ("unheard-of", "a.b", "a.b"),
    ])
    func `a row's topic gets the suffix of its push type`(
        pushType: String, topic: String, full: String
    ) throws {
        let own = try Preparation.rows("token,push_type,topic\n\(token),\(pushType),\(topic)\n")
        #expect(own.map(\.topic) == [full])
        let job = try Preparation.rows("token,topic\n\(token),\(topic)\n") {
            $0.provider.pushType = pushType
        }
        #expect(job.map(\.topic) == [full])
    }

    // MARK: Sizes

    @Test(arguments: [("alert", 4096), ("voip", 5120), ("background", 4096), ("mdm", 4096)])
    func `a payload may have as many bytes as its push type allows`(
        pushType: String, bytesMax: Int
    ) throws {
        func payload(_ count: Int) -> String {
            // {"a":"…"} has 8 bytes around the text.
            let text = #"{"a":"\#(String(repeating: "x", count: count - 8))"}"#
            #expect(text.utf8.count == count)
            return text
        }
        let rows = [bytesMax, bytesMax + 1].map {
            #"{"token":"\#(token)","push_type":"\#(pushType)","payload":\#(payload($0))}"#
        }
        let prepared = try Preparation.rows(rows.joined(separator: "\n"))
        #expect(prepared.map(\.isReady) == [true, false])
        #expect(prepared.map(\.problem) == ["", "line 2: payload is too large"])

        let rendered = try Preparation.rows(
            "token,v\n\(token),\(String(repeating: "x", count: bytesMax - 8))\n"
                + "\(token),\(String(repeating: "x", count: bytesMax - 7))\n",
            payload: #"{"a":"{{v}}"}"#
        ) { $0.provider.pushType = pushType }
        #expect(rendered.map(\.isReady) == [true, false])
    }

    @Test func `id and carried columns may have 16 KiB together`() throws {
        func row(_ count: Int) -> String {
            #"{"token":"\#(token)","id":"12","note":"\#(String(repeating: "x", count: count - 2))"}"#
        }
        let text = row(16 * 1024) + "\n" + row(16 * 1024 + 1)
        let prepared = try Preparation.rows(text) { $0.report.carriedColumns = ["note"] }
        #expect(prepared.map(\.isReady) == [true, false])
        let bad = try #require(prepared.last)
        #expect(bad.problem == "line 2: id and carried columns are too large")
        // The line is there with its number and token, and with as many columns as the others.
        #expect(bad.prefix == "2,,\(token),apns,")
        #expect(bad.suffix == ",")
    }

    @Test func `a rehearsal without a report finds the same faults`() throws {
        let text = #"{"token":"\#(token)","id":"\#(String(repeating: "x", count: 16_385))"}"#
        let prepared = try Preparation.rows(text) { $0.report.path = Rehearsal.noReport }
        #expect(prepared.map(\.kind) == ["id and carried columns are too large"])
    }

    /// As `printf abcd | sha256sum` says, to half its length.
    @Test func `a hidden token is the first half of its SHA-256`() throws {
        let rows = try Preparation.rows("token\nabcd\n") { $0.report.token = .hash }
        #expect(rows.map(\.prefix) == ["1,,88d4266fd4e6338d13b845fcf289579d,apns,"])
        #expect(rows.map(\.token) == ["abcd"])
    }

    // MARK: Settings of the job

    @Test func `a row with another push type gets the job's topic in that type's form`() throws {
        let text = "token,push_type\n\(token),voip\n\(token),alert\n\(token),\n"
        let rows = try Preparation.rows(text)
        #expect(rows.map(\.topic) == ["com.example.app.voip", "", ""])
        let voip = try Preparation.rows(text) { $0.provider.pushType = "voip" }
        #expect(voip.map(\.topic) == ["", "com.example.app", ""])
        // The row did not choose it: if it is refused, the job's topic is to blame.
        #expect(rows.map(\.givesTopic) == [false, false, false])
    }

    @Test func `the job's priority has to suit a row's push type`() throws {
        let text = "token,push_type,priority\n\(token),background,\n\(token),background,5\n"
        let rows = try Preparation.rows(text) { $0.provider.priority = "10" }
        #expect(rows.map(\.isReady) == [false, true])
        #expect(rows.first?.problem == "line 2: priority must be 5 for background pushes")
        let unset = try Preparation.rows(text)
        #expect(unset.map(\.isReady) == [true, true])
    }

    /// Without a header the provider takes 10, and refuses that for `background`.
    @Test func `a row's push type brings its own priority where none is given`() throws {
        let text = "token,push_type\n\(token),background\n\(token),alert\n\(token),\n"
        let rows = try Preparation.rows(text)
        #expect(rows.map(\.priority) == ["5", "", ""])
        let background = try Preparation.rows(text) { $0.provider.pushType = "background" }
        #expect(background.map(\.priority) == ["", "10", ""])
        let unchecked = try Preparation.rows(text) { $0.rows.validates = false }
        #expect(unchecked.map(\.priority) == ["5", "", ""])
    }
}
