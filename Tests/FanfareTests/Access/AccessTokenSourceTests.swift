import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTLS
import FanfareTestSupport
import Foundation
import Synchronization
import Testing

@testable import Fanfare

@Suite struct AccessTokenSourceTests {
    /// A source with a clock that is set by hand, and a token service that the test speaks for.
    private final class Stage: Sendable {
        let source: AccessTokenSource
        let service = Service()
        /// The number of times that lanes were told to look around.
        private let changes = Mutex(0)
        private let clock: Clock

        init(patience: Duration = .seconds(900)) throws {
            let clock = Clock()
            self.clock = clock
            let account = try KeyFiles.account(KeyFiles.serviceAccount())
            source = AccessTokenSource(
                .credential(.serviceAccount(account)), patience: patience, seed: 1,
                now: { clock.now }, unixSeconds: { 1_700_000_000 }, alarm: clock.alarm
            ) { [service] interruption in
                { _, _ in service.ask(unless: interruption, now: clock.now) }
            }
        }

        deinit { source.end() }

        func begin() throws {
            try source.begin { [weak self] in self?.changes.withLock { $0 += 1 } }
        }

        /// Lets time pass.
        func advance(_ seconds: Double) { clock.advance(seconds) }

        /// Waits for the question with this number, and answers it.
        func answer(_ number: Int, _ answer: TokenAnswer) throws {
            try #require(service.isAsked(number))
            let before = changes.withLock { $0 }
            service.answer(answer)
            try #require(Poll.until(seconds: 60) { changes.withLock { $0 } > before })
        }

        func grant(_ number: Int, _ text: String, life: Double = 3600) throws {
            let token = try #require(AccessToken(Secret(text), life: .seconds(life)))
            try answer(number, .granted(token))
        }
    }

    /// Sleepers are woken when it is set.
    private final class Clock: Sendable {
        // Far ahead of the machine's, by which the alarm sleeps: none rings by itself.
        private static let start = Instant(nanoseconds: 1 << 61)
        private let moment = Mutex(Clock.start)
        let alarm = Alarm()

        var now: Instant { moment.withLock { $0 } }

        func advance(_ seconds: Double) {
            moment.withLock { $0 = $0.advanced(by: .seconds(seconds)) }
            alarm.ring()
        }

        /// The seconds since its start.
        static func seconds(_ moment: Instant) -> Double {
            Double(moment.nanoseconds(since: start)) / 1e9
        }
    }

    /// A token service that answers when it is told to.
    private final class Service: @unchecked Sendable {
        private let condition = NSCondition()
        private var askedAt: [Double] = []
        private var answers: [TokenAnswer] = []
        private var isCut = false

        func ask(unless interruption: TokenInterruption, now: Instant) -> TokenAnswer {
            let answer = interruption.waiting {
                condition.withLock { () -> TokenAnswer? in
                    askedAt.append(Clock.seconds(now))
                    condition.broadcast()
                    while answers.isEmpty && !isCut { condition.wait() }
                    return answers.isEmpty ? nil : answers.removeFirst()
                }
            } cutBy: { [self] in
                condition.withLock {
                    isCut = true
                    condition.broadcast()
                }
            }
            return (answer ?? nil) ?? .temporary("cut", wish: nil)
        }

        func answer(_ answer: TokenAnswer) {
            condition.withLock {
                answers.append(answer)
                condition.broadcast()
            }
        }

        /// Waits until it was asked so often; false if it never is.
        func isAsked(_ count: Int) -> Bool {
            let end = Date(timeIntervalSinceNow: 60)
            return condition.withLock {
                while askedAt.count < count {
                    guard condition.wait(until: end) else { return false }
                }
                return true
            }
        }

        /// The times of the requests, in seconds since the start.
        var times: [Double] { condition.withLock { askedAt } }
    }

