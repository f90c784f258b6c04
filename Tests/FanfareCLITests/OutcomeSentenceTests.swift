import Fanfare
import FanfareCLI
import Testing

/// The answer of `fanfare push` on a terminal.
@Suite struct OutcomeSentenceTests {
    private static let token = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"

    private func text(_ change: (inout PushOutcome) -> Void) -> String {
        var outcome = PushOutcome(row: 1, token: Self.token, kind: .accepted)
        outcome.provider = .apns
        change(&outcome)
        return OutcomeSentence(outcome).text
    }

    @Test func `an accepted row says so, and that this is not delivered`() {
        let said = text {
            $0.status = 200
            $0.latency = .milliseconds(31)
            $0.messageID = "6B29FC40-CA47-1067-B31D-00DD010662DA"
        }
        #expect(said.hasPrefix("00fc13ad…: accepted after 31.0 ms: the provider took it, "))
        #expect(said.hasSuffix("\nIts id is 6B29FC40-CA47-1067-B31D-00DD010662DA.\n"))
        #expect(!said.contains(Self.token))
    }

    @Test func `no line is wider than the terminal, or than 80 columns`() {
        var outcome = PushOutcome(row: 1, token: Self.token, kind: .suspect)
        outcome.status = 400
        outcome.reason = "BadDeviceToken"
        for (terminal, most) in [(60, 60), (80, 80), (200, 80), (nil, 80)] as [(Int?, Int)] {
            let lines = OutcomeSentence(outcome, terminal: terminal).text.split(separator: "\n")
            #expect(
                lines.allSatisfy { $0.count <= most } && lines.contains { $0.count > most - 20 })
        }
    }

    @Test func `a refused row says why and what to do`() {
        let said = text {
            $0.kind = .suspect
            $0.status = 400
            $0.reason = "BadDeviceToken"
        }
        #expect(said.hasPrefix("00fc13ad…: suspect (400 BadDeviceToken): "))
        let words = said.split { $0.isWhitespace }.joined(separator: " ")
        #expect(words.contains("To do: Do not delete the token on this alone."))
        #expect(words.contains("a token from Xcode wants sandbox"))
    }

    @Test func `a row that was not sent says what is wrong with it`() {
        let said = text {
            $0.token = "xyz"
            $0.kind = .invalid
            $0.reason = "line 2: token is not hexadecimal"
        }
        #expect(said.hasPrefix("xyz: invalid: token is not hexadecimal\n"))
        #expect(said.contains("To do: Correct the row."))
    }

    @Test func `an answer that is not known is told with its outcome`() {
        let said = text {
            $0.kind = .rejected
            $0.status = 418
            $0.reason = "Teapot"
        }
        #expect(said.hasPrefix("00fc13ad…: rejected (418 Teapot): "))
        for line in said.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
    }
}
