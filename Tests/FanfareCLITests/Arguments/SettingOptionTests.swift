import FanfareBase
import FanfareCLI
import Testing

/// The command line's names for the settings that messages name.
@Suite struct SettingOptionTests {
    private static let known = Set(
        Commands.all.flatMap(\.options).flatMap { [$0.name] + [$0.negation].compactMap(\.self) })

    @Test(arguments: Setting.allCases)
    func `a setting comes from options that there are`(setting: Setting) {
        #expect(!setting.options.isEmpty)
        for option in setting.options {
            #expect(option.hasPrefix("--"))
            #expect(Self.known.contains(String(option.dropFirst(2))), "\(option)")
        }
    }

    @Test func `settings become options, and values the words behind them`() {
        let statement: Statement =
            """
            \(.resumes) needs a report; \(.reportPath, any: "FILE") names one, \
            \(.delivery, option: "at-least-once", member: ".atLeastOnce") sends again, \
            \(.mapping, of: "token", is: "device") reads on
            """
        #expect(
            statement.text(.commandLine)
                == "--resume needs a report; --report FILE names one, "
                + "--delivery at-least-once sends again, --map token=device reads on")
    }

    @Test func `a setting of several options is all of them`() {
        #expect(
            ("no \(.anyPayload) is given" as Statement).text(.commandLine)
                == "no --payload, --payload-json or --alert is given")
    }
}
