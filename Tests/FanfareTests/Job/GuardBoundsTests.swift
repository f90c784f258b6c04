import FanfareCore
import Testing

@testable import Fanfare

@Suite struct GuardBoundsTests {
    private func bounds(_ guards: GuardOptions, _ kind: ProviderKind) -> [String] {
        guards.bounds(of: kind).map(\.description)
    }

    @Test func `a list that a described service calls dead is not believed by default`() throws {
        var guards = GuardOptions()
        #expect(bounds(guards, .apns) == ["suspect>50%", "unknown>50%", "invalid>10%"])
        #expect(bounds(guards, .fcm) == ["suspect>50%", "unknown>50%", "invalid>10%"])
        #expect(
            bounds(guards, .declared(DeclaredName("ntfy")))
                == ["suspect>50%", "unknown>50%", "invalid>10%", "unregistered>50%"])
        guards.stopIf = []
        #expect(bounds(guards, .declared(DeclaredName("ntfy"))) == [])
        guards.stopIf = [try OutcomeThreshold("failed>10")]
        #expect(bounds(guards, .declared(DeclaredName("ntfy"))) == ["failed>10"])
    }

    @Test func `where rows name their hosts, the bound on invalid ones holds for the job`() throws {
        var guards = GuardOptions()
        #expect(bounds(guards.ofNoHost, .declared(DeclaredName("webhook"))) == ["invalid>10%"])
        guards.stopIf = []
        #expect(bounds(guards.ofNoHost, .declared(DeclaredName("webhook"))) == [])
    }
}
