import FanfareCore
import Testing

@Suite struct MessageRulesTests {
    /// A message in which one field has one text.
    static func message(_ field: MessageField, _ text: String) -> NeutralMessage {
        MessageTranslationTests.message {
            switch field {
            case .title: $0.title = text
            case .subtitle: $0.subtitle = text
            case .body: $0.body = text
            case .image: $0.image = text
            case .link: $0.link = text
            case .badge: $0.badge = text
            case .sound: $0.sound = text
            case .collapse: $0.collapse = text
            case .data: $0.data = [.init("key", text)]
            case .ttl: $0.ttl = UInt32(text)
            case .priority: $0.priority = NeutralMessage.Priority(rawValue: text)
            }
        }
    }

    @Test(
        arguments: [
            (.title, ""), (.title, "a { b } {c}"), (.title, "{{name|friend}}"),
            (.body, "{{a}}{{b}}"),
            (.image, "https://e.com/a.jpg"), (.image, "HTTPS://e.com"), (.image, "{{image}}"),
            (.image, "https://e.com/{{id}}.jpg"), (.image, "{{image|https://e.com/a.jpg}}"),
            (.link, "https://e.com"), (.link, "app:x"), (.link, "my-app.v2+x://y?z=1"),
            (.link, "{{link}}"), (.link, "app://{{name|a b}}"),
            (.badge, "0"), (.badge, "2147483647"), (.badge, "{{n}}"), (.badge, "{{n|0}}"),
            (.badge, "{{n:json|1}}"), (.sound, "bell.caf"), (.sound, "{{sound|default}}"),
            (.collapse, "a-B_9"), (.collapse, "{{a}}-{{b}}"), (.data, ""), (.data, "{{x}} {{y|z}}"),
            (.ttl, "0"), (.ttl, "2419200"), (.priority, "high"),
        ] as [(MessageField, String)])
    func `what every provider takes`(field: MessageField, text: String) {
        let message = Self.message(field, text)
        #expect(message.has(field))
        for provider in ProviderKind.allCases {
            #expect(message.problems(for: provider) == [], "\(provider)")
        }
    }

    @Test(
        arguments: [
            (.title, "Hi {{name", "has a placeholder '{{name' that is never closed with }}"),
            (.body, "{{}}", "has a placeholder '{{}}' that has no name"),
            (.body, "{{a b}}", "has a name with something else than letters"),
            (.body, "x {{a:json}}", "has :json, but is not the whole string"),
            (.image, "http://e.com/a.jpg", "is not an https URL"),
            (.image, "a.jpg", "is not an https URL"),
            (.image, "", "is not an https URL"),
            (.image, "https://e.com/a b.jpg", "has a blank or a control character"),
            (.image, "{{host}}/a\n", "has a blank or a control character"),
            (.link, "e.com/news", "is no URL"),
            (.link, "/news", "is no URL"),
            (.link, "", "is no URL"),
            (.link, ":x", "is no URL"),
            (.link, "9a://x", "is no URL"),
            (.link, "my app://x", "is no URL"),
            (.link, "app://a b", "has a blank or a control character"),
            (.badge, "", "is more than a number or a placeholder"),
            (.badge, "-1", "is no whole number up to 2147483647"),
            (.badge, "1.5", "is no whole number up to 2147483647"),
            (.badge, "03", "is no whole number up to 2147483647"),
            (.badge, "2147483648", "is no whole number up to 2147483647"),
            (.badge, "many", "is no whole number up to 2147483647"),
            (.badge, "1{{n}}", "is more than a number or a placeholder"),
            (.badge, "{{n|many}}", "has the default 'many', which is no whole number"),
            (.sound, "", "is empty"),
            (.collapse, "", "is empty"),
            (.data, "{{x", "has a placeholder '{{x' that is never closed with }}"),
        ] as [(MessageField, String, String)])
    func `what no provider takes`(field: MessageField, text: String, part: String) throws {
        for provider in ProviderKind.allCases {
            let problems = Self.message(field, text).problems(for: provider)
            let problem = try #require(problems.first)
            #expect(problems.count == 1 && problem.field == field)
            #expect(problem.text.contains(part), "\(provider): \(problem)")
        }
    }

