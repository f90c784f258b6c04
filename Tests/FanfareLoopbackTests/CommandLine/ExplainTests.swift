import Testing

/// `fanfare explain` with the built tool.
@Suite struct ExplainTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    @Test func `a reason of a report is explained as it stands there`() throws {
        for words in [["line 8: token is empty"], ["token", "is", "empty"], ["Token is empty"]] {
            let result = try tool.run(["explain"] + words)
            result.expect(0)
            #expect(result.output.hasPrefix("token is empty\n"))
            #expect(result.output.contains("  Outcome   invalid\n"))
        }
        let answer = try tool.run("explain", "410", "Unregistered")
        #expect(answer.output.hasPrefix("410 Unregistered\n"))
        #expect(answer.output.contains("  Outcome   unregistered\n"))
        #expect(answer.output.split(separator: "\n").allSatisfy { $0.utf8.count <= 80 })
    }

    @Test func `a status is explained for each provider, and a word for its own`() throws {
        let word = try tool.run("explain", "UNREGISTERED")
        word.expect(0)
        #expect(word.output.hasPrefix("FCM 404 UNREGISTERED\n"))
        #expect(word.output.contains("  Outcome   unregistered\n"))
        let status = try tool.run("explain", "404")
        let titles = status.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(titles.first == "404 BadPath")
        #expect(titles.contains("FCM 404 UNREGISTERED"))
        let ofFCM = try tool.run("explain", "FCM", "404")
        #expect(ofFCM.output.hasPrefix("FCM 404 UNREGISTERED\n"))
        #expect(!ofFCM.output.contains("BadPath"))
    }

    @Test func `several words are explained one after the other, each once`() throws {
        let result = try tool.run("explain", "Shutdown", "suspect", "Shutdown")
        result.expect(0)
        let titles = result.output.split(separator: "\n").filter { !$0.hasPrefix(" ") }
        #expect(titles == ["503 Shutdown", "suspect"])
    }

    @Test func `without a word everything is listed`() throws {
        let result = try tool.run("explain")
        result.expect(0)
        for word in ["accepted ", "400 BadDeviceToken ", "5xx", "connection lost ", "valid "] {
            #expect(result.output.contains("\n\(word)") || result.output.hasPrefix(word), "\(word)")
        }
    }

    @Test func `an unknown word is told with what was meant`() throws {
        try tool.run("explain", "BadDeviceTokn").expect(
            2,
            says:
                "'BadDeviceTokn' is no status, reason, outcome or exit code; did you mean BadDeviceToken?"
        )
        try tool.run("explain", "frobnicate").expect(2, says: "fanfare explain lists")
    }
}
