import FanfareCore
import FanfareJSON
import Testing

/// The service's refusals are in its reference, and in the checks of its own SDKs.
@Suite struct FCMPayloadLintTests {
    private func look(
        _ json: String, isTemplate: Bool = true
    ) throws -> (faults: [String], warnings: [String]) {
        let payload = try Array(json.utf8).withUnsafeBufferPointer { try JSONValue.parse($0) }
        var lint = FCMPayloadLint(isTemplate: isTemplate)
        lint.look(at: payload)
        return (lint.faults, lint.warnings)
    }

    @Test(arguments: [
        #"{"message":{"notification":{"title":"Hi {{name|friend}}","body":"x","image":"https://e.com/a"}}}"#,
        #"{"message":{"token":"{{token}}","data":{"a":"1","b":"{{n}}","c":"","d":"{\"x\":1}"}}}"#,
        #"{"validate_only":false,"message":{"topic":"{{city}}-1_.~%"}}"#,
        #"{"validateOnly":false,"message":{"condition":"'{{a}}' in topics && 'b' in topics"}}"#,
        #"{"message":{"android":{"ttl":"0s","priority":"high","collapse_key":"k"}}}"#,
        #"{"message":{"android":{"ttl":"2419200s","priority":"NORMAL","directBootOk":true}}}"#,
        #"{"message":{"android":{"ttl":"3.000000001s"}}}"#,
        #"{"message":{"android":{"ttl":"{{ttl}}s","priority":"{{p|high}}"}}}"#,
        ##"{"message":{"android":{"notification":{"color":"#0aF9cC","notification_count":3,"sticky":true}}}}"##,
        #"{"message":{"android":{"notification":{"color":"{{c}}","notification_count":"{{n:json|1}}"}}}}"#,
        #"{"message":{"android":{"notification":{"notification_count":"{{n}}","vibrate_timings":["0.1s","1s"]}}}}"#,
        #"{"message":{"android":{"notification":{"title_loc_key":"T","title_loc_args":["a","{{b}}"]}}}}"#,
        #"{"message":{"android":{"notification":{"bodyLocKey":"T","bodyLocArgs":["a"]}}}}"#,
        #"{"message":{"android":{"notification":{"light_settings":{"color":{"red":1,"green":0.5,"blue":0},"light_on_duration":"1s","light_off_duration":"2s"}}}}}"#,
        #"{"message":{"apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"badge":3,"alert":{"title":"x"}},"k":[1]}}}}"#,
        #"{"message":{"webpush":{"headers":{"TTL":"15"},"notification":{"title":"x","silent":true},"fcm_options":{"link":"https://e.com"}}}}"#,
        #"{"message":{"android":null,"data":{}}}"#,
        #"{"message":{}}"#,
    ])
    func `a message as Google has it is not spoken of`(json: String) throws {
        let found = try look(json)
        #expect(found.faults == [])
        #expect(found.warnings == [])
    }