    @Test func `a token is asked for at once, and renewed at four fifths of its life`() throws {
        let stage = try Stage()
        #expect(stage.source.supply == .wait)
        #expect(throws: TLSError.self) { try stage.source.grant() }
        try stage.begin()
        #expect(stage.service.isAsked(1))
        #expect(stage.source.supply == .wait)
        try stage.grant(1, "one")
        #expect(stage.source.supply == .ready)
        let first = try stage.source.grant()
        #expect(first.text == "one")
        #expect(first.issuedAt == 1_700_000_000)
        #expect(first.life == .seconds(3600))
        #expect(first.isNew)
        let again = try stage.source.grant()
        #expect(again.number == first.number && !again.isNew)
        stage.advance(2879)
        stage.advance(1)
        // The old one serves while the next one is asked for.
        #expect(stage.service.isAsked(2))
        #expect(stage.source.supply == .ready)
        #expect(try stage.source.grant().text == "one")
        try stage.grant(2, "two")
        let second = try stage.source.grant()
        #expect(second.text == "two" && second.isNew && second.number != first.number)
        stage.source.end()
        #expect(stage.service.times == [0, 2880])
    }

    @Test func `a token that a thousand lanes call expired is asked for once`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.grant(1, "one")
        let first = try stage.source.grant()
        let source = stage.source
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<125 { #expect(source.judged(.renew, first) == .replace) }
        }
        #expect(stage.service.isAsked(2))
        #expect(source.supply == .wait)
        try stage.grant(2, "two")
        #expect(source.supply == .ready)
        // Those that come in late have the old one.
        for _ in 0..<1000 { #expect(source.judged(.renew, first) == .replace) }
        #expect(try source.grant().text == "two")
        #expect(source.supply == .ready)
        source.end()
        #expect(stage.service.times.count == 2)
    }

