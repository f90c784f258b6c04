import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// A job that says one thing to any provider.
///
/// The expected payloads are written from the providers' documents.
@Suite struct MessageJobTests {
    private static let message = Message(
        title: "Doors open", subtitle: "Tonight", body: "Hello {{name|friend}}",
        image: "https://cdn.example.com/a.jpg", link: "app://events/{{event}}",
        data: ["order": "17", "kind": "event"], badge: "{{unread|0}}", sound: "default",
        ttl: .seconds(3600), collapse: "doors", priority: .high)

    private static let rows = "token,name,event,unread\naa,Ann,7,3\nbb,,8,\n"

    private func configuration(
        _ message: Message, to provider: Provider = .apns, _ rows: String = rows
    ) -> Configuration {
        var configuration = Preparation.configuration(rows, payload: nil)
        configuration.payload = .message(message)
        configuration.provider.provider = provider
        return configuration
    }

    private func plan(
        _ message: Message, to provider: Provider = .apns, _ rows: String = rows,
        _ change: (inout ProviderOptions) -> Void = { _ in }
    ) throws -> PreparedJob {
        var configuration = configuration(message, to: provider, rows)
        change(&configuration.provider)
        return try PreparedJob(
            configuration, identity: Preparation.identity, started: 1_700_000_000_999)
    }

    private func headers(
        _ message: Message, _ change: (inout ProviderOptions) -> Void = { _ in }
    ) throws -> APNs.Settings {
        try #require(try plan(message, to: .apns, Self.rows, change).routes[0].service as? APNs)
            .settings
    }

    private func refusal(
        _ message: Message, to provider: Provider = .apns, _ rows: String = rows
    ) -> String? {
        fanfareError { _ = try plan(message, to: provider, rows) }?.message
    }

    // MARK: Payload

    @Test func `a device of Apple gets aps and keys beside it`() throws {
        let rows = try Preparation.rows(configuration(Self.message))
        let first =
            #"{"aps":{"alert":{"title":"Doors open","subtitle":"Tonight","body":"Hello Ann"},"#
            + #""mutable-content":1,"badge":3,"sound":"default"},"#
            + #""image":"https://cdn.example.com/a.jpg","link":"app://events/7","#
            + #""kind":"event","order":"17"}"#
        let second =
            #"{"aps":{"alert":{"title":"Doors open","subtitle":"Tonight","body":"Hello friend"},"#
            + #""mutable-content":1,"badge":0,"sound":"default"},"#
            + #""image":"https://cdn.example.com/a.jpg","link":"app://events/8","#
            + #""kind":"event","order":"17"}"#
        #expect(rows.map(\.payload) == [first, second])
    }

    @Test func `FCM gets a message with the row's token`() throws {
        let rows = try Preparation.rows(configuration(Self.message, to: .fcm))
        let expected =
            #"{"message":{"token":"aa","notification":{"title":"Doors open","#
            + #""body":"Hello Ann","image":"https://cdn.example.com/a.jpg"},"#
            + #""data":{"link":"app://events/7","kind":"event","order":"17"},"#
            + #""android":{"notification":{"notification_count":3,"sound":"default","#
            + #""tag":"doors"},"ttl":"3600s","collapse_key":"doors","priority":"HIGH"}}}"#
        #expect(rows.first?.payload == expected)
        #expect(rows.map(\.isReady) == [true, true])
    }

    @Test func `a row's own payload wins`() throws {
        let text = #"{"token":"aa","payload":{"aps":{"badge":9}},"name":"x","event":"y"}"#
        let rows = try Preparation.rows(configuration(Self.message, to: .apns, text))
        #expect(rows.map(\.payload) == [#"{"aps":{"badge":9}}"#])
    }

    @Test func `what is only about delivery leaves the payloads to the rows`() throws {
        let message = Message(ttl: .zero, priority: .normal)
        let text = #"{"token":"aa","payload":{"aps":{"badge":9}}}"#
        let rows = try Preparation.rows(configuration(message, to: .apns, text))
        #expect(rows.map(\.payload) == [#"{"aps":{"badge":9}}"#])
        let settings = try #require(try plan(message, to: .apns, text).routes[0].service as? APNs)
            .settings
        #expect(settings.expiration == "0" && settings.priority == "5")
        // There it would be in the payload, which is the row's.
        #expect(
            refusal(message, to: .fcm, #"{"token":"aa","payload":{"message":{}}}"#)
                == "the message: ttl is a part of the payload for FCM, and nothing is said that makes "
                + "one; give a title, a body or data, or write it into the payloads of the rows")
    }

