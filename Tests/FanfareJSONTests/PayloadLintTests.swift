import FanfareCore
import FanfareJSON
import Testing

@Suite struct PayloadLintTests {
    private func warnings(
        _ json: String, _ pushType: PushType = .alert, isTemplate: Bool = true
    ) throws -> [String] {
        let payload = try Array(json.utf8).withUnsafeBufferPointer { try JSONValue.parse($0) }
        var lint = PayloadLint(pushType: pushType, isTemplate: isTemplate)
        lint.look(at: payload)
        return lint.warnings
    }

    /// Apple's examples, and what else is right.
    @Test(arguments: [
        #"{"aps":{"alert":{"title":"Game Request","subtitle":"Five Card Draw","body":"Bob wants"},"category":"G"},"gameID":"1"}"#,
        #"{"aps":{"badge":9,"sound":"bingbong.aiff"},"messageID":"ABCDEFGHIJ"}"#,
        #"{"aps":{"alert":{"loc-key":"REQUEST","loc-args":["Shelly","Rick"]}}}"#,
        #"{"aps":{"content-available":1,"sound":"default"}}"#,
        #"{"aps":{"alert":"Hi {{name|friend}}","badge":"{{badge:json|1}}"},"own_key":"{x y}"}"#,
        #"{"aps":{"alert":"50% off, 20% today; {} and { } and {1} and a < b > c, %d"}}"#,
        #"{"aps":{"alert":"{{greeting|{dear}}}, use code SAVE{10}"}}"#,
        #"{"aps":{"alert":"a 10%now% of all"}}"#,
        #"{"aps":{"alert":"100%s, 20%@home, %%s, %sale, { x}, {a b, c}, {ab, c}"}}"#,
    ])
    func `a payload as Apple has it is not spoken of`(json: String) throws {
        #expect(try warnings(json) == [])
    }

    @Test(arguments: [
        (#"{"alert":"x"}"#, "has no 'aps', so devices do nothing with it; 'alert' belongs inside"),
        (#"{"a":"x"}"#, #"has no 'aps', so devices do nothing with it; a notification looks like"#),
        (#"{"APS":{}}"#, "has 'APS', which Apple does not read; did you mean 'aps'?"),
        (#"{"aps":"x"}"#, "has an 'aps' that is no object"),
        (#"{"aps":{"category":"x"}}"#, "has none of 'alert', 'badge', 'sound'"),
        (#"{"aps":{"content_available":1}}"#, "did you mean 'content-available'?"),
        (
            #"{"aps":{"Alert":"x"}}"#,
            "has 'Alert' in 'aps', which Apple does not read; did you mean"
        ),
        (#"{"aps":{"alert":{"Body":"x"}}}"#, "has 'Body' in 'alert'"),
        (
            #"{"aps":{"alert":"x","bage":1}}"#,
            "has 'bage' in 'aps', which Apple does not read; did you mean 'badge'?"
        ),
        (#"{"aps":{"alert":"x","content-avaliable":1}}"#, "did you mean 'content-available'?"),
        (#"{"aps":{"alert":{"titel":"x"}}}"#, "did you mean 'title'?"),
        (#"{"aps":{"alert":{"boddy":"x"}}}"#, "did you mean 'body'?"),
        (#"{"aps":{"alert":"x","url":"y"}}"#, "keys of your own stand beside 'aps'"),
        (#"{"aps":{"alert":"x","badge":"{{badge}}"}}"#, "has text for 'badge'"),
        (#"{"aps":{"alert":"Hi {name}"}}"#, "has '{name}' in a text, which is sent as it stands"),
        (#"{"aps":{"alert":"Hi ${first.name}!"}}"#, "has '${first.name}' in a text"),
        (#"{"aps":{"alert":{"body":"Hi %name%"}}}"#, "has '%name%' in a text"),
        (#"{"aps":{"alert":{"body":"Hi <%= name %>"}}}"#, "has '<%= name %>' in a text"),
        (#"{"aps":{"alert":{"loc-args":["*|FNAME|*"]}}}"#, "has '*|FNAME|*' in a text"),
        (#"{"aps":{"alert":"{{a|b}} {name}"}}"#, "has '{name}' in a text"),
        (#"{"aps":{"alert":"Hi {first name}!"}}"#, "has '{first name}' in a text"),
        (#"{"aps":{"alert":"Hi {0}, {1}"}}"#, "has '{0}' in a text"),
        (#"{"aps":{"alert":"Hi %s!"}}"#, "has '%s' in a text"),
        (#"{"aps":{"alert":"Hi %@"}}"#, "has '%@' in a text"),
        (#"{"aps":{"alert":"Hi %1$@, %2$@"}}"#, "has '%1$@' in a text"),
        (#"{"aps":{"alert":"x"},"link":"https://example.com/{id}"}"#, "has '{id}' in a text"),
        (#"{"aps":{"alert":"x"},"own":{"deep":["{{a}} ${user}"]}}"#, "has '${user}' in a text"),
    ])
    func `a likely mistake is named`(json: String, part: String) throws {
        let found = try warnings(json)
        #expect(found.count == 1 && found[0].contains(part), "\(found)")
    }

    @Test(
        arguments: [
            (#"{{ name | default: \"there\" }}"#, true), ("{{name|default('x')}}", true),
            ("{{name | upper}}", true), ("{{name || 'x'}}", true), ("{{name|'there'}}", true),
            ("{{name|there}}", false), ("{{name|default}}", false), ("{{name|Title of it}}", false),
            ("{{name}}", false), ("name|default: x", false), ("{{name |upper}}", true),
            // Ordinary defaults: a unit, a button, a mode.
            ("{{unit|h}}", false), ("{{unit | h}}", false), ("{{label|Title}}", false),
            ("{{label | Title}}", false), ("{{mode|Safe}}", false), ("{{mode|safe}}", false),
            ("{{name|Default: none}}", false),
        ])
    func `a default that is a filter elsewhere is told`(text: String, isTold: Bool) throws {
        let json = #"{"aps":{"alert":"\#(text)"}}"#
        #expect(try warnings(json).contains { $0.contains("like a filter") } == isTold)
        // In a row's own payload nothing is filled in.
        let own = try warnings(json, isTemplate: false)
        #expect(!own.contains { $0.contains("like a filter") })
    }

    @Test func `a filter hides no other placeholder`() throws {
        let found = try warnings(#"{"aps":{"alert":"{{a | upper}} {name}"}}"#)
        #expect(found.count == 2)
        #expect(found.first?.contains("'{{a | upper}}'") == true)
        #expect(found.last?.contains("'{name}' in a text") == true)
    }

    @Test func `what shows nothing is no alert`() throws {
        let silent = #"{"aps":{"content-available":1}}"#
        #expect(try warnings(silent).map { $0.hasPrefix("shows nothing") } == [true])
        #expect(try warnings(silent, .background).isEmpty)
        #expect(try warnings(#"{"aps":{"content-available":1,"badge":1}}"#).isEmpty)
    }

    @Test func `in the payload of a row nothing is filled in`() throws {
        let found = try warnings(#"{"aps":{"alert":"Hi {{name}}"}}"#, isTemplate: false)
        #expect(found.count == 1 && found[0].contains("'{{name}}'"), "\(found)")
    }

    @Test func `what no device shows may be anything`() throws {
        #expect(try warnings(#"{"from":"Ann"}"#, .voip) == [])
    }

    @Test func `a thousand mistakes are some warnings`() throws {
        let keys = (0..<1000).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(try warnings(#"{"aps":{"alert":"x",\#(keys)}}"#).count == 8)
    }
}
