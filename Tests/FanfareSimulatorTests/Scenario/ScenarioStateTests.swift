import FanfareBase
import FanfareCore
import FanfareSimulator
import Testing

@Suite struct ScenarioStateTests {
    private func state(_ change: (inout Scenario.Condition) -> Void) -> ScenarioState {
        var rule = Scenario.Rule()
        change(&rule.condition)
        return ScenarioState(Scenario(rules: [rule]))
    }

    private func rule(
        _ state: inout ScenarioState, _ token: String, connection: UInt64 = 1,
        number: UInt64 = 1, age: Int64 = 0, at time: Int64 = 0
    ) -> Int? {
        var token = token
        return token.withUTF8 { token in
            state.rule(
                for: .init(
                    connection: connection, numberOnConnection: number, connectionAge: age,
                    now: Instant(nanoseconds: time)), token: token)
        }
    }

    @Test func `a prefix matches in upper and lower case`() {
        var state = state { $0.tokenPrefix = Array("dead".utf8) }
        #expect(rule(&state, "deadbeef") == 0)
        #expect(rule(&state, "DEADbeef") == 0)
        #expect(rule(&state, "beefdead") == nil)
        #expect(rule(&state, "dea") == nil)
    }

    @Test func `the first rule that matches wins`() {
        var rules = Array(repeating: Scenario.Rule(), count: 3)
        rules[0].condition.tokenPrefix = Array("aa".utf8)
        rules[1].condition.tokenPrefix = Array("a".utf8)
        var state = ScenarioState(Scenario(rules: rules))
        #expect(rule(&state, "aab") == 0)
        #expect(rule(&state, "abb") == 1)
        #expect(rule(&state, "bbb") == 2)
    }

    @Test func `fractions of the token's hash are exact sets`() {
        var state = state { $0.fraction = 0.25..<0.5 }
        var hits = 0
        for index in 0..<10_000 {
            let token = "token\(index)"
            let place = TokenHash.place(of: token)
            let isHit = rule(&state, token) != nil
            #expect(isHit == (place >= 0.25 && place < 0.5))
            if isHit { hits += 1 }
        }
        // Binomial, n = 10,000, p = 1/4: the standard deviation is 43.
        #expect(abs(hits - 2500) < 200)
    }

    @Test func `the hash is FNV-1a and does not see the case`() {
        // http://www.isthe.com/chongo/src/fnv/test_fnv.c
        #expect(
            "foobar".utf8.withContiguousStorageIfAvailable { TokenHash.value(of: $0) }
                == 0x85944171f73967e8)
        #expect(TokenHash.place(of: "ABCDEF01") == TokenHash.place(of: "abcdef01"))
    }

    @Test func `every third request matches`() {
        var state = state { $0.everyNth = 3 }
        #expect(
            (1...9).map { _ in rule(&state, "a") != nil } == [
                false, false, true, false, false, true, false, false, true,
            ])
    }

    @Test func `only requests that meet all else are counted`() {
        var state = state {
            $0.everyNth = 2
            $0.tokenPrefix = Array("a".utf8)
        }
        #expect(
            ["a", "b", "b", "a", "b", "a", "a"].map { rule(&state, $0) != nil } == [
                false, false, false, true, false, false, true,
            ])
    }

    @Test func `connections are told apart by number`() {
        var state = state { $0.connections = 2...3 }
        #expect(
            (1...4).map { rule(&state, "a", connection: $0) != nil } == [
                false, true, true, false,
            ])
    }

    @Test func `after counts the connection's requests or its age`() {
        var requests = state { $0.afterRequests = 2 }
        #expect(
            (1...4).map { rule(&requests, "a", number: $0) != nil } == [
                false, false, true, true,
            ])
        var age = state { $0.afterNanoseconds = 100 }
        #expect(rule(&age, "a", age: 99) == nil)
        #expect(rule(&age, "a", age: 100) == 0)
    }

    @Test func `attempts count per token`() {
        var state = state { $0.attempts = 2...2 }
        #expect(
            ["a", "b", "a", "a", "b"].map { rule(&state, $0) != nil } == [
                false, false, true, false, true,
            ])
    }

    @Test func `each token or connection may have a rate of its own`() {
        var byToken = state {
            $0.rateLimit = .init(nanosecondsPerRequest: 100, burst: 1, scope: .token)
        }
        let tokens = ["a", "b", "a", "A", "c", "b"]
        #expect(
            tokens.map { rule(&byToken, $0) != nil } == [false, false, true, true, false, true])
        #expect(rule(&byToken, "a", at: 100) == nil)
        var byConnection = state {
            $0.rateLimit = .init(nanosecondsPerRequest: 100, burst: 1, scope: .connection)
        }
        #expect(
            [1, 2, 1, 2, 3].map { rule(&byConnection, "a", connection: $0) != nil }
                == [false, false, true, true, false])
    }

    @Test func `requests above the rate match`() {
        // One in 100 ns, two at once.
        var state = state {
            $0.rateLimit = .init(nanosecondsPerRequest: 100, burst: 2)
        }
        let times: [Int64] = [0, 0, 0, 99, 100, 100, 200, 1000, 1000, 1000]
        #expect(
            times.map { rule(&state, "a", at: $0) != nil } == [
                false, false, true, true, false, true, false, false, false, true,
            ])
    }
}
