import Fanfare
import FanfareCLI
import FanfareCore
import Testing

/// An exchange as `push --verbose` shows it.
@Suite struct ExchangeTextTests {
    private func exchange(_ change: (inout Exchange) -> Void) -> String {
        var exchange = Exchange()
        exchange.row = 1
        exchange.sentAtMilliseconds = 1_767_225_600_000
        exchange.latency = .microseconds(5_940)
        exchange.headers = [.init(":method", "POST"), .init(":path", "/3/device/00fc13ad…")]
        exchange.payload = Array("{\n \"aps\":{}}".utf8)
        change(&exchange)
        return ExchangeText(exchange).render(color: false)
    }

    @Test func `a request and its answer are marked apart, and explained`() {
        let text = exchange {
            $0.status = 410
            $0.reason = "Unregistered"
            $0.timestamp = 1_767_225_600_000
            $0.answerHeaders = [.init("apns-id", "2e735736-f2cd-8608-8000-000000000001")]
            $0.body = Array(#"{"reason":"Unregistered","timestamp":1767225600000}"#.utf8)
            $0.bodyBytes = UInt64($0.body.count)
        }
        let head = """
            * row 1, sent 2026-01-01T00:00:00.000Z
            > :method: POST
            > :path: /3/device/00fc13ad…
            >
            > {
            >  "aps":{}}
            < 410, after 5.9 ms
            < apns-id: 2e735736-f2cd-8608-8000-000000000001
            <
            < {"reason":"Unregistered","timestamp":1767225600000}
            410 Unregistered
              Meaning\u{20}\u{20}\u{20}
            """
        #expect(text.hasPrefix(head), "\(text)")
        #expect(text.contains("2026-01-01T00:00:00.000Z: delete the token if it was registered"))
    }

    /// CR and LF are one character to Swift.
    @Test func `each line of an answer has its mark`() {
        let text = exchange {
            $0.status = 500
            $0.body = Array("a\r\n> b\nc".utf8)
        }
        #expect(text.contains("\n< a\u{FFFD}\n< > b\n< c\n"))
    }

    @Test func `an answer that broke HTTP is shown with the rule`() {
        let text = exchange {
            $0.reason = "malformed answer"
            $0.fault = "a header field is about the connection: connection\u{1B}"
        }
        #expect(
            text.contains(
                "* no answer: malformed answer, after 5.9 ms\n* fanfare has reset the request: "
                    + "a header field is about the connection: connection\u{FFFD}\n"))
    }

    @Test func `an answer is explained as its provider's`() {
        let text = exchange {
            $0.provider = .fcm
            $0.status = 404
            $0.reason = "UNREGISTERED"
        }
        #expect(text.contains("\nFCM 404 UNREGISTERED\n  Meaning "))
        let several = exchange {
            $0.provider = .fcm
            $0.status = 400
            $0.reason = "INVALID_ARGUMENT"
        }
        #expect(several.contains("\nFCM 400, naming the token\n"))
        #expect(several.contains("\nFCM 400, any other\n"))
    }

    @Test func `an attempt without an answer says why, and whether there is another`() {
        let text = exchange {
            $0.attempt = 2
            $0.reason = "REFUSED_STREAM"
            $0.isTriedAgain = true
        }
        #expect(text.hasPrefix("* row 1, attempt 2, sent "))
        #expect(text.contains("* no answer: REFUSED_STREAM, after 5.9 ms\n"))
        #expect(text.contains("\n* it is tried again\n"))
    }

    @Test(
        arguments: [
            (200, "", "200"), (503, "ServiceUnavailable", "503 ServiceUnavailable"),
            (503, "NewOne", "5xx to 9xx, any other reason"),
            (410, "", "410, a body that is not JSON"),
            (302, "", "3xx, any other reason"),
            (404, "", "all else, a body that is not JSON"),
        ] as [(UInt16, String, String)])
    func `each answer has an explanation`(status: UInt16, reason: String, title: String) {
        #expect(Explanation.answers(status: status, reason: reason).map(\.title) == [title])
    }

    @Test func `what a peer says does not steer the terminal`() {
        let text = exchange {
            $0.status = 500
            $0.body = Array("\u{1B}[2Jgone\r\u{9B}1m".utf8)
            $0.bodyBytes = 100
        }
        #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\r" || $0 == "\u{9B}" })
        #expect(text.contains("gone") && text.contains("bytes more\n"))
    }
}
