import FanfareSimulator
import Testing

@Suite struct StreamLimitRuleTests {
    @Test func `with a provider token the limit opens at the first success`() {
        var rule = StreamLimitRule(highLimit: 1000, startsAtOne: true, isFixed: false)
        #expect(rule.limit == 1)
        #expect(rule.answered(status: 403) == nil)
        #expect(rule.answered(status: 200) == 1000)
        #expect(rule.answered(status: 200) == nil)
    }

    @Test(arguments: [400, 403, 404, 405, 413, 429])
    func `a rejection takes the limit to one until the next success`(_ status: Int) {
        var rule = StreamLimitRule(highLimit: 500, startsAtOne: false, isFixed: false)
        #expect(rule.limit == 500)
        #expect(rule.answered(status: status) == 1)
        #expect(rule.answered(status: status) == nil)
        #expect(rule.answered(status: 200) == 500)
    }

    @Test(arguments: [410, 500, 503])
    func `a dead token and the provider's own faults leave the limit alone`(_ status: Int) {
        var rule = StreamLimitRule(highLimit: 500, startsAtOne: false, isFixed: false)
        #expect(rule.answered(status: status) == nil)
        #expect(rule.limit == 500)
    }

    @Test func `a fixed limit never moves`() {
        var rule = StreamLimitRule(highLimit: 7, startsAtOne: true, isFixed: true)
        #expect(rule.limit == 7)
        #expect(rule.answered(status: 400) == nil)
        #expect(rule.answered(status: 200) == nil)
    }

    @Test func `a scenario moves the high limit`() {
        var rule = StreamLimitRule(highLimit: 1000, startsAtOne: false, isFixed: false)
        #expect(rule.highLimitChanged(to: 10) == 10)
        #expect(rule.answered(status: 400) == 1)
        #expect(rule.answered(status: 200) == 10)
    }

    @Test func `a limit that was fixed stays where it is`() {
        var rule = StreamLimitRule(highLimit: 1000, startsAtOne: true, isFixed: false)
        #expect(rule.fix(at: 100) == 100)
        #expect(rule.fix(at: 100) == nil)
        #expect(rule.answered(status: 400) == nil)
        #expect(rule.answered(status: 200) == nil)
        #expect(rule.limit == 100)
    }
}
