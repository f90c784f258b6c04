import FanfareSimulator
import Testing

@Suite struct FCMMessageTests {
    /// As long as the real ones, and in their form.
    static let token = "fake0123456789abcdefgh:APA91b" + String(repeating: "aB3-_", count: 27)

    private func read(
        _ body: String, type: String = "application/json"
    ) -> Result<FCMMessage, FCMRefusal> {
        Array(body.utf8).withUnsafeBufferPointer { body in
            Array(type.utf8).withUnsafeBufferPointer { type in
                do throws(FCMRefusal) {
                    return .success(try FCMMessage(body, contentType: type))
                } catch {
                    return .failure(error)
                }
            }
        }
    }

    private func refusal(_ body: String, type: String = "application/json") -> FCMRefusal? {
        guard case .failure(let refusal) = read(body, type: type) else { return nil }
        return refusal
    }

    private func violation(_ field: String, _ text: String) -> FCMRefusal {
        .unreadable([.init(field, text)])
    }

    // MARK: Whom it is for

    @Test func `a message is for a token, a topic or a condition`() throws {
        let token = try read(#"{"message":{"token":"\#(Self.token)"}}"#).get()
        #expect(token.target == .device(Self.token) && !token.isRehearsal)
        let topic = try read(#"{"message":{"topic":"/topics/news"},"validate_only":true}"#).get()
        #expect(topic.target == .topic("news") && topic.isRehearsal)
        #expect(try read(#"{"message":{"topic":"news"}}"#).get().target == .topic("news"))
        let condition = "'a' in topics && 'b' in topics"
        #expect(
            try read(#"{"validateOnly":false,"message":{"condition":"\#(condition)"}}"#).get()
                .target == .condition(condition))
        #expect(try read(#"{"message":{"fid":"short"}}"#).get().target == .device("short"))
    }

    @Test(arguments: [
        "{}", "", #"{"validate_only":true}"#, #"{"message":{}}"#, #"{"message":{"token":""}}"#,
        #"{"message":{"notification":{"title":"x"}}}"#,
    ])
    func `a message for none is refused`(body: String) {
        #expect(refusal(body) == .noRecipient)
    }

    @Test func `a message for two is refused`() {
        let text =
            "Invalid value at 'message' (oneof), oneof field 'target' is already set. Cannot set 'topic'"
        #expect(
            refusal(#"{"message":{"token":"\#(Self.token)","topic":"news"}}"#)
                == violation("message", text))
    }

    @Test func `a malformed token is refused in one of two forms`() {
        func refusal(ofToken token: String) -> FCMRefusal? {
            self.refusal(#"{"message":{"token":"\#(token)"}}"#)
        }
        #expect(refusal(ofToken: Self.token) == nil)
        #expect(refusal(ofToken: Self.token + "!") == .invalidToken)
        #expect(refusal(ofToken: "two words") == .invalidToken)
        #expect(refusal(ofToken: String(repeating: "a", count: 99)) == .unnamedInvalidToken)
        #expect(refusal(ofToken: String(repeating: "a", count: 100)) == nil)
    }

    // MARK: What it says

    @Test func `an unknown name is told with its place`() {
        #expect(
            refusal(#"{"message":{"toen":"x"}}"#)
                == violation(
                    "message",
                    #"Invalid JSON payload received. Unknown name "toen" at 'message': Cannot find field."#
                ))
        #expect(
            refusal(#"{"mesage":{}}"#)
                == violation(
                    "", #"Invalid JSON payload received. Unknown name "mesage": Cannot find field."#
                ))
        #expect(
            refusal(#"{"message":{"topic":"a","android":{"notification":{"badge":1}}}}"#)
                == violation(
                    "message.android.notification",
                    #"Invalid JSON payload received. Unknown name "badge" at 'message.android.notification': Cannot find field."#
                ))
    }

    @Test func `a value of data that is no text is told with its place`() {
        func refusal(ofData data: String) -> FCMRefusal? {
            self.refusal(#"{"message":{"topic":"a","data":\#(data)}}"#)
        }
        #expect(refusal(ofData: #"{"a":"1","b":"2"}"#) == nil)
        let field = "message.data[1].value"
        let start = "Invalid value at '\(field)' (TYPE_STRING), "
        #expect(refusal(ofData: #"{"a":"1","b":2}"#) == violation(field, start + "2"))
        #expect(refusal(ofData: #"{"a":"1","b":true}"#) == violation(field, start + "true"))
        #expect(
            refusal(ofData: #"{"a":"1","b":{}}"#)
                == violation(field, start + "Starting an object on a scalar field"))
        #expect(
            self.refusal(#"{"message":{"topic":"a","webpush":{"data":{"n":1.5}}}}"#)
                == violation(
                    "message.webpush.data[0].value",
                    "Invalid value at 'message.webpush.data[0].value' (TYPE_STRING), 1.5"))
    }

    @Test func `all that is wrong is told at once`() {
        let refusal = refusal(#"{"message":{"data":{"a":1,"b":2},"colour":"red"}}"#)
        guard case .unreadable(let violations)? = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(
            violations.map(\.field) == [
                "message.data[0].value", "message.data[1].value", "message",
            ])
    }

    @Test func `null is as if the field was not there, but no value of data`() throws {
        let body = #"{"validateOnly":null,"message":{"token":null,"topic":"a","data":null}}"#
        #expect(try read(body).get().target == .topic("a"))
        #expect(refusal(#"{"message":null}"#) == .noRecipient)
        let installation = #"{"message":{"token":null,"fid":"short"}}"#
        #expect(try read(installation).get().target == .device("short"))
        let field = "message.data[0].value"
        #expect(
            refusal(#"{"message":{"topic":"a","data":{"k":null}}}"#)
                == violation(field, "Invalid value at '\(field)' (TYPE_STRING), null"))
    }

    @Test func `names may be written in both ways`() {
        let body = #"""
            {"message":{"topic":"a","fcm_options":{"analytics_label":"x"},"apns":{"fcmOptions":
            {"image":"y"},"payload":{"aps":{"any":[1]}},"headers":{"apns-priority":"5"}},"android":
            {"collapse_key":"k","directBootOk":true,"notification":{"channel_id":"c"}}}}
            """#
        #expect(refusal(body) == nil)
    }

    @Test func `4,096 bytes of data and notification are the most`() {
        func refusal(bytes: Int) -> FCMRefusal? {
            // Two for the name, three each for the characters of the title.
            let text = String(repeating: "x", count: bytes - 2 - 9)
            return self.refusal(
                #"{"message":{"topic":"a","data":{"kk":"\#(text)"},"notification":{"title":"雨桐雨"}}}"#
            )
        }
        #expect(refusal(bytes: 4096) == nil)
        #expect(refusal(bytes: 4097) == .tooLarge)
    }

    @Test(arguments: ["{", "[1,", "null}", "message"])
    func `what is not JSON is refused`(body: String) {
        #expect(refusal(body) == .notJSON)
    }

    @Test func `what is JSON and no object has a type that is wrong`() {
        #expect(
            refusal("[]")
                == violation(
                    "",
                    "Invalid value at '' (Message), Proto field is not repeating, cannot start list."
                ))
        #expect(
            refusal(#"{"message":"hello"}"#)
                == violation("message", #"Invalid value at 'message' (Message), "hello""#))
    }

    // MARK: The type of the body

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/JSON;charset=UTF-8", "",
    ])
    func `JSON is JSON by its type or without one`(type: String) {
        #expect(refusal(#"{"message":{"topic":"a"}}"#, type: type) == nil)
    }

    @Test func `another type is taken for a form`() {
        let type = "application/x-www-form-urlencoded"
        let text =
            "Invalid JSON payload received. Unknown name \"{}\": Cannot bind query parameter. "
            + "Field '{}' could not be found in request message."
        #expect(refusal("{}", type: type) == violation("", text))
        #expect(refusal("{}", type: "text/plain") == violation("", text))
    }
}
