import FanfareCore
import FanfareJSON
import Foundation
import Testing

/// The places that messages are translated to are those of the providers' documents.
@Suite struct MessagePlacesTests {
    /// Names and types of FCM's discovery document, by object.
    private let fcm: [String: [String: String]]

    init() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/fcm/discovery.json")
        let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let document = try #require(json as? [String: Any])
        let added = try #require(document["added"] as? [String: Any])
        var schemas = try #require(document["schemas"] as? [String: [String: String]])
        for (name, fields) in try #require(added["schemas"] as? [String: [String: String]]) {
            schemas[name, default: [:]].merge(fields) { _, new in new }
        }
        fcm = schemas
    }

    private func pointers(_ provider: ProviderKind) -> [[String]] {
        MessageMapping.table.filter { $0.provider == provider }.flatMap(\.targets)
            .compactMap { target in
                guard case .pointer(let pointer) = target.place else { return nil }
                return pointer.split(separator: "/").map(String.init)
            }
    }

    @Test func `APNs reads each place in aps`() {
        let paths = pointers(.apns)
        #expect(paths.count >= 8)
        for path in paths where path[0] == "aps" {
            if path.count == 2 {
                #expect(PayloadLint.apsKeys.contains(path[1]), "\(path)")
            } else {
                #expect(path.count == 3 && path[1] == "alert", "\(path)")
                #expect(PayloadLint.alertKeys.contains(path.last ?? ""), "\(path)")
            }
        }
        // All others are the app's own, which stand beside it.
        #expect(paths.filter { $0[0] != "aps" } == [["image"], ["link"], ["*"]])
    }

    @Test func `FCM has a field for each place`() throws {
        let paths = pointers(.fcm)
        #expect(paths.count >= 10)
        for path in paths + [["message", "token"]] {
            var type = "SendMessageRequest"
            for key in path {
                if type == "map" {
                    // A key of the app's own.
                    type = "string"
                    continue
                }
                let fields = try #require(fcm[type], "\(path): \(type) has no fields")
                type = try #require(fields[camel(key)], "\(path): no \(key)")
            }
            #expect(type == "string" || type == "integer", "\(path) is \(type)")
        }
    }

    /// The options of `showNotification` (https://notifications.spec.whatwg.org/#dictdef-notificationoptions
    /// and its first argument), the badge as Declarative Web Push calls it
    /// (https://www.w3.org/TR/push-api/#declarative-push-message), and a URL of ours.
    @Test func `a service worker knows each place`() {
        let options = [
            "title", "dir", "lang", "body", "navigate", "tag", "image", "icon", "badge", "vibrate",
            "timestamp", "renotify", "silent", "requireInteraction", "data", "actions",
        ]
        for path in pointers(.webpush) {
            #expect(options.contains(path[0]) || ["url", "app_badge"].contains(path[0]), "\(path)")
        }
    }

    /// developer.apple.com, "Sending notification requests to APNs"; RFC 8030 §5.
    @Test func `headers are those of the services`() {
        let known: [ProviderKind: [String]] = [
            .apns: [
                "apns-push-type", "apns-id", "apns-expiration", "apns-priority", "apns-topic",
                "apns-collapse-id",
            ],
            .fcm: [], .webpush: ["ttl", "urgency", "topic"],
        ]
        for mapping in MessageMapping.table {
            for case .header(let name) in mapping.targets.map(\.place) {
                #expect(known[mapping.provider]?.contains(name) == true, "\(name)")
            }
        }
    }

    @Test func `the schema has the fields of the document and no other`() {
        #expect(Set(FCMSchema.schemas.keys) == Set(fcm.keys))
        for (name, fields) in FCMSchema.schemas {
            let known = fcm[name] ?? [:]
            #expect(Set(fields.map(\.camelName)) == Set(known.keys), "\(name)")
            for field in fields {
                #expect(known[field.camelName] == kind(field.type), "\(name).\(field.name)")
            }
        }
    }

    @Test(arguments: ProviderKind.allCases)
    func `what is made of a message passes its provider's inspection`(
        provider: ProviderKind
    ) throws {
        var message = NeutralMessage()
        message.title = "Hi {{name|friend}}"
        message.body = "At eight"
        message.image = "{{image}}"
        message.link = "app://{{id}}"
        message.data = [.init("order", "{{id}}")]
        message.badge = "{{unread|0}}"
        message.sound = "default"
        message.ttl = 2_419_200
        message.collapse = "doors"
        message.priority = .high
        let json = try #require(try message.translated(for: provider).payload)
        let payload = try json.withUnsafeBufferPointer { try JSONValue.parse($0) }
        var inspection = provider.inspection(pushType: .alert, isTemplate: true)
        inspection.look(at: payload)
        #expect(inspection.faults == [])
        #expect(inspection.warnings == [])
        #expect(provider != .fcm || FCMTokenPlace.filled(json) == json)
    }

    /// The document's word for a type.
    private func kind(_ type: FCMType) -> String {
        switch type {
        case .text, .duration, .timeToLive, .color, .topic, .link, .word: "string"
        case .flag: "boolean"
        case .integer: "integer"
        case .number: "number"
        case .texts, .durations: "array"
        case .data, .headers: "map"
        case .anything: "any"
        case .object(let name): name
        }
    }

    private func camel(_ name: String) -> String {
        let words = name.split(separator: "_").map(String.init)
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
    }
}
