import Fanfare
import FanfareCore
import FanfareTestSupport
import Testing

@testable import FanfareCLI

/// The fields of a message on a command line, and in a message's file.
@Suite struct MessageArgumentsTests {
    private enum Unexpected: Error { case help, noMessage }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func arguments(_ words: [String]) throws -> ParsedArguments {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        return arguments
    }

    private func configuration(_ words: [String]) throws -> Configuration {
        try Configuration(rowsOf: try arguments(["check"] + words))
    }

    private func message(_ words: String...) throws -> Message {
        guard case .message(let message) = try configuration(words).payload else {
            throw Unexpected.noMessage
        }
        return message
    }

    private func payload(_ provider: ProviderKind, _ message: Message) throws -> String? {
        try message.translated(for: provider).payload.map { String(decoding: $0, as: UTF8.self) }
    }

    private func refusal(_ words: [String]) -> String? {
        do {
            _ = try configuration(words)
            return nil
        } catch CommandError.usage(let error) {
            return "\(error)"
        } catch CommandError.job(let error) {
            return error.message
        } catch let error as UsageError {
            return "\(error)"
        } catch {
            return "another error: \(error)"
        }
    }

    @Test func `each field has an option`() throws {
        let message = try message(
            "--title", "T", "--subtitle", "S", "--body", "B {{name}}", "--image",
            "https://e.com/a", "--link", "app:x", "--badge", "{{n|0}}", "--sound", "bell",
            "--data", "z=1", "--data", "a=2", "--ttl", "90m", "--collapse", "c-{{id}}",
            "--priority", "high")
        #expect(message.title == "T" && message.subtitle == "S" && message.body == "B {{name}}")
        #expect(message.image == "https://e.com/a" && message.link == "app:x")
        #expect(message.badge == "{{n|0}}" && message.sound == "bell")
        #expect(message.orderedData == [.init("z", "1"), .init("a", "2")])
        #expect(message.ttl == .seconds(5400) && message.collapse == "c-{{id}}")
        #expect(message.priority == .high && message.ownMembers == [])
    }

    @Test func `what APNs alone knows is told to it alone`() throws {
        let message = try message(
            "--alert", "Hi", "--category", "ORDER", "--sound", "", "--badge", "2")
        #expect(
            try payload(.apns, message)
                == #"{"aps":{"alert":"Hi","badge":2,"sound":"","category":"ORDER"}}"#)
        #expect(
            try payload(.fcm, message)
                == #"{"message":{"token":"{{token}}","notification":{"body":"Hi"},"#
                + #""android":{"notification":{"notification_count":2}}}}"#)
    }