    @Test func `a new token that is called expired stops the job`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.grant(1, "one")
        #expect(stage.source.judged(.renew, try stage.source.grant()) == .replace)
        try stage.grant(2, "two")
        guard case .stop(let text) = stage.source.judged(.renew, try stage.source.grant()) else {
            Issue.record("it goes on")
            return
        }
        #expect(text.description.contains("push@example.iam.gserviceaccount.com"))
        #expect(stage.source.supply == .refused(text))
    }

    @Test func `other verdicts change nothing`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.grant(1, "one")
        let credential = try stage.source.grant()
        for verdict in [ResponseClass.Credential.keep, .refused, .hold] {
            #expect(stage.source.judged(verdict, credential) == .goOn)
        }
        #expect(stage.source.supply == .ready)
        stage.source.end()
        #expect(stage.service.times.count == 1)
    }

    @Test func `what is refused for good stops at once`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.answer(1, .permanent("REVOKED"))
        #expect(stage.source.supply == .refused("REVOKED"))
    }

    @Test func `the first token is asked for three times`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.answer(1, .temporary("DOWN", wish: nil))
        #expect(stage.source.supply == .wait)
        stage.advance(1.2)
        try stage.answer(2, .temporary("DOWN", wish: nil))
        #expect(stage.source.supply == .wait)
        stage.advance(2.3)
        try stage.answer(3, .temporary("STILL DOWN", wish: nil))
        #expect(stage.source.supply == .refused("STILL DOWN (asked 3 times)"))
    }

    @Test func `a service that fails for longer than patience lasts stops the job`() throws {
        let stage = try Stage(patience: .zero)
        try stage.begin()
        try stage.grant(1, "one", life: 100)
        stage.advance(80)
        try stage.answer(2, .temporary("DOWN", wish: nil))
        #expect(stage.source.supply == .ready)
        // Ten seconds before its end nothing more is sent with it.
        stage.advance(15)
        #expect(stage.source.supply == .wait)
        try stage.answer(3, .temporary("DOWN", wish: nil))
        #expect(stage.source.supply == .wait)
        stage.advance(2.3)
        try stage.answer(4, .temporary("DOWN", wish: nil))
        #expect(stage.source.supply == .refused("DOWN (asked 3 times)"))
    }

    @Test func `it says for how long no token could be had, and why`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.grant(1, "one", life: 100)
        #expect(stage.source.trouble == nil)
        stage.advance(80)
        // Until the end of the token, exactly: a later look would find that the process had stood still.
        try stage.answer(2, .temporary("DOWN", wish: .seconds(10)))
        #expect(stage.source.trouble == CredentialTrouble(lasted: .zero, reason: "DOWN"))
        stage.advance(10)
        try stage.answer(3, .temporary("STILL DOWN", wish: .seconds(10)))
        stage.advance(3)
        #expect(
            stage.source.trouble
                == CredentialTrouble(
                    lasted: .seconds(13),
                    waiting: .init(lasted: .seconds(3), patience: .seconds(900)),
                    reason: "STILL DOWN"))
        stage.advance(7)
        try stage.grant(4, "two")
        #expect(stage.source.trouble == nil)
    }

    @Test func `a service that is back within patience gives a token to all`() throws {
        let stage = try Stage()
        try stage.begin()
        try stage.grant(1, "one", life: 100)
        stage.advance(95)
        try stage.answer(2, .temporary("DOWN", wish: nil))
        #expect(stage.source.supply == .wait)
        stage.advance(1.2)
        try stage.grant(3, "two")
        #expect(stage.source.supply == .ready)
        #expect(try stage.source.grant().text == "two")
    }

    @Test func `it ends in the midst of a question`() throws {
        let stage = try Stage()
        try stage.begin()
        #expect(stage.service.isAsked(1))
        stage.source.end()
        #expect(stage.source.supply == .wait)
        stage.source.end()
        stage.advance(10_000)
        #expect(stage.service.times == [0])
    }

    @Test func `one that has not begun can end`() throws {
        try Stage().source.end()
    }

    // MARK: Files

    @Test func `a file is read again when its token is called expired`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("ya29.one\n", to: "token")
        let source = try AccessTokenSource(tokenFile: path, patience: .seconds(900), seed: 1)
        defer { source.end() }
        try source.begin {}
        try #require(Poll.until(seconds: 60) { source.supply == .ready })
        let first = try source.grant()
        #expect(first.text == "ya29.one")
        #expect(first.life == nil)
        try folder.write("ya29.another\n", to: "token")
        #expect(source.judged(.renew, first) == .replace)
        try #require(Poll.until(seconds: 60) { source.supply == .ready })
        let second = try source.grant()
        #expect(second.text == "ya29.another" && second.isNew)
    }

    @Test func `a file that has changed is read before its old token expires`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("ya29.one\n", to: "token")
        let source = try AccessTokenSource(
            tokenFile: path, patience: .seconds(900), seed: 1, look: .milliseconds(1))
        defer { source.end() }
        try source.begin {}
        try #require(Poll.until(seconds: 60) { source.supply == .ready })
        let first = try source.grant()
        try folder.write("ya29.another\n", to: "token")
        try #require(
            Poll.until(seconds: 60) { (try? source.grant().text) == "ya29.another" })
        #expect(source.supply == .ready)
        // Requests on their way have the old one, which is no reason to ask again.
        #expect(source.judged(.renew, first) == .replace)
        #expect(source.supply == .ready)
    }

    @Test func `a file with the old token stops the job`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("ya29.one\n", to: "token")
        let source = try AccessTokenSource(tokenFile: path, patience: .seconds(900), seed: 1)
        defer { source.end() }
        try source.begin {}
        try #require(Poll.until(seconds: 60) { source.supply == .ready })
        #expect(source.judged(.renew, try source.grant()) == .replace)
        try #require(Poll.until(seconds: 60) { source.supply != .wait })
        guard case .refused(let text) = source.supply else {
            Issue.record("\(source.supply)")
            return
        }
        #expect(text.description.contains("\(path) is no longer taken"))
        #expect(text.description.contains("write a new token"))
        #expect(!text.description.contains("ya29"))
    }

    @Test func `a file without a token is refused before anything begins`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("{}", to: "token")
        for (name, code) in [
            (path, FanfareError.Code.configuration), (folder.path("none"), .input),
        ] {
            let error = #expect(throws: FanfareError.self) {
                try AccessTokenSource(tokenFile: name, patience: .zero, seed: 1)
            }
            #expect(error?.code == code)
            #expect(error?.message.contains(name) == true)
        }
    }
}
