import FanfareCore
import FanfareSimulator
import FanfareTestSupport

/// Deals rules for the simulated provider: what can go wrong there, and when.
enum ScenarioDeck {
    static func deal(_ dice: inout Dice) -> [Scenario.Rule] {
        guard dice.chance(0.8) else { return [] }
        return (0..<dice.number(1...4)).map { _ in rule(&dice) }
    }

    private static func rule(_ dice: inout Dice) -> Scenario.Rule {
        var rule = Scenario.Rule()
        rule.condition = condition(&dice)
        rule.action = action(&dice)
        if dice.chance(0.2) { rule.action.latency = SimulationPlan.latency(&dice) }
        if dice.chance(0.15) {
            rule.action.maxConcurrentStreams = UInt32(dice.pick([1, 1, dice.number(0...100)]))
        }
        return rule
    }

    private static func condition(_ dice: inout Dice) -> Scenario.Condition {
        var condition = Scenario.Condition()
        switch dice.number(0...5) {
        case 0:
            let start = dice.share(upTo: 0.8)
            condition.fraction = start..<min(1, start + dice.share(upTo: 0.4))
        case 1: condition.everyNth = UInt64(dice.number(1...20))
        case 2: condition.everyNth = UInt64(dice.number(5...60))
        case 3: condition.attempts = 1...UInt64(dice.number(1...3))
        case 4:
            condition.connections = 1...UInt64(dice.number(1...3))
            condition.afterRequests = UInt64(dice.number(0...20))
        default:
            condition.afterRequests = UInt64(dice.number(1...60))
            if dice.chance(0.5) { condition.everyNth = UInt64(dice.number(1...5)) }
        }
        if dice.chance(0.1) {
            condition.afterNanoseconds = Int64(dice.number(0...SimulationPlan.second))
        }
        if dice.chance(0.05) {
            condition.rateLimit = Scenario.RateLimit(
                nanosecondsPerRequest: Double(dice.number(1...20) * SimulationPlan.millisecond),
                burst: Double(dice.number(1...10)))
        }
        return condition
    }

    private static func action(_ dice: inout Dice) -> Scenario.Action {
        var action = Scenario.Action()
        switch dice.number(0...13) {
        case 0...4: action.stream = .answer(answer(&dice))
        case 5: action.stream = .stall
        case 6: action.stream = .reset(errorCode: 7)
        case 7: action.stream = .reset(errorCode: UInt32(dice.pick([0, 1, 2, 8, 11, 13, 99])))
        case 8, 9, 10: close(&action, &dice)
        case 11:
            action.stream = .stall
            action.stallsConnection = dice.chance(0.7)
            action.stopsReading = !action.stallsConnection
        default:
            action.goAway = goAway(&dice)
            if action.goAway?.errorCode != nil {
                action.stream = dice.chance(0.5) ? .answer(answer(&dice)) : .stall
            }
        }
        return action
    }

    /// The ends of a connection: FIN, a reset, and a reset behind what is due because requests lie unread.
    private static func close(_ action: inout Scenario.Action, _ dice: inout Dice) {
        // An answer may go out first.
        action.stream = dice.chance(0.5) ? .answer(answer(&dice)) : .stall
        action.closesConnection = true
        switch dice.number(0...3) {
        case 0: action.resetsConnection = true
        case 1: action.leavesUnread = true
        default: break
        }
        if dice.chance(0.4) {
            action.goAway = goAway(&dice)
            action.goAway?.errorCode = UInt32(dice.pick([0, 0, 2, 11]))
        }
    }

    private static func goAway(_ dice: inout Dice) -> Scenario.GoAway {
        var goAway = Scenario.GoAway()
        guard dice.chance(0.6) else { return goAway }
        goAway.errorCode = UInt32(dice.pick([0, 0, 2, 11]))
        goAway.lastStream = dice.pick([
            .received, .beforeThis, .throughThis, .id(Int32(2 * dice.number(0...20) + 1)),
            .id(Int32(2 * dice.number(0...20))),
        ])
        goAway.reason = dice.pick(["", "", "Shutdown", "IdleTimeout", "Surprise", "BadCertificate"])
        return goAway
    }

    private static func answer(_ dice: inout Dice) -> ScenarioAnswer {
        switch dice.number(0...13) {
        case 0: ScenarioAnswer(status: 410, reason: "Unregistered", timestamp: 1_700_000_000_123)
        case 1: ScenarioAnswer(status: 410, reason: "ExpiredToken")
        case 2: ScenarioAnswer(status: 400, reason: "BadDeviceToken")
        case 3: ScenarioAnswer(status: 413, reason: "PayloadTooLarge")
        case 4: ScenarioAnswer(status: 429, reason: "TooManyRequests")
        case 5:
            ScenarioAnswer(
                status: 429, reason: "TooManyRequests",
                retryAfter: dice.pick([
                    "0", "1", "7", "later", "Tue, 14 Nov 2023 22:30:03 GMT",
                    "Tue Nov 14 22:30:03 2023",
                ]))
        case 6: ScenarioAnswer(status: 429, reason: "TooManyProviderTokenUpdates")
        case 7: ScenarioAnswer(status: 500, reason: "InternalServerError")
        case 8: ScenarioAnswer(status: 503, reason: "ServiceUnavailable", retryAfter: "2")
        case 9: ScenarioAnswer(status: 503, reason: "Shutdown")
        case 10: ScenarioAnswer(status: 403, reason: "ExpiredProviderToken")
        case 11:
            // Ends the job, so it comes less often than the others.
            dice.chance(0.3)
                ? ScenarioAnswer(status: 403, reason: "InvalidProviderToken")
                : ScenarioAnswer(status: 400, reason: "IdleTimeout")
        case 12: ScenarioAnswer(status: 418, reason: "Teapot")
        default: ScenarioAnswer(status: dice.pick([200, 421, 500]), reason: "")
        }
    }
}
