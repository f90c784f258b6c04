import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

@Suite struct GuardBoundsTests {
    private func bounds(_ guards: GuardOptions, _ kind: ProviderKind) -> [String] {
        guards.bounds(of: kind).map(\.description)
    }

    @Test func `a list that a described service calls dead is not believed by default`() throws {
        var guards = GuardOptions()
        #expect(bounds(guards, .apns) == ["suspect>50%", "unknown>50%"])
        #expect(bounds(guards, .fcm) == ["suspect>50%", "unknown>50%"])
        #expect(
            bounds(guards, .declared(DeclaredName("ntfy")))
                == ["suspect>50%", "unknown>50%", "unregistered>50%"])
        guards.stopIf = []
        #expect(bounds(guards, .declared(DeclaredName("ntfy"))) == [])
        guards.stopIf = [try OutcomeThreshold("failed>10")]
        #expect(bounds(guards, .declared(DeclaredName("ntfy"))) == ["failed>10"])
    }

    @Test func `the usual bound on invalid rows is for the first rows, one that was set for all`()
        throws
    {
        var guards = GuardOptions()
        #expect(guards.ofFirstRows.map(\.description) == ["invalid>10%"])
        guards.stopIf = [.wrongEnvironment, .wrongRows]
        #expect(guards.ofFirstRows.map(\.description) == ["invalid>10%"])
        #expect(bounds(guards, .apns) == ["suspect>50%", "invalid>10%"])
        #expect(
            guards.bounds(of: .apns, toleratesInvalid: true).map(\.description) == ["suspect>50%"])
    }

    @Test func `a setting of bounds can be pasted`() {
        let setting = GuardOptions.setting([.wrongEnvironment, .inDoubt])
        #expect(
            setting.text(Naming.options { _ in "--stop-if" })
                == "--stop-if 'suspect>50%,unknown>50%'")
        #expect(
            GuardOptions.setting([]).text(Naming.options { _ in "--stop-if" }) == "--stop-if none")
    }
}
