import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// A job's message, sent to a provider that a file describes.
@Suite struct MessageFillingTests {
    private static let request = #"""
        {"path": "/send", "body": {
          "to": [], "title": "${row:title}", "text": "${row:body|none}", "picture": "${row:image?}",
          "more": {"badge": "${row:badge:json?}", "keep": "${row:ttl?}s", "data": "${row:data:json?}"},
          "rank": "${row:priority:json?}"
        }}
        """#

    private func described(_ members: [String: String] = [:]) throws -> Described {
        let usual = [
            "request": Self.request, "batch": #"{"rows": 10, "tokens": "/to"}"#,
            "priority": #"{"high": 8, "normal": 5}"#,
            "answer":
                #"{"rules": [], "otherwise": {"outcome": "accepted"}, "rows": {"by": "batch"}}"#,
        ]
        return try Described(usual.merging(members) { $1 }.filter { $0.value != "" })
    }

    private func configuration(
        _ payload: PayloadSource, _ rows: String, _ described: Described
    ) throws -> Configuration {
        var configuration = Preparation.configuration(rows, payload: nil)
        configuration.payload = payload
        configuration.provider = try ProviderOptions(
            described.file, try ProviderSettings(described.file.provider, given: [], secrets: []))
        return configuration
    }

    private func bodies(
        _ message: Message, _ rows: String, _ members: [String: String] = [:]
    ) throws -> [String] {
        let job = try configuration(.message(message), rows, try described(members))
        return try Preparation.rows(job).map { $0.isReady ? $0.payload : $0.problem }
    }

    private func warnings(_ message: Message, _ members: [String: String] = [:]) throws -> [String]
    {
        let job = try configuration(
            .message(message), "token,title\na,b\n", try described(members))
        return try PreparedJob(job, identity: Preparation.identity).payloadWarnings()
    }

    /// The members of a description whose rows have requests of their own.
    private func alone(_ body: String) -> [String: String] {
        [
            "batch": "", "priority": "", "request": #"{"path": "/send", "body": \#(body)}"#,
            "answer": #"{"rules": [], "otherwise": {"outcome": "accepted"}}"#,
        ]
    }

    @Test func `each field fills the column of its name`() throws {
        let message = Message(
            title: "Doors \"open\"", body: "Hello {{name|friend}}",
            image: "https://example.org/a.jpg", data: ["event": "{{event}}"], badge: "{{unread|0}}",
            ttl: .seconds(3600), priority: .high)
        let found = try bodies(message, "token,name,event,unread\na,Ann,7,3\nb,,8,\n")
        let rest = #""picture":"https://example.org/a.jpg","#
        #expect(
            found == [
                #"{"to":["a"],"title":"Doors \"open\"","text":"Hello Ann",\#(rest)"#
                    + #""more":{"badge":3,"keep":"3600s","data":{"event":"7"}},"rank":8}"#,
                #"{"to":["b"],"title":"Doors \"open\"","text":"Hello friend",\#(rest)"#
                    + #""more":{"badge":0,"keep":"3600s","data":{"event":"8"}},"rank":8}"#,
            ])
    }

    @Test func `a field that is not given leaves out what stands for it`() throws {
        let found = try bodies(Message(title: "Hi"), "token\na\n")
        #expect(found == [#"{"to":["a"],"title":"Hi","text":"none"}"#])
    }

    @Test func `a row's own value wins, and an empty cell is none`() throws {
        let message = Message(title: "Hi", body: "All")
        #expect(
            try bodies(message, "token,title\na,Own\nb,\n") == [
                #"{"to":["a"],"title":"Own","text":"All"}"#,
                #"{"to":["b"],"title":"Hi","text":"All"}"#,
            ])
        let lines = #"{"token":"a","title":""}"# + "\n" + #"{"token":"b","title":null}"# + "\n"
        #expect(
            try bodies(message, lines) == [
                #"{"to":["a"],"title":"","text":"All"}"#,
                #"{"to":["b"],"title":"Hi","text":"All"}"#,
            ])
    }

    @Test func `a row without the value of a placeholder is invalid`() throws {
        let lines = #"{"token":"a","name":"Ann"}"# + "\n" + #"{"token":"b"}"# + "\n"
        #expect(
            try bodies(Message(title: "Hi {{name}}"), lines) == [
                #"{"to":["a"],"title":"Hi Ann","text":"none"}"#,
                "line 2: a value of the template is missing: name",
            ])
        #expect(
            fanfareError { _ = try bodies(Message(title: "Hi {{name}}"), "token\na\n") }?.message
                .contains("no column 'name', which the payload template wants") == true)
    }

    @Test func `a value in a form, a path and a field is escaped there`() throws {
        let form = alone(#"{"a": "${row:title}", "to": "${row:token}", "u": "${row:link?}"}"#)
            .merging([
                "request":
                    #"{"path": "/s", "encoding": "form", "body": {"t": "${row:title}", "to": "${row:token}", "u": "${row:link?}", "n": "${row:badge?}"}}"#
            ]) { $1 }
        #expect(
            try bodies(Message(title: "a&b c", badge: "4"), "token\nx\n", form)
                == ["t=a%26b+c&to=x&n=4"])
    }

    @Test func `rows share a request when their texts are the same`() throws {
        let job = try configuration(
            .message(Message(title: "Hi {{name}}")), "token,name\na,Ann\nb,Ann\nc,Bob\n",
            try described())
        let plan = try PreparedJob(job, identity: Preparation.identity)
        var preparer = RowPreparer(plan.preparation, plan.routes[0].service)
        let batch = RowBatch(slotCount: plan.preparation.schema.slotCount)
        let isRead = try plan.source.fill(batch)
        try #require(isRead)
        var keys: [String] = []
        for index in 0..<3 {
            var row = PreparedRow()
            let isReady = preparer.prepare(batch, index, into: &row)
            #expect(isReady)
            keys.append("\(Array(row.bytes.bytes(row.shareKey)))")
        }
        #expect(keys[0] == keys[1])
        #expect(keys[1] != keys[2])
    }

    @Test func `a field without a column is left out, and told`() throws {
        let message = Message(title: "Hi", subtitle: "all", link: "app://a", sound: "default")
        #expect(
            try warnings(message)
                == ["subtitle", "link", "sound"].map {
                    "the message: \($0) is left out for test, which has no place for it"
                })
        // Without words of the service a priority has no meaning there.
        #expect(
            try warnings(Message(title: "Hi", priority: .high), ["priority": ""]) == [
                "the message: priority is left out for test, which has no place for it"
            ])
        #expect(try warnings(Message(title: "Hi", priority: .normal)) == [])
    }

    @Test func `a column for a payload gets all of the message`() throws {
        let message = Message(
            title: "Hi {{name}}", data: ["a": "1"], badge: "2", ttl: .seconds(60),
            priority: .normal)
        let members = alone(#"{"to": "${row:token}", "what": "${row:payload:json}"}"#)
        let what =
            #"{"title":"Hi Ann","data":{"a":"1"},"badge":2,"ttl":60,"priority":"normal"}"#
        #expect(
            try bodies(message, "token,name\na,Ann\n", members)
                == [#"{"to":"a","what":\#(what)}"#])
        #expect(try warnings(Message(title: "Hi", subtitle: "all"), members) == [])
    }

    @Test func `a column that the file wants is needed where no message fills it`() throws {
        let error = fanfareError { _ = try bodies(Message(body: "Hi"), "token\na\n") }
        #expect(
            error?.message.contains("no column 'title', which test wants where no message fills it")
                == true, "\(error?.message ?? "")")
    }

    @Test func `a payload has no place, and what there is place for is named`() throws {
        let payload = PayloadSource.template(json: Array(#"{"a":1}"#.utf8), name: "hello.json")
        let error = fanfareError {
            _ = try PreparedJob(
                try configuration(payload, "token,title\na,b\n", try described()),
                identity: Preparation.identity)
        }
        #expect(
            error?.message
                == "hello.json: test has no place for a payload: what is sent is said by its description, "
                + "with values of the rows' columns or of a message: token, title, body, image, badge, "
                + "ttl, data, priority")
    }

    @Test func `a value that a field cannot have is told before the first row`() throws {
        for (message, words) in [
            (Message(title: "Hi", image: "a.jpg"), "the message: image is not an https URL"),
            (Message(title: "{{name:json}}"), "may become something else than text"),
            (Message(title: "Hi", badge: "many"), "the message: badge"),
        ] {
            let error = fanfareError { _ = try bodies(message, "token,name\na,b\n") }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    @Test func `a job is carried on with the same texts alone`() throws {
        let settings = try ["Hi", "Ho"].map { title in
            JobFingerprint.settings(
                of: try configuration(
                    .message(Message(title: title)), "token\na\n", try described()))
        }
        #expect(settings[0] != settings[1])
    }

    @Test func `APNs, FCM and a described provider get one message in one job`() throws {
        var job = Preparation.configuration(
            "token,provider\naa,apns\nbb,fcm\ndoors,ntfy\n", payload: nil)
        job.payload = .message(Message(title: "Doors open", body: "Hello"))
        var apns = ProviderOptions()
        apns.topic = "com.example.app"
        var fcm = ProviderOptions()
        fcm.provider = .fcm
        fcm.project = "demo"
        let ntfy = try ProviderOptions.declared("ntfy")
        job.routes = [apns, fcm, ntfy]
        let plan = try PreparedJob(job, identity: Preparation.identity)
        let batch = RowBatch(slotCount: plan.preparation.schema.slotCount)
        let isRead = try plan.source.fill(batch)
        try #require(isRead)
        var payloads: [String] = []
        for (index, route) in plan.routes.enumerated() {
            var preparer = RowPreparer(route.preparation, route.service)
            var row = PreparedRow()
            let isReady = preparer.prepare(batch, index, into: &row)
            #expect(isReady)
            payloads.append(String(row.bytes.bytes(row.payload)))
        }
        #expect(
            payloads == [
                #"{"aps":{"alert":{"title":"Doors open","body":"Hello"}}}"#,
                #"{"message":{"token":"bb","notification":{"title":"Doors open","body":"Hello"}}}"#,
                #"{"topic":"doors","title":"Doors open","message":"Hello"}"#,
            ])
        #expect(plan.payloadWarnings() == [])
    }
}
