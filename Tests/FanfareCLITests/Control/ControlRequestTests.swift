import Fanfare
import FanfareCLI
import Testing

/// The requests to a job, as lines.
@Suite struct ControlRequestTests {
    private func problem(_ line: String) -> String? {
        do throws(ControlRequest.Fault) {
            _ = try ControlRequest(line: line)
            return nil
        } catch {
            return error.problem
        }
    }

    @Test(
        arguments: [
            ("pause", .pause), ("resume", .resume), ("stop", .stop),
            ("status", .status(asJSON: false)), ("status json", .status(asJSON: true)),
            ("rate unlimited", .rate(nil)), ("rate 2000/s", .rate(SendingRate(2000))),
            ("rate 2000", .rate(SendingRate(2000))),
            ("rate 90k/m", .rate(SendingRate(90_000, per: .seconds(60)))),
            ("rate 100/15s", .rate(SendingRate(100, per: .seconds(15)))),
            ("rate fcm=2000/s", .rate(SendingRate(2000), of: .fcm)),
            ("rate apns=unlimited", .rate(nil, of: .apns)),
            ("  rate\t7/250ms \r", .rate(SendingRate(7, per: .milliseconds(250)))),
        ] as [(String, ControlRequest)])
    func `a line is a request, and its own line is the same one`(
        line: String, request: ControlRequest
    ) throws {
        #expect(try ControlRequest(line: line) == request)
        #expect(try ControlRequest(line: request.line) == request)
    }

    @Test(
        arguments: [
            ("", "a request is missing: rate, pause, resume, status or stop"),
            ("paus", "unknown request 'paus'; did you mean pause?"),
            ("PAUSE", "unknown request 'PAUSE'; there are rate, pause, resume, status and stop"),
            ("rate", "rate needs a value; write rate 2000/s or rate unlimited"),
            (
                "rate soon",
                "rate: 'soon' is not a rate; write for example rate 5000/s, or rate unlimited"
            ),
            (
                "rate 1000000001/s",
                "rate: '1000000001/s' is more than 1000000000, or in more than a day; write for "
                    + "example rate 2000/s, or rate unlimited"
            ),
            ("rate 1/s 2/s", "'2/s' is too much behind a rate"),
            ("status jsn", "'jsn' is too much behind status"),
            ("stop now", "'now' is too much behind stop"),
        ])
    func `what is none is told with what would be right`(line: String, message: String) {
        #expect(problem(line) == message)
    }

    @Test func `no line of any bytes is a trap`() {
        #expect(problem(String(repeating: "x", count: 4096))?.utf8.count ?? 999 < 200)
        #expect(problem("\u{1B}[2J")?.contains("\u{1B}") == false)
    }

    @Test func `an answer is a word and a text`() {
        #expect(ControlAnswer(line: "ok resumed") == ControlAnswer("resumed"))
        #expect(ControlAnswer(line: "error no") == ControlAnswer("no", isError: true))
        #expect(ControlAnswer("resumed").line == "ok resumed")
        #expect(ControlAnswer(line: "HTTP/1.1 400 Bad Request") == nil)
    }

    @Test func `a command tells of what it knows besides`() {
        let fault = #expect(throws: ControlRequest.Fault.self) {
            try ControlRequest(words: ["dance"], besides: ["watch"])
        }
        #expect(
            fault?.problem
                == "unknown request 'dance'; there are rate, pause, resume, status, stop and watch")
    }
}
