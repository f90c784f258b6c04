import FanfareCore
import Testing

@Suite struct PushTypeTests {
    /// Suffix, longest payload and forced priority of each type in the vendor's table.
    static let table: [(String, String, Int, UInt8)] = [
        ("alert", "", 4096, 0),
        ("background", "", 4096, 5),
        ("voip", ".voip", 5120, 0),
        ("complication", ".complication", 4096, 0),
        ("fileprovider", ".pushkit.fileprovider", 4096, 0),
        ("mdm", "", 4096, 0),
        ("location", ".location-query", 4096, 0),
        ("liveactivity", ".push-type.liveactivity", 4096, 0),
        ("pushtotalk", ".voip-ptt", 4096, 0),
        ("widgets", ".push-type.widgets", 4096, 0),
        ("controls", ".push-type.controls", 4096, 0),
    ]

    @Test(arguments: table)
    func `a known type has the vendor's rules`(
        name: String, suffix: String, payloadBytesMax: Int, priority: UInt8
    ) {
        let rules = PushType(name).rules
        #expect(rules.topicSuffix.description == suffix)
        #expect(rules.payloadBytesMax == payloadBytesMax)
        #expect(rules.requiredPriority == priority)
        #expect(PushType.known.contains(PushType(name)))
    }

    @Test func `the named types are all the known ones`() {
        let named: [PushType] = [
            .alert, .background, .voip, .complication, .fileProvider, .mdm, .location,
            .liveActivity, .pushToTalk, .widgets, .controls,
        ]
        #expect(Set(named) == Set(PushType.known))
        #expect(named.count == PushType.known.count)
    }

    @Test(arguments: ["hologram", "Alert", ""])
    func `an unknown type passes through with the default rules`(name: String) {
        let type = PushType(name)
        #expect(type.description == name)
        #expect(type.rules.topicSuffix.description == "")
        #expect(type.rules.payloadBytesMax == 4096)
        #expect(type.rules.requiredPriority == 0)
    }

    @Test func `hosts and ports are the vendor's`() {
        #expect(APNsEnvironment.production.host == "api.push.apple.com")
        #expect(APNsEnvironment.sandbox.host == "api.sandbox.push.apple.com")
        #expect(APNsEnvironment.defaultPort == 443)
    }
}

@Suite struct APNsTopicTests {
    @Test(
        arguments: [
            ("com.example.app", PushType.alert, "com.example.app"),
            ("com.example.app", .background, "com.example.app"),
            ("com.example.app", .voip, "com.example.app.voip"),
            ("com.example.app.voip", .voip, "com.example.app.voip"),
            ("com.example.app", .liveActivity, "com.example.app.push-type.liveactivity"),
            ("com.example.app.voip", .pushToTalk, "com.example.app.voip.voip-ptt"),
            ("com.apple.mgmt.External.1", .mdm, "com.apple.mgmt.External.1"),
            ("com.example.app", PushType("hologram"), "com.example.app"),
            ("v", .voip, "v.voip"),
        ])
    func `a missing suffix is appended, for a job and for a row`(
        topic: String, type: PushType, full: String
    ) {
        #expect(APNsTopic.full(topic, for: type) == full)
        let bytes = withBytes(topic) { topic in
            appended { APNsTopic.appendFull(topic, rules: type.rules, into: &$0) }
        }
        #expect(bytes == full)
    }
}