    /// They are a message's where they are words, and APNs' own where they are numbers.
    @Test func `a priority is a word for all, or a number for APNs`() throws {
        for (word, priority) in [("high", Message.Priority.high), ("normal", .normal)] {
            let configuration = try configuration(["--title", "T", "--priority", word])
            #expect(configuration.provider.priority == nil)
            guard case .message(let message) = configuration.payload else {
                throw Unexpected.noMessage
            }
            #expect(message.priority == priority)
        }
        for number in ["10", "5", "1"] {
            let configuration = try configuration(["--title", "T", "--priority", number])
            #expect(configuration.provider.priority == number)
            #expect(configuration.payload == .message(Message(title: "T")))
        }
        #expect(try configuration(["--priority", "5"]).payload == .column)
        #expect(
            try configuration(["--priority", "high"]).payload
                == .message(Message(priority: .high)))
    }

    // MARK: Files

    @Test func `a file says the same, and options win`() throws {
        let path = try folder.write(
            #"""
            {"title": "File", "body": "Body", "sound": "bell", "data": {"a": "1", "b": "2"}, "ttl": 60,
             "priority": "normal"}
            """#, to: "message.json")
        let plain = try message("--message", path)
        #expect(plain.title == "File" && plain.body == "Body" && plain.sound == "bell")
        #expect(plain.data == ["a": "1", "b": "2"] && plain.ttl == .seconds(60))
        #expect(plain.priority == .normal)

        let changed = try message(
            "--message", path, "--title", "Line", "--data", "c=3", "--ttl", "0s", "--priority",
            "high", "--sound", "")
        #expect(changed.title == "Line" && changed.body == "Body" && changed.sound == nil)
        #expect(changed.data == ["c": "3"] && changed.ttl == .zero && changed.priority == .high)
    }

    @Test func `an alert is the text beside a file's title`() throws {
        let titled = try folder.write(#"{"title": "T", "body": "B"}"#, to: "titled.json")
        #expect(
            try payload(.apns, try message("--message", titled, "--alert", "A"))
                == #"{"aps":{"alert":{"title":"T","body":"A"}}}"#)
        let plain = try folder.write(#"{"body": "B"}"#, to: "plain.json")
        #expect(
            try payload(.apns, try message("--message", plain, "--alert", "A"))
                == #"{"aps":{"alert":"A"}}"#)
    }

    @Test func `a file that cannot be used is told by its name`() throws {
        let path = try folder.write(#"{"titel": "x"}"#, to: "bad.json")
        #expect(
            refusal(["--message", path])
                == "the message \(path): /titel is no field of a message; did you mean /title?")
        #expect(
            refusal(["--message", "/nowhere/m.json"])
                == "/nowhere/m.json cannot be read: no such file or directory")
        #expect(refusal(["-", "--message", "-"])?.contains("can be read only once") == true)
    }

    @Test func `a load test sends a message's file, too`() throws {
        let path = try folder.write(#"{"title": "Hi {{name}}"}"#, to: "message.json")
        let arguments = try arguments(
            ["bench", "--provider", "simulator", "--message", path, "--priority", "5"])
        let configuration = try Configuration(benchOf: arguments)
        var expected = Message(title: "Hi {{name}}")
        expected.name = "the message \(path)"
        #expect(configuration.payload == .message(expected))
        #expect(configuration.provider.priority == "5")
        #expect(throws: UsageError.self) {
            try self.arguments(["bench", "--provider", "simulator", "--priority", "high"])
        }
    }

    // MARK: What does not go together

    @Test(arguments: [
        ["--message", "m.json"], ["--image", "https://e.com/a"], ["--link", "app:x"],
        ["--ttl", "1h"], ["--collapse", "c"], ["--priority", "high"], ["--priority", "normal"],
        ["--title", "T"], ["--data", "a=b"],
    ])
    func `a payload of one's own and what is said exclude each other`(words: [String]) {
        let label = words[0] == "--priority" ? "--priority=\(words[1])" : words[0]
        for payload in [["--payload", "p.json"], ["--payload-json", "{}"]] {
            for command in ["check", "send", "push"] {
                let error = #expect(throws: UsageError.self) {
                    try ArgumentParser().parse([command, "ab"] + payload + words)
                }
                #expect(
                    error?.description
                        == "fanfare \(command): \(payload[0]) and \(label) exclude each other; "
                        + "write one of them")
            }
        }
    }

    @Test func `a command line sends away what it excludes in a file of options`() throws {
        let payload = ConfigurationCase(file: #"{"payload": "p.json", "topic": "t"}"#)
        let said = try payload.run("send", "--config", "config.json", "--title", "T")
        #expect(!said.has(Options.payload) && said[Options.title] == "T")
        let message = ConfigurationCase(
            file: #"{"priority": "high", "ttl": "1h", "message": "m.json", "topic": "t"}"#)
        let own = try message.run("send", "--config", "config.json", "--payload-json", "{}")
        #expect(!own.has(Options.priority) && !own.has(Options.ttl) && !own.has(Options.message))
        #expect(own[Options.topic] == "t")
        let number = ConfigurationCase(file: #"{"priority": 5}"#)
        let both = try number.run("send", "--config", "config.json", "--payload-json", "{}")
        #expect(both[Options.priority] == "5")
        // A field of a message's file is no option, and stays.
        let title = try message.run("send", "--config", "config.json", "--title", "T")
        #expect(title[Options.message] == "m.json" && title[Options.ttl] == .seconds(3600))
    }

    @Test func `the numbers of a priority go with any payload`() throws {
        let configuration = try configuration([
            "--payload-json", #"{"aps":{}}"#, "--priority", "5", "--collapse-id", "c",
            "--expiration", "+1h",
        ])
        #expect(configuration.provider.priority == "5")
    }

    @Test(arguments: [
        (["--ttl", "60"], "fanfare check: --ttl: '60' has no unit; write for example --ttl 60s"),
        (
            ["--badge", "{{n"],
            "fanfare check: --badge: '{{n' is no placeholder for a number; write for example "
                + "--badge '{{unread|0}}'"
        ),
        (
            ["--priority", "urgent"],
            "fanfare check: --priority: 'urgent' is none of high, normal, 10, 5 and 1; write for "
                + "example --priority normal"
        ),
        (
            ["--data", "aps=1"],
            "fanfare check: --data: 'aps' is Apple's own; use --payload-json for it"
        ),
    ])
    func `a value that makes no sense is told`(words: [String], text: String) {
        #expect(refusal(words) == text)
    }

    @Test func `push says something`() throws {
        let arguments = try arguments([
            "push", "00", "--ttl", "1h", "--priority", "high", "--provider", "simulator",
        ])
        let error = #expect(throws: CommandError.self) { try PushCommand.run(arguments) }
        guard case .usage(let usage) = error else {
            Issue.record("another error")
            return
        }
        #expect(usage.description.contains("there is nothing to say; give --alert TEXT"))
    }
}