    @Test func `a column that a message asks for has to be there`() throws {
        let message = refusal(Message(title: "Hi {{nmae}}")) ?? ""
        #expect(message.hasPrefix("input has no column 'nmae'"), "\(message)")
    }

    // MARK: Headers

    @Test func `delivery is said to Apple in headers`() throws {
        let settings = try headers(Self.message)
        // An hour after the job's start, whole seconds.
        #expect(settings.expiration == "1700003600")
        #expect(settings.collapseID == "doors" && settings.priority == "10")
        let plain = try headers(Message(title: "Hi"))
        #expect(plain.expiration == nil && plain.collapseID == nil && plain.priority == nil)
        #expect(try headers(Message(title: "Hi", ttl: .zero)).expiration == "0")
    }

    @Test func `the provider's own options win`() throws {
        let settings = try headers(Self.message) {
            $0.expiration = "1800000000"
            $0.collapseID = "own"
            $0.priority = "1"
        }
        #expect(settings.expiration == "1800000000")
        #expect(settings.collapseID == "own" && settings.priority == "1")
        let later = try headers(Self.message) { $0.expiresAfter = .seconds(60) }
        #expect(later.expiration == "1700000060")
        let kept = try headers(Message(title: "Hi", ttl: .zero)) {
            $0.expiresAfter = .seconds(60)
        }
        #expect(kept.expiration == "1700000060")
    }

