import Fanfare
import FanfareBase
import FanfareCore
import Testing

@testable import FanfareCLI

/// `fanfare provider`, as far as it needs no process.
@Suite struct ProviderCommandTests {
    @Test func `the list has a line for each provider, and says that none was tried`() {
        let lines = ProviderCommand.list().split(separator: "\n")
        #expect(lines.count == ShippedProvider.all.count)
        for (line, shipped) in zip(lines, ShippedProvider.all) {
            #expect(line.hasPrefix("\(shipped.name) "))
            #expect(line.contains(" not tried  "))
        }
        #expect(lines.contains { $0.contains("closes on 2027-01-12") })
    }

    // MARK: Answers

    @Test(
        arguments: [
            ("{\"a\":1}\n", 200, "{\"a\":1}\n"), ("", 200, ""), ("HTTP/", 200, "HTTP/"),
            ("HTTP/1.1 404 Not Found\r\nA: b\r\n\r\n{}", 404, "{}"),
            ("HTTP/2 503\n\nx\n\ny", 503, "x\n\ny"),
            ("HTTP/2 429 \r\nretry-after: 5\r\n", 429, ""),
            ("HTTP/1.1 204 No Content\r\n\r\n", 204, ""),
            ("HTTP/1.1 no status\n\n{}", 200, "HTTP/1.1 no status\n\n{}"),
            ("HTTP/1.1 99999 x\n\n{}", 200, "HTTP/1.1 99999 x\n\n{}"),
        ] as [(String, UInt16, String)])
    func `an answer is its body, or all that curl prints`(
        text: String, status: UInt16, body: String
    ) {
        let answer = PastedAnswer(Array(text.utf8))
        #expect(answer.status == status)
        #expect(String(decoding: answer.body, as: UTF8.self) == body)
    }

    @Test func `a verdict is told with what follows from it`() {
        var row = DeclaredJudgement.Row(ResponseClass(.accepted))
        #expect(ProviderTrial.text(of: row) == "accepted")
        row.id = "m1"
        row.reason = "shared"
        #expect(ProviderTrial.text(of: row) == "accepted (shared); id m1")
        row = DeclaredJudgement.Row(
            ResponseClass(.throttled, retry: .afterDelay, job: .stop, firstDelay: .seconds(60)))
        #expect(
            ProviderTrial.text(of: row)
                == "throttled; sent again: after a delay; first wait 60 s; job stops")
    }

    // MARK: Secrets

    @Test func `a secret comes from a file`() throws {
        let (name, file) = try ValueReader.secretFile("key=@a=b.txt")
        #expect(name == "key" && file == "a=b.txt")
    }

    @Test(arguments: ["hunter2", "key=hunter2", "=hunter2", "key=", "key=@"])
    func `a secret itself is refused, and not repeated`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ValueReader.secretFile(text) }
        #expect(fault?.shown(text).contains("hunter2") == false)
        #expect(fault?.example?.contains("hunter2") != true)
    }
}
