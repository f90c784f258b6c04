import FanfareCore
import Testing

@Suite struct AlertFlagsTests {
    func json(_ change: (inout AlertFlags) -> Void) -> String? {
        var flags = AlertFlags()
        change(&flags)
        return flags.json().map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `options make a payload`() {
        #expect(json { _ in } == nil)
        #expect(json { $0.alert = "Hi {{name}}" } == #"{"aps":{"alert":"Hi {{name}}"}}"#)
        #expect(
            json {
                $0.title = "T"; $0.alert = "A"
            } == #"{"aps":{"alert":{"title":"T","body":"A"}}}"#)
        #expect(
            json {
                $0.subtitle = "S"; $0.body = "B"; $0.alert = "A"
            } == #"{"aps":{"alert":{"subtitle":"S","body":"B"}}}"#)
        #expect(json { $0.body = "say \"hi\"\n" } == #"{"aps":{"alert":{"body":"say \"hi\"\n"}}}"#)
        #expect(json { $0.isContentAvailable = true } == #"{"aps":{"content-available":1}}"#)
        #expect(
            json { $0.data = [("k\"", "v"), ("n", "{{n:json}}")] }
                == #"{"aps":{},"k\"":"v","n":"{{n:json}}"}"#)
        let all = json {
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
        }
        #expect(
            all
                == #"{"aps":{"alert":"A","badge":3,"sound":"default","category":"C","thread-id":"t","#
                + #""content-available":1,"mutable-content":1,"interruption-level":"active","#
                + #""relevance-score":0.5,"target-content-id":"w"},"id":"{{id}}"}"#)
    }

    @Test func `a number is digits or a placeholder`() {
        let cases: [(String, String?)] = [
            ("0", "0"), ("3", "3"), ("12", "12"), ("0.25", "0.25"),
            ("{{badge}}", #""{{badge:json}}""#),
            ("{{ n }}", #""{{ n :json}}""#), ("{{n|0}}", #""{{n:json|0}}""#),
            ("{{n:json|1}}", #""{{n:json|1}}""#),
            ("", nil), ("x", nil), ("03", nil), ("-1", nil), ("1.", nil), (".5", nil), ("1e3", nil),
            ("1.2.3", nil),
            ("{{}}", nil), ("{{n}} ", nil), ("٣", nil),
        ]
        for (text, expected) in cases {
            let number = AlertFlags.Number(text)
            #expect((number == nil) == (expected == nil), "\(text)")
            if let number, let expected {
                #expect(json { $0.badge = number } == "{\"aps\":{\"badge\":\(expected)}}")
            }
        }
    }
}