    @Test(arguments: [
        (#"{"title":"x"}"#, "has no 'message', which FCM wants around everything; a message looks"),
        (#"{"notification":{},"data":{}}"#, "'notification', 'data' belongs inside of it"),
        (#"{"message":"x"}"#, "has a text for 'message', where FCM takes an object"),
        // Texts alone in data.
        (
            #"{"message":{"data":{"n":17}}}"#,
            "has a number for 'message.data.n', where FCM takes text: \"17\""
        ),
        (#"{"message":{"data":{"n":1.50}}}"#, "where FCM takes text: \"1.50\""),
        (
            #"{"message":{"data":{"b":true}}}"#,
            "has true or false for 'message.data.b', where FCM takes text: \"true\""
        ),
        (
            #"{"message":{"data":{"z":null}}}"#,
            "has null for 'message.data.z', where FCM takes text"
        ),
        (
            #"{"message":{"data":{"o":{"a":"b"}}}}"#,
            "has an object for 'message.data.o', where FCM takes text"
        ),
        (
            #"{"message":{"data":{"l":["a"]}}}"#,
            "has an array for 'message.data.l', where FCM takes text"
        ),
        (
            #"{"message":{"data":{"n":"{{n:json}}"}}}"#,
            "has '{{n:json}}' for 'message.data.n', where FCM takes text: {{n}}"
        ),
        (
            #"{"message":{"data":["a"]}}"#,
            "has an array for 'message.data', where FCM takes an object"
        ),
        (#"{"message":{"android":{"data":{"n":1}}}}"#, "for 'message.android.data.n'"),
        (#"{"message":{"webpush":{"data":{"n":1}}}}"#, "for 'message.webpush.data.n'"),
        (
            #"{"message":{"apns":{"headers":{"apns-priority":10}}}}"#,
            "has a number for 'message.apns.headers.apns-priority', where FCM takes text: \"10\""
        ),
        (
            #"{"message":{"data":{"from":"x"}}}"#,
            "has 'message.data.from', and 'from' is reserved by FCM"
        ),
        (#"{"message":{"data":{"google.x":"x"}}}"#, "'google.x' is reserved by FCM"),
        (
            #"{"message":{"android":{"data":{"gcm.notification.x":"x"}}}}"#,
            "'gcm.notification.x' is reserved"
        ),
        // One target.
        (
            #"{"message":{"token":"{{token}}","topic":"a"}}"#,
            "has 'token' and 'topic' in 'message', and FCM takes one of"
        ),
        (
            #"{"message":{"topic":"a","condition":"'a' in topics"}}"#,
            "has 'topic' and 'condition' in 'message'"
        ),
        (#"{"message":{"token":null}}"#, "has null for 'message.token'; leave it out"),
        // A message to many, for each row of a list.
        (
            #"{"message":{"topic":"news"}}"#,
            "has a 'topic' in 'message', so that each row of the list would be sent to all devices"
        ),
        (
            #"{"message":{"condition":"'a' in topics"}}"#,
            "or take it from a column: {{condition}}"
        ),
        // Values.
        (
            #"{"message":{"android":{"ttl":3600}}}"#,
            "has a number for 'message.android.ttl', where FCM takes text: \"3600s\""
        ),
        (
            #"{"message":{"android":{"ttl":"3600"}}}"#,
            "has '3600' for 'message.android.ttl', where FCM takes 0s to 2419200s"
        ),
        (#"{"message":{"android":{"ttl":"2419201s"}}}"#, "where FCM takes 0s to 2419200s"),
        (#"{"message":{"android":{"ttl":"-1s"}}}"#, "where FCM takes 0s to 2419200s"),
        (#"{"message":{"android":{"ttl":"1.s"}}}"#, "where FCM takes 0s to 2419200s"),
        (#"{"message":{"android":{"ttl":"1.0000000001s"}}}"#, "where FCM takes 0s to 2419200s"),
        (
            #"{"message":{"android":{"priority":"urgent"}}}"#,
            "has 'urgent' for 'message.android.priority', where FCM takes NORMAL, HIGH"
        ),
        (
            #"{"message":{"android":{"notification":{"notification_priority":"high"}}}}"#,
            "where FCM takes PRIORITY_UNSPECIFIED, PRIORITY_MIN"
        ),
        (
            #"{"message":{"android":{"notification":{"color":"red"}}}}"#,
            "has 'red' for 'message.android.notification.color', where FCM takes a color: #rrggbb"
        ),
        (##"{"message":{"android":{"notification":{"color":"#12345g"}}}}"##, "a color: #rrggbb"),
        (##"{"message":{"android":{"notification":{"color":"#1234567"}}}}"##, "a color: #rrggbb"),
        (
            ##"{"message":{"android":{"notification":{"light_settings":{"color":"#ffffff"}}}}}"##,
            "has a text for 'message.android.notification.light_settings.color', where FCM takes an object"
        ),
        (
            #"{"message":{"android":{"notification":{"light_settings":{"color":{"red":"1"}}}}}}"#,
            "where FCM takes a number"
        ),
        (
            #"{"message":{"android":{"notification":{"sticky":"true"}}}}"#,
            "where FCM takes true or false"
        ),
        (
            #"{"message":{"android":{"notification":{"notification_count":1.5}}}}"#,
            "where FCM takes a whole number"
        ),
        (
            #"{"message":{"android":{"notification":{"notification_count":"x"}}}}"#,
            "where FCM takes a whole number"
        ),
        (
            #"{"message":{"android":{"notification":{"vibrate_timings":["1s","x"]}}}}"#,
            "has 'x' for 'message.android.notification.vibrate_timings.1', where FCM takes a time in seconds"
        ),
        (
            #"{"message":{"android":{"notification":{"title_loc_args":["a"]}}}}"#,
            "has 'title_loc_args' in 'message.android.notification' without 'title_loc_key'"
        ),
        (
            #"{"message":{"notification":{"title":5}}}"#,
            "has a number for 'message.notification.title', where FCM takes text: \"5\""
        ),
        (#"{"message":{"notification":{"title":"{{t:json}}"}}}"#, "where FCM takes text: {{t}}"),
        (
            #"{"message":{"webpush":{"fcm_options":{"link":"http://e.com"}}}}"#,
            "where FCM takes an https URL"
        ),
        (
            #"{"validate_only":"no","message":{}}"#,
            "has a text for 'validate_only', where FCM takes true or false"
        ),
    ])
    func `what FCM refuses is a fault`(json: String, part: String) throws {
        let found = try look(json)
        #expect(found.faults.count == 1 && found.faults[0].contains(part), "\(found.faults)")
        #expect(found.warnings == [])
    }

    @Test(arguments: [
        (
            #"{"message":{"topic":"/topics/news"}}"#,
            "has '/topics/news' for 'message.topic', where FCM takes the name alone: news"
        ),
        (#"{"message":{"topic":"a b"}}"#, "where FCM takes letters, digits and -_.~%"),
        (#"{"message":{"topic":""}}"#, "where FCM takes letters, digits and -_.~%"),
    ])
    func `a topic that FCM refuses is a fault`(json: String, part: String) throws {
        let found = try look(json, isTemplate: false)
        #expect(found.faults.count == 1 && found.faults[0].contains(part), "\(found.faults)")
    }

    /// The rows say whom each message is for.
    @Test(arguments: [
        #"{"message":{"topic":"news"}}"#, #"{"message":{"condition":"'a' in topics"}}"#,
    ])
    func `a row's own message may go to many`(json: String) throws {
        #expect(try look(json, isTemplate: false).faults == [])
    }

    @Test(arguments: [
        (
            #"{"message":{"notifcation":{}}}"#,
            "has 'notifcation' in 'message', and FCM refuses messages with fields that it does not know; did you mean 'notification'?"
        ),
        (#"{"message":{},"dry_run":true}"#, "has 'dry_run', and FCM refuses"),
        (#"{"message":{"order":"17"}}"#, "put the app's own values into 'message.data'"),
        (#"{"message":{"token":"abc"}}"#, "has a 'token' in 'message', to which all rows are sent"),
        (
            #"{"message":{"notification":{"title":"Hi {name}"}}}"#,
            "has '{name}' in a text, which is sent as it stands"
        ),
        (#"{"validate_only":true,"message":{}}"#, "FCM looks at messages and delivers none"),
    ])
    func `what is probably a mistake is a warning`(json: String, part: String) throws {
        let found = try look(json)
        #expect(found.warnings.count == 1 && found.warnings[0].contains(part), "\(found.warnings)")
        #expect(found.faults == [])
    }

    @Test func `keys and texts of notification and data are counted`() throws {
        func message(_ count: Int, _ target: String = "") -> String {
            // Keys: title and k; the rest is text.
            let text = String(repeating: "x", count: count - 6 - 10)
            return #"{"message":{\#(target)"notification":{"title":"0123456789"},"#
                + #""data":{"k":"\#(text){{name|some default}}"},"android":{"collapse_key":"key"}}}"#
        }
        #expect(try look(message(4096)).warnings == [])
        let expected =
            "has 4097 bytes in 'notification' and 'data', where FCM takes 4096; placeholders are not counted"
        #expect(try look(message(4097)).warnings == [expected])
        #expect(try look(message(2048, #""topic":"{{t}}","#)).warnings == [])
        #expect(
            try look(message(2049, #""topic":"{{t}}","#)).warnings.first?
                .hasPrefix("has 2049 bytes in 'notification' and 'data', where FCM takes 2048")
                == true)
    }

    @Test func `the payload of a row has nothing filled in`() throws {
        let found = try look(
            #"{"message":{"token":"abc","data":{"n":"{{n:json}}"},"android":{"ttl":"{{ttl}}"}}}"#,
            isTemplate: false)
        #expect(
            found.faults == [
                "has '{{ttl}}' for 'message.android.ttl', where FCM takes 0s to 2419200s"
            ])
        // A row may well have a token of its own.
        #expect(found.warnings.count == 1 && found.warnings[0].contains("'{{ttl}}' in a text"))
    }

    @Test func `a thousand mistakes are some`() throws {
        let keys = (0..<1000).map { "\"k\($0)\":1" }.joined(separator: ",")
        #expect(try look(#"{"message":{"data":{\#(keys)}}}"#).faults.count == 8)
        #expect(try look(#"{"message":{\#(keys)}}"#).warnings.count == 8)
    }

    @Test func `each provider has its own inspection`() throws {
        let json = #"{"message":{"data":{"n":17}},"x":"{name}"}"#
        let payload = try Array(json.utf8).withUnsafeBufferPointer { try JSONValue.parse($0) }
        var faults: [Int] = []
        var warnings: [Bool] = []
        for provider in ProviderKind.allCases {
            var inspection = provider.inspection(pushType: .alert, isTemplate: true)
            inspection.look(at: payload)
            faults.append(inspection.faults.count)
            warnings.append(inspection.warnings.contains { $0.contains("has no 'aps'") })
            #expect(inspection.warnings.contains { $0.contains("'{name}' in a text") })
        }
        #expect(faults == [0, 1, 0])
        #expect(warnings == [true, false, false])
    }
}
