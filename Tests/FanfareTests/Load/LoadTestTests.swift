import FanfareCore
import FanfareJSON
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Whole load tests against the simulator on a loopback port.
///
/// Figures that depend on the machine's speed are not looked at.
@Suite struct LoadTestTests {
    private func configuration(_ provider: SimulatedProvider) -> Configuration {
        var configuration = Configuration()
        configuration.provider.endpoint = provider.endpoint
        configuration.provider.caPEM = provider.caPEM
        configuration.provider.topic = "com.example.app"
        configuration.payload = .template(
            json: Array(#"{"aps":{"alert":"Hi {{name}}"}}"#.utf8), name: "payload")
        configuration.engine.connections = 3
        configuration.engine.lanes = 2
        return configuration
    }

    private func run(
        _ provider: SimulatedProvider, _ change: (inout LoadOptions) -> Void
    ) throws -> LoadResult {
        var options = LoadOptions()
        change(&options)
        let result = try LoadTest(configuration(provider), options).run().result
        #expect(result.violation == nil)
        return result
    }

    @Test(arguments: [false, true])
    func `a closed loop sends exactly what was asked for`(usesTLS: Bool) throws {
        let provider = try SimulatedProvider(usesTLS: usesTLS)
        let result = try run(provider) {
            $0.pattern = .inFlight(7)
            $0.count = 1000
        }
        let figures = try #require(result.steps.first).figures
        #expect(result.exitStatus == .success && result.steps.count == 1)
        #expect(figures.started == 1000 && figures.statuses == [200: 1000])
        #expect(figures.service.count == 1000 && figures.answeredInTime == 1000)
        #expect(provider.stop().requests == 1000)
    }

    @Test func `an open loop accounts for all that were due`() throws {
        let provider = try SimulatedProvider()
        let result = try run(provider) {
            $0.pattern = .rate(from: 1000, to: 1000)
            $0.warmUp = .milliseconds(100)
            $0.duration = .milliseconds(300)
        }
        let figures = try #require(result.steps.first).figures
        #expect(result.steps[0].measuredNanoseconds == 300_000_000)
        // 0.3 s at 1,000 a second, however busy this machine is.
        #expect(figures.due == 300)
        #expect(figures.started == figures.answered + figures.failed)
        // The warm-up was sent, and is not counted.
        #expect(provider.stop().requests > figures.started)
    }

    @Test func `a test says which step runs, and what the others have come to`() throws {
        let provider = try SimulatedProvider()
        var options = LoadOptions()
        options.pattern = .rate(from: 200, to: 400)
        options.steps = 2
        options.warmUp = .milliseconds(50)
        options.duration = .milliseconds(100)
        let test = try LoadTest(configuration(provider), options)
        #expect(test.stage.count == 2 && test.stage.number == 0 && test.steps.isEmpty)
        let result = try test.run()
        #expect(test.stage.number == 2)
        #expect(test.steps.map(\.figures.started) == result.result.steps.map(\.figures.started))
        #expect(result.ending == "Ended: 2 steps were measured.")
        #expect(!test.isStopping)
        let stopped = try LoadTest(configuration(provider), options)
        stopped.interrupt()
        #expect(stopped.isStopping)
        #expect(try stopped.run().ending.hasPrefix("Stopped early: "))
        _ = provider.stop()
    }

    @Test func `steps go from the first rate to the last`() throws {
        let result = try run(try SimulatedProvider()) {
            $0.pattern = .rate(from: 200, to: 1000)
            $0.steps = 3
            $0.warmUp = .zero
            $0.duration = .milliseconds(100)
        }
        #expect(
            result.steps.map(\.load) == [
                .open(from: 200, to: 200), .open(from: 600, to: 600), .open(from: 1000, to: 1000),
            ])
        #expect(result.steps.map(\.figures.due) == [20, 60, 100])
    }

    @Test func `a rate that rises in a line sends the area under it`() throws {
        let result = try run(try SimulatedProvider()) {
            $0.pattern = .rate(from: 200, to: 1000)
            $0.warmUp = .zero
            $0.duration = .milliseconds(200)
        }
        #expect(result.steps.map(\.figures.due) == [120])
    }

    @Test func `refusals and resets are answers here, and not tried again`() throws {
        let provider = try SimulatedProvider(
            #"""
            {"when":{"everyNth":10},"then":{"status":503,"reason":"ServiceUnavailable"}},
            {"when":{"everyNth":9},"then":{"resetStream":"REFUSED_STREAM"}},
            {"when":{"everyNth":8},"then":{"resetStream":"INTERNAL_ERROR"}}
            """#)
        let result = try run(provider) {
            $0.pattern = .inFlight(10)
            $0.count = 1000
        }
        let figures = try #require(result.steps.first).figures
        // Of 1,000 every tenth; of the other 900 every ninth; of the other 800 every eighth.
        #expect(figures.statuses == [200: 700, 503: 100])
        #expect(figures.failures == ["REFUSED_STREAM": 100, "INTERNAL_ERROR": 100])
        #expect(figures.errorShare == 0.3)
        #expect(result.exitStatus == .success)
        #expect(provider.stop().requests == 1000)
    }

    @Test func `a condition that holds makes it a failure`() throws {
        let conditions = try ["rate>0", "max>1h"].map { try LoadCondition($0) }
        let result = try run(try SimulatedProvider()) {
            $0.pattern = .inFlight(5)
            $0.count = 50
            $0.failIf = conditions
        }
        #expect(result.crossings.map(\.condition) == [conditions[0]])
        #expect(result.exitStatus == .thresholdCrossed)
    }

    @Test(arguments: [
        (LoadOptions.Pattern.inFlight(5), "a closed loop asks for no rate"),
        (.knee(first: 5, LoadOptions.KneeBounds()), "a search asks for no rate"),
    ])
    func `a share of the rate needs a rate`(
        pattern: LoadOptions.Pattern, reason: String
    ) throws {
        let provider = try SimulatedProvider()
        var options = LoadOptions()
        options.pattern = pattern
        options.failIf = [try LoadCondition("rate<500"), try LoadCondition("rate<95%")]
        let error = fanfareError { _ = try LoadTest(configuration(provider), options) }
        #expect(error?.code == .configuration)
        #expect(
            error?.message.hasPrefix("LoadOptions.failIf rate<95%: \(reason)") == true,
            "\(error?.message ?? "taken")")
        options.pattern = .rate(from: 5, to: 5)
        _ = try LoadTest(configuration(provider), options)
    }

    @Test func `refused credentials stop it`() throws {
        let provider = try SimulatedProvider(
            #"{"then":{"status":403,"reason":"InvalidProviderToken"}}"#)
        let result = try run(provider) { $0.count = 1000 }
        #expect(result.exitStatus == .refused)
        #expect(result.stop?.message.contains("403 InvalidProviderToken") == true)
    }

    @Test func `an interruption keeps what was measured, and leaves the rest`() async throws {
        let provider = try SimulatedProvider(#"{"then":{"stall":"stream"}}"#)
        var options = LoadOptions()
        options.pattern = .rate(from: 100, to: 100)
        options.warmUp = .zero
        options.duration = .seconds(600)
        let test = try LoadTest(configuration(provider), options)
        async let running = onOwnThread { try test.run().result }
        try await Poll.wait { test.progress.inFlight >= 5 }
        test.interrupt()
        test.interrupt()
        let result = try await running
        let figures = try #require(result.steps.first).figures
        #expect(result.exitStatus == .interrupted && result.violation == nil)
        #expect(figures.started >= 5 && figures.unfinished == figures.started)
    }

    @Test func `one that comes before the beginning ends it`() throws {
        let provider = try SimulatedProvider(#"{"then":{"stall":"stream"}}"#)
        var options = LoadOptions()
        options.pattern = .inFlight(5)
        options.count = 100
        let test = try LoadTest(configuration(provider), options)
        test.interrupt()
        let result = try test.run().result
        #expect(result.exitStatus == .interrupted && result.steps.isEmpty)
    }

    @Test func `any request can be sent, and no answer is taken for a provider's`() throws {
        // The simulator knows POST and nothing else.
        let provider = try SimulatedProvider()
        let result = try run(provider) {
            $0.count = 50
            $0.request = LoadRequest()
            $0.request?.fields = [.init("X-Test", "1")]
        }
        let figures = try #require(result.steps.first).figures
        #expect(figures.statuses == [405: 50] && result.stop == nil)
        #expect(result.settings.contains { $0.name == "headers" && $0.value == .text("x-test") })
    }

    @Test func `what cannot be done is refused before anything is sent`() throws {
        let provider = try SimulatedProvider()
        let changes: [(String, (inout LoadOptions) -> Void)] = [
            ("in flight: 0 is not between", { $0.pattern = .inFlight(0) }),
            ("a rate has to be between", { $0.pattern = .rate(from: 0, to: 5) }),
            (
                "needs a duration",
                {
                    $0.pattern = .rate(from: 1, to: 5)
                    $0.count = 5
                }
            ),
            ("steps need a rate", { $0.steps = 3 }),
            (
                "LoadRequest.fields 'Connection: …': HTTP/2 does not have it",
                {
                    $0.request = LoadRequest()
                    $0.request?.fields = [.init("Connection", "close")]
                }
            ),
            (
                "LoadRequest.fields 'a b: …': not a name",
                {
                    $0.request = LoadRequest()
                    $0.request?.fields = [.init("a b", "close")]
                }
            ),
            (
                "LoadRequest.path no",
                {
                    $0.request = LoadRequest()
                    $0.request?.path = "no"
                }
            ),
            (
                "LoadRequest.method G T",
                {
                    $0.request = LoadRequest()
                    $0.request?.method = "G T"
                }
            ),
        ]
        for (message, change) in changes {
            let error = fanfareError { _ = try run(provider, change) }
            #expect(error?.code == .configuration)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "nothing")")
        }
        var broken = configuration(provider)
        broken.payload = .template(
            json: Array(#"{"aps":{"alert":"\#(String(repeating: "x", count: 5000))"}}"#.utf8),
            name: "payload")
        let error = fanfareError { _ = try LoadTest(broken, LoadOptions()) }
        #expect(error?.message.contains("what would be sent is not a notification") == true)
    }
}
