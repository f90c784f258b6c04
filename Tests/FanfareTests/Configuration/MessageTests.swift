import Testing

@testable import Fanfare

@Suite struct MessageTests {
    @Test func `data is a dictionary, sent in the order of its keys`() {
        var message = Message(data: ["b": "2", "a": "1"])
        #expect(message.orderedData.map(\.key) == ["a", "b"])
        message.data["A"] = "0"
        #expect(message.orderedData.map(\.key) == ["A", "a", "b"])
        #expect(message.data == ["A": "0", "a": "1", "b": "2"])
        message.data["a"] = nil
        #expect(message.orderedData == [.init("A", "0"), .init("b", "2")])
        #expect(Message(data: ["b": "2", "A": "0"]) == message)
    }

    @Test func `a file has the same fields, and its own order`() throws {
        let message = try Message(
            json: #"""
                {"title": "T", "subtitle": "S", "body": "B", "image": "https://e.com/a", "link": "app:x",
                 "badge": 3, "sound": "default", "data": {"z": "1", "a": "{{n}}"}, "ttl": "1h",
                 "collapse": "c", "priority": "normal"}
                """#)
        var expected = Message(
            title: "T", subtitle: "S", body: "B", image: "https://e.com/a", link: "app:x",
            badge: "3", sound: "default", ttl: .seconds(3600), collapse: "c", priority: .normal)
        expected.orderedData = [.init("z", "1"), .init("a", "{{n}}")]
        #expect(message == expected)
        #expect(try Message(json: "{}") == Message())
    }

    @Test(arguments: [
        ("nonsense", "the message is not JSON: "), ("[]", "the message is not a JSON object; "),
        (#"{"titel": "x"}"#, "the message: /titel is no field of a message; did you mean /title?"),
        (#"{"title": 1}"#, "the message: /title is a number, and has to be a text"),
        (
            #"{"data": {"n": 17}}"#,
            "the message: /data/n is a number, and has to be a text: \"17\""
        ),
        (#"{"ttl": "soon"}"#, "the message: /ttl is no number of seconds"),
        (#"{"priority": "10"}"#, "the message: /priority is none of high and normal"),
    ])
    func `what is no message is told with its place`(json: String, text: String) {
        let error = fanfareError { _ = try Message(json: json) }
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix(text) == true, "\(error?.message ?? "taken")")
    }
}
