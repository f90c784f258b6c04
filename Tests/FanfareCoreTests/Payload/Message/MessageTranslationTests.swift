import FanfareBase
import FanfareCore
import Testing

/// The expected payloads are written from the providers' documents.
@Suite struct MessageTranslationTests {
    typealias Header = MessageTranslation.Header

    /// A message with one change, or several.
    static func message(_ change: (inout NeutralMessage) -> Void) -> NeutralMessage {
        var message = NeutralMessage()
        change(&message)
        return message
    }

    static func payload(
        _ message: NeutralMessage, _ provider: ProviderKind
    ) throws -> String? {
        try message.translated(for: provider).payload.map { String(decoding: $0, as: UTF8.self) }
    }

    static let full = message {
        $0.title = "Doors open"
        $0.subtitle = "Tonight"
        $0.body = "At eight"
        $0.image = "https://cdn.example.com/a.jpg"
        $0.link = "app://events/7"
        $0.badge = "3"
        $0.sound = "default"
        $0.data = [.init("order", "17"), .init("a", "")]
        $0.ttl = 3600
        $0.collapse = "doors"
        $0.priority = .high
    }

    @Test func `APNs gets aps, keys of the app beside it, and three headers`() throws {
        let found = try Self.full.translated(for: .apns)
        #expect(
            found.payload.map { String(decoding: $0, as: UTF8.self) }
                == #"{"aps":{"alert":{"title":"Doors open","subtitle":"Tonight","body":"At eight"},"#
                + #""mutable-content":1,"badge":3,"sound":"default"},"#
                + #""image":"https://cdn.example.com/a.jpg","link":"app://events/7","#
                + #""order":"17","a":""}"#)
        #expect(
            found.headers == [
                Header("apns-expiration", .moment(secondsAfterStart: 3600)),
                Header("apns-collapse-id", .text("doors")), Header("apns-priority", .text("10")),
            ])
        #expect(found.unsaid == [])
    }

    @Test func `FCM gets a message with a place for the token, and no headers`() throws {
        let found = try Self.full.translated(for: .fcm)
        #expect(
            found.payload.map { String(decoding: $0, as: UTF8.self) }
                == #"{"message":{"token":"{{token}}","#
                + #""notification":{"title":"Doors open","body":"At eight","#
                + #""image":"https://cdn.example.com/a.jpg"},"#
                + #""data":{"link":"app://events/7","order":"17","a":""},"#
                + #""android":{"notification":{"notification_count":3,"sound":"default","#
                + #""tag":"doors"},"ttl":"3600s","collapse_key":"doors","priority":"HIGH"}}}"#)
        #expect(found.headers == [])
        #expect(found.unsaid == [.subtitle])
    }

    @Test func `a service worker gets one object, and the push service three headers`() throws {
        let found = try Self.full.translated(for: .webpush)
        #expect(
            found.payload.map { String(decoding: $0, as: UTF8.self) }
                == #"{"title":"Doors open","body":"At eight","#
                + #""image":"https://cdn.example.com/a.jpg","url":"app://events/7","#
                + #""data":{"order":"17","a":""},"app_badge":3,"tag":"doors"}"#)
        #expect(
            found.headers == [
                Header("ttl", .text("3600")), Header("topic", .text("doors")),
                Header("urgency", .text("high")),
            ])
        #expect(found.unsaid == [.subtitle, .sound])
    }

    struct Alone: CustomTestStringConvertible, Sendable {
        var field: MessageField
        /// APNs, FCM behind the token, Web Push.
        var payloads: [String]
        var testDescription: String { field.rawValue }
    }

    @Test(arguments: [
        Alone(
            field: .title,
            payloads: [
                #"{"aps":{"alert":{"title":"Doors open"}}}"#,
                #","notification":{"title":"Doors open"}"#, #"{"title":"Doors open"}"#,
            ]),
        Alone(
            field: .subtitle,
            payloads: [#"{"aps":{"alert":{"subtitle":"Tonight"}}}"#, "", "{}"]),
        Alone(
            field: .body,
            payloads: [
                #"{"aps":{"alert":{"body":"At eight"}}}"#,
                #","notification":{"body":"At eight"}"#, #"{"body":"At eight"}"#,
            ]),
        Alone(
            field: .image,
            payloads: [
                #"{"aps":{"mutable-content":1},"image":"https://cdn.example.com/a.jpg"}"#,
                #","notification":{"image":"https://cdn.example.com/a.jpg"}"#,
                #"{"image":"https://cdn.example.com/a.jpg"}"#,
            ]),
        Alone(
            field: .link,
            payloads: [
                #"{"aps":{},"link":"app://events/7"}"#, #","data":{"link":"app://events/7"}"#,
                #"{"url":"app://events/7"}"#,
            ]),
        Alone(
            field: .badge,
            payloads: [
                #"{"aps":{"badge":3}}"#, #","android":{"notification":{"notification_count":3}}"#,
                #"{"app_badge":3}"#,
            ]),
        Alone(
            field: .sound,
            payloads: [
                #"{"aps":{"sound":"default"}}"#,
                #","android":{"notification":{"sound":"default"}}"#, "{}",
            ]),
        Alone(
            field: .data,
            payloads: [
                #"{"aps":{},"order":"17","a":""}"#, #","data":{"order":"17","a":""}"#,
                #"{"data":{"order":"17","a":""}}"#,
            ]),
    ])
    func `a field that is not given leaves nothing behind`(_ example: Alone) throws {
        let full = Self.full
        let message = Self.message {
            switch example.field {
            case .title: $0.title = full.title
            case .subtitle: $0.subtitle = full.subtitle
            case .body: $0.body = full.body
            case .image: $0.image = full.image
            case .link: $0.link = full.link
            case .badge: $0.badge = full.badge
            case .sound: $0.sound = full.sound
            case .data: $0.data = full.data
            case .ttl, .collapse, .priority: break
            }
        }
        #expect(try Self.payload(message, .apns) == example.payloads[0])
        #expect(
            try Self.payload(message, .fcm)
                == #"{"message":{"token":"{{token}}""# + example.payloads[1] + "}}")
        #expect(try Self.payload(message, .webpush) == example.payloads[2])
        #expect(try message.translated(for: .apns).headers == [])
        // RFC 8030 §5.2: a push service may refuse a request without it.
        #expect(try message.translated(for: .webpush).headers == [Header("ttl", .text("2419200"))])
    }

    @Test func `what is about delivery alone makes no payload`() throws {
        let message = Self.message {
            $0.ttl = 0
            $0.priority = .normal
            $0.collapse = "x"
        }
        for provider in ProviderKind.allCases {
            #expect(try message.translated(for: provider).payload == nil)
            #expect(try NeutralMessage().translated(for: provider).payload == nil)
        }
        // Without storage, which is not the same as no header.
        #expect(
            try message.translated(for: .apns).headers == [
                Header("apns-expiration", .text("0")), Header("apns-collapse-id", .text("x")),
                Header("apns-priority", .text("5")),
            ])
        #expect(
            try message.translated(for: .webpush).headers == [
                Header("ttl", .text("0")), Header("topic", .text("x")),
                Header("urgency", .text("normal")),
            ])
    }

    @Test func `data alone stays data at FCM, whatever it replaces`() throws {
        let message = Self.message {
            $0.data = [.init("sync", "1")]
            $0.collapse = "sync"
            $0.priority = .normal
            $0.ttl = 0
        }
        #expect(
            try Self.payload(message, .fcm)
                == #"{"message":{"token":"{{token}}","data":{"sync":"1"},"#
                + #""android":{"ttl":"0s","collapse_key":"sync","priority":"NORMAL"}}}"#)
    }

    // MARK: Placeholders

    @Test func `placeholders stay, and are filled in with escapes`() throws {
        let message = Self.message {
            $0.title = "Say \"hi\" to {{name|my \"dear\" friend}}\n\u{1F389}"
            $0.badge = "{{badge|0}}"
            $0.data = [.init("who\"", "{{name}} \\"), .init("n", "{{badge}}")]
        }
        let json = try #require(try Self.payload(message, .fcm))
        #expect(
            json
                == #"{"message":{"token":"{{token}}","notification":{"title":"#
                + #""Say \"hi\" to {{name|my \"dear\" friend}}\n"#
                + "\u{1F389}\"},"
                + #""data":{"who\"":"{{name}} \\","n":"{{badge}}"},"#
                + #""android":{"notification":{"notification_count":"{{badge:json|0}}"}}}}"#)
        let rows = PayloadTemplateTests()
        let template = try rows.template(json)
        var out = ByteBuffer(capacity: 16)
        let full = rows.batch([
            "token": .text("f:A-b_1"), "name": .text("Ann \"A\"\n\u{E9}"), "badge": .json("7"),
        ])
        #expect(template.render(full, row: 0, into: &out, isJSON: rows.isJSON) == nil)
        #expect(
            String(decoding: out.bytes, as: UTF8.self)
                == #"{"message":{"token":"f:A-b_1","notification":{"title":"#
                + #""Say \"hi\" to Ann \"A\"\n"# + "\u{E9}" + #"\n"# + "\u{1F389}\"},"
                + #""data":{"who\"":"Ann \"A\"\n"# + "\u{E9}" + #" \\","n":"7"},"#
                + #""android":{"notification":{"notification_count":7}}}}"#)
        out.removeAll()
        let bare = rows.batch(["token": .text("t"), "badge": .json("1")])
        let fault = template.render(bare, row: 0, into: &out, isJSON: rows.isJSON)
        let slot = try #require(PayloadTemplateTests.schema.slot(named: "name"))
        #expect(fault == .missingValue(slot: slot))
    }

    @Test func `a value of data is a string at FCM, however it looks`() throws {
        let message = Self.message {
            $0.data = [.init("a", "17"), .init("b", "true"), .init("c", "{}"), .init("d", "null")]
        }
        #expect(
            try Self.payload(message, .fcm)
                == #"{"message":{"token":"{{token}}","data":{"a":"17","b":"true","c":"{}","d":"null"}}}"#
        )
    }

    @Test func `a header with placeholders is a template`() throws {
        let message = Self.message { $0.collapse = "order-{{id}}" }
        #expect(
            try message.translated(for: .apns).headers
                == [Header("apns-collapse-id", .template("order-{{id}}"))])
    }

    @Test func `what a provider does not take is not translated`() {
        let message = Self.message { $0.data = [.init("from", "x")] }
        #expect(throws: MessageProblem.self) { try message.translated(for: .fcm) }
        #expect(throws: Never.self) { try message.translated(for: .apns) }
    }

    // MARK: Options for APNs

    static let flags: [AlertFlags] = {
        let changes: [(inout AlertFlags) -> Void] = [
            { _ in },
            { $0.alert = "Hi {{name}}" },
            {
                $0.title = "T"
                $0.alert = "A"
            },
            {
                $0.subtitle = "S"
                $0.body = "B"
                $0.alert = "A"
            },
            { $0.body = "say \"hi\"\n\u{1}/" },
            { $0.isContentAvailable = true },
            {
                $0.badge = AlertFlags.Number("0")
                $0.sound = ""
                $0.category = "C"
            },
            { $0.data = [("k\"", "v"), ("n", "{{n:json}}"), ("a/b~", "")] },
            { $0.badge = AlertFlags.Number("{{n}}") },
            {
                $0.alert = "A"
                $0.badge = AlertFlags.Number("3")
                $0.sound = "default"
                $0.category = "C"
                $0.threadID = "t"
                $0.isContentAvailable = true
                $0.isContentMutable = true
                $0.interruptionLevel = "active"
                $0.relevanceScore = AlertFlags.Number("0.5")
                $0.targetContentID = "w"
                $0.data = [("id", "{{id}}")]
            },
        ]
        return changes.map { change in
            var flags = AlertFlags()
            change(&flags)
            return flags
        }
    }()

    @Test(arguments: flags.indices)
    func `options for APNs make the same payload as before`(_ index: Int) throws {
        let flags = Self.flags[index]
        let found = try NeutralMessage(flags).translated(for: .apns, adding: flags.ownMembers)
        #expect(found.payload == flags.json())
    }
}