    /// RFC 8030 §5.4, Apple's and Google's documents.
    @Test(
        arguments: [
            (.collapse, String(repeating: "x", count: 64), [.webpush]),
            (.collapse, String(repeating: "x", count: 65), [.apns, .webpush]),
            (.collapse, String(repeating: "x", count: 33), [.webpush]),
            (.collapse, String(repeating: "x", count: 32), []),
            (.collapse, String(repeating: "\u{E9}", count: 33), [.apns, .webpush]),
            (.collapse, String(repeating: "x", count: 65) + "{{id}}", [.apns, .webpush]),
            (.collapse, "a b", [.webpush]), (.collapse, " a", [.apns, .webpush]),
            (.collapse, "a\u{1}", [.apns, .webpush]), (.collapse, "a.b", [.webpush]),
            (.collapse, "{{id:json}}", [.apns, .fcm, .webpush]),
            (.ttl, "2419201", [.fcm]), (.ttl, "2592000", [.fcm]),
            (.ttl, "2592001", [.fcm, .webpush]),
            (.ttl, "4294967295", [.fcm, .webpush]),
            (.title, "{{t:json}}", [.fcm]), (.data, "{{n:json}}", [.fcm]),
            (.data, "{{n:json|1}}", [.fcm]),
        ] as [(MessageField, String, [ProviderKind])])
    func `what some providers do not take`(
        field: MessageField, text: String, refusing: [ProviderKind]
    ) {
        let message = Self.message(field, text)
        #expect(ProviderKind.allCases.filter { message.problems(for: $0) != [] } == refusing)
    }

    @Test(
        arguments: [
            ("aps", [.apns]), ("from", [.fcm]), ("message_type", [.fcm]), ("collapse_key", [.fcm]),
            ("google.c.a", [.fcm]), ("gcm.notification.title", [.fcm]), ("gcm.x", [.fcm]),
            ("google", []), ("gcm", []), ("googleplex", []), ("From", []), ("fromage", []),
            ("notification", []), ("image", []), ("link", []), ("a{{b}}", [.fcm]),
            ("", [.apns, .fcm, .webpush]),
        ] as [(String, [ProviderKind])])
    func `keys that are the provider's own are refused`(key: String, refusing: [ProviderKind]) {
        let message = MessageTranslationTests.message { $0.data = [.init(key, "x")] }
        #expect(ProviderKind.allCases.filter { message.problems(for: $0) != [] } == refusing)
    }

    @Test func `a key that comes twice is named`() {
        let message = MessageTranslationTests.message {
            $0.data = [.init("a", "1"), .init("b", "2"), .init("a", "3")]
        }
        let expected = MessageProblem(.data, key: "a", "comes twice; a key has one value")
        #expect(message.problems(for: .apns) == [expected])
        #expect(expected.description == "data key 'a' comes twice; a key has one value")
        #expect(expected.pointer == "/data/a")
        #expect(MessageProblem(.data, key: "a/b~c", "").pointer == "/data/a~1b~0c")
        #expect(MessageProblem(.image, "x").pointer == "/image")
        #expect(MessageProblem(.image, "is gone").description == "image is gone")
    }

    @Test func `a key may not be where a field goes`() {
        let message = MessageTranslationTests.message {
            $0.image = "https://e.com/a.jpg"
            $0.link = "https://e.com"
            $0.data = [.init("image", "1"), .init("link", "2")]
        }
        func keys(_ provider: ProviderKind) -> [String?] {
            message.problems(for: provider).map(\.key)
        }
        #expect(keys(.apns) == ["image", "link"])
        #expect(keys(.fcm) == ["link"])
        #expect(keys(.webpush) == [])
    }

    @Test func `problems stand in the order of the fields`() {
        let message = MessageTranslationTests.message {
            $0.collapse = ""
            $0.badge = "x"
            $0.data = [.init("from", "{{x")]
            $0.title = "{{"
            $0.ttl = 2_419_201
        }
        #expect(
            message.problems(for: .fcm).map(\.field) == [.title, .data, .badge, .ttl, .collapse])
    }
}