    @Test func `a push type has its say about the priority`() {
        let error = fanfareError {
            _ = try headers(Message(title: "Hi", priority: .high)) { $0.pushType = "background" }
        }
        #expect(error?.code == .configuration)
        #expect(
            error?.message
                == "ProviderOptions.priority 10: priority must be 5 for background pushes")
    }

    @Test func `a key to collapse by is made of the row's values`() throws {
        let message = Message(title: "Hi", collapse: "order-{{order|none}}-{{n}}")
        let text =
            "token,order,n,collapse_id\naa,7,1,\nbb,,2,own\ncc,,3,\ndd,\(String(repeating: "x", count: 57)),4,\n"
            + "ee,\(String(repeating: "x", count: 56)),5,\nff,7,\u{1},\n"
        let rows = try Preparation.rows(configuration(message, to: .apns, text))
        #expect(
            rows.map(\.collapseID) == [
                "order-7-1", "own", "order-none-3", "",
                "order-\(String(repeating: "x", count: 56))-5", "",
            ])
        #expect(
            rows.map(\.kind) == [
                "", "", "", "collapse_id is longer than 64 bytes", "",
                "collapse_id is not a valid header value",
            ])
        let fcm = try Preparation.rows(configuration(message, to: .fcm, text))
        #expect(
            fcm.first?.payload
                == #"{"message":{"token":"aa","notification":{"title":"Hi"},"android":"#
                + #"{"collapse_key":"order-7-1","notification":{"tag":"order-7-1"}}}}"#)
    }

    @Test func `a key without its value, and one of nothing`() throws {
        let message = Message(title: "Hi", collapse: "{{order}}")
        let text = """
            {"token":"aa","order":"a/b"}
            {"token":"bb"}
            {"token":"cc","order":""}
            """
        let rows = try Preparation.rows(configuration(message, to: .apns, text))
        #expect(rows.map(\.collapseID) == ["a/b", "", ""])
        #expect(rows.map(\.isReady) == [true, false, true])
        #expect(rows[1].problem == "line 2: a value of the template is missing")
        let column = refusal(message, to: .apns, "token,name\naa,x\n") ?? ""
        #expect(column.hasPrefix("input has no column 'order'"), "\(column)")
        #expect(
            try plan(message, to: .apns, text) { $0.collapseID = "own" }.configuration.provider
                .collapseTemplate == nil)
        #expect(
            try PayloadSource.message(message).columnNames(for: .apns) == ["order"])
        #expect(
            try PayloadSource.message(message).columnNames(for: .fcm) == ["token", "order"])
    }

    // MARK: What is told

    @Test func `what a provider has no place for is told`() throws {
        #expect(
            try plan(Self.message, to: .fcm).payloadWarnings() == [
                "the message: subtitle is left out for FCM, which has no place for it"
            ])
        #expect(try plan(Self.message).payloadWarnings() == [])
        var message = Message(title: "Hi", sound: "default")
        message.ownMembers = [
            .init("/aps/alert", "\"Hi\""), .init("/aps/category", "\"ORDER\""),
        ]
        #expect(
            try plan(message, to: .fcm).payloadWarnings() == [
                "the message: category is left out for FCM, which has no place for it"
            ])
        #expect(try plan(message).payloadWarnings() == [])
    }

    @Test func `what shows nothing is told, as of any payload`() throws {
        let warnings = try plan(Message(data: ["a": "b"])).payloadWarnings()
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("the message has none of 'alert'") == true)
    }

    @Test func `a field that may not be so begins no job`() throws {
        var many = Message(title: "Hi")
        many.orderedData = [.init("a", "1"), .init("a", "2")]
        for (message, provider, text) in [
            (Message(image: "http://e.com/a"), .apns, "image is not an https URL"),
            (Message(link: "e.com"), .fcm, "link is no URL"),
            (Message(data: ["from": "x"]), .fcm, "data key 'from' is reserved by FCM"),
            (Message(data: ["aps": "x"]), .apns, "data key 'aps' is Apple's own"),
            (
                Message(data: ["n": "{{event:json}}"]), .fcm,
                "data key 'n' may become something else"
            ),
            (Message(badge: "x"), .apns, "badge is no whole number"),
            (Message(title: "Hi", ttl: .seconds(2_419_201)), .fcm, "ttl is 2419201 s, and FCM"),
            (Message(title: "Hi", ttl: .milliseconds(1500)), .apns, "ttl is no whole number of"),
            (Message(title: "Hi", ttl: .seconds(-1)), .apns, "ttl is no whole number of"),
            (Message(title: "{{name"), .apns, "title has a placeholder '{{name' that is never"),
            (many, .apns, "data key 'a' comes twice"),
        ] as [(Message, Provider, String)] {
            let found = refusal(message, to: provider) ?? "taken"
            #expect(found.hasPrefix("the message: \(text)"), "\(found)")
        }
        #expect(refusal(Message(data: ["from": "x"])) == nil)
        #expect(refusal(Message(data: ["aps": "x"]), to: .fcm) == nil)
    }

    @Test func `a page shows what it is`() {
        let settings = configuration(Self.message).shownSettings
        #expect(settings.first { $0.name == "payload" }?.value == "the message")
    }

    // MARK: The same job

    @Test func `another message is another job`() throws {
        func settings(
            _ message: Message, to provider: Provider = .apns
        ) throws -> [String: String] {
            let plan = try plan(message, to: provider)
            return Dictionary(
                JobFingerprint.settings(of: plan.configuration).map { ($0.name, $0.value) }
            ) { $1 }
        }
        func changed(_ provider: Provider, _ change: (inout Message) -> Void) throws -> [String] {
            var other = Self.message
            change(&other)
            let (now, then) = (
                try settings(Self.message, to: provider), try settings(other, to: provider)
            )
            return now.keys.filter { now[$0] != then[$0] }.sorted()
        }
        #expect(try settings(Self.message)["payload"]?.isEmpty == false)
        #expect(try changed(.apns) { _ in } == [])
        #expect(try changed(.apns) { $0.title = "Doors closed" } == ["payload"])
        #expect(try changed(.apns) { $0.ttl = .seconds(3601) } == ["expiration"])
        #expect(try changed(.apns) { $0.collapse = nil } == ["collapse-id"])
        #expect(try changed(.apns) { $0.collapse = "{{name}}" } == ["collapse-id"])
        #expect(try changed(.apns) { $0.priority = .normal } == ["priority"])
        for change in [
            { $0.title = "Doors closed" }, { $0.ttl = .seconds(3601) }, { $0.collapse = nil },
            { $0.priority = .normal },
        ] as [(inout Message) -> Void] {
            #expect(try changed(.fcm, change) == ["payload"])
        }
        #expect(try changed(.fcm) { $0.subtitle = nil } == [])
    }
}

/// A message is kept by a job that is carried on.
@Suite struct MessageResumeTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    private func stopped() throws -> Configuration {
        try stoppedJob {
            $0.payload = .message(
                Message(title: "Hi {{name}}", ttl: .seconds(3600), priority: .normal))
        }
    }

    @Test func `the same message carries the job on`() throws {
        let configuration = try stopped()
        let result = try Job(resuming(configuration)).run()
        #expect(result.exitCode == 0 && result.rowsRead == 100)
    }

    @Test func `another message is refused`() throws {
        var configuration = try stopped()
        for (message, said) in [
            (
                Message(title: "Hello {{name}}", ttl: .seconds(3600), priority: .normal),
                "the payload is not the one of then"
            ),
            (
                Message(title: "Hi {{name}}", ttl: .seconds(60), priority: .normal),
                "ProviderOptions.expiration was +3600 then"
            ),
            (
                Message(title: "Hi {{name}}", ttl: .seconds(3600)),
                "ProviderOptions.priority was 5 then"
            ),
        ] {
            configuration.payload = .message(message)
            let (code, text) = try #require(self.message(resuming(configuration)))
            #expect(code == .configuration)
            #expect(text.contains(said), "\(text)")
        }
    }
}
