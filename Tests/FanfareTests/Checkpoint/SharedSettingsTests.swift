import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The settings that workers compare, and the words for those that differ.
@Suite struct SharedSettingsTests {
    private static func shared(
        _ settings: String = #""topic":"a""#, suppressed: UInt64? = nil, projects: [String] = [],
        _ change: (inout Configuration) throws -> Void = { _ in }
    ) throws -> SharedSettings {
        let json = """
            {"version":"fanfare.checkpoint/1","job":"1","started":1,"head_bytes":0,
             "head_checksum":"0","inputs":[{"name":"rows.csv","bytes":1,"modified":1}],
             "settings":{\(settings)}}
            """
        var configuration = Configuration()
        try change(&configuration)
        return SharedSettings(
            try #require(JobFingerprint(json: Array(json.utf8))), cutRows: 1,
            policy: SharedSettings.policy(
                of: configuration, suppressed: suppressed, projects: projects))
    }

    @Test func `the server's text brings the same settings back`() throws {
        let settings = try Self.shared(suppressed: 7, projects: ["push"])
        #expect(SharedSettings(text: settings.text) == settings)
        // Sums alone: no value stands in it.
        #expect(!settings.text.contains("rows.csv") && !settings.text.contains("push"))
    }

    @Test func `a setting that differs is named with what is wrong about it`() throws {
        let job = try Self.shared(#""topic":"a","payload":"1""#, suppressed: 7)
        func words(_ own: SharedSettings, ofPolicy: Bool) -> String? {
            own.differences(from: job, ofPolicy: ofPolicy)?.description
        }
        #expect(words(job, ofPolicy: true) == nil && words(job, ofPolicy: false) == nil)
        let without = try Self.shared(#""topic":"a","payload":"1""#)
        #expect(words(without, ofPolicy: true) == "RowOptions.suppressions is missing here")
        #expect(words(without, ofPolicy: false) == nil)
        let other = try Self.shared(#""topic":"b","priority":"5""#, suppressed: 8) {
            $0.guards.stopIf = []
        }
        #expect(
            words(other, ofPolicy: true)
                == "GuardOptions.stopIf is given here alone, RowOptions.suppressions has other tokens here"
        )
        #expect(
            words(other, ofPolicy: false)
                == "the payload is missing here, ProviderOptions.priority is given here alone, "
                + "ProviderOptions.topic is another one here")
        #expect(other.policy != job.policy && without.policy != job.policy)
    }

    /// Anyone of the workers' role may write the text.
    @Test func `names that this version does not know are not shown`() throws {
        let job = SharedSettings(text: "\u{1B}[2Jx=1 topic==2 =3 4 payload=zz")
        #expect(try Self.shared().differences(from: job, ofPolicy: true) == nil)
        #expect(
            try Self.shared().differences(from: job, ofPolicy: false)?.description
                == "the length of a cut is given here alone, the path, the size or the number of the inputs is given here "
                + "alone, ProviderOptions.topic is given here alone")
    }

    @Test func `a project that the credentials name counts`() throws {
        #expect(try Self.shared(projects: ["a"]).policy != Self.shared(projects: ["b"]).policy)
    }

    // MARK: Lists

    private static func sum(_ lists: [String], cluster: Bool = true) throws -> UInt64? {
        var configuration = Configuration()
        configuration.inputs = [.memory(Array("token\n00ff\n".utf8), name: "rows.csv")]
        configuration.rows.suppressions = lists.enumerated().map { index, text in
            .memory(Array(text.utf8), name: "list\(index).csv")
        }
        configuration.payload = .template("{}")
        configuration.provider.topic = "com.example.app"
        if cluster {
            configuration.cluster = ClusterOptions(address: "", job: "july", worker: "a")
        }
        return try PreparedJob(configuration, identity: JobIdentity(bits: 1))
            .tokenFilter?.suppressedSum
    }

    @Test func `lists are the same if their tokens are`() throws {
        let sum = try #require(try Self.sum(["token\n00aa\n00bb\n00cc\n"]))
        // In another order, with capitals, twice, in other columns, in several lists.
        #expect(try Self.sum(["token\n00cc\n00AA\n00bb\n00aa\n"]) == sum)
        #expect(try Self.sum(["id,token\n1,00bb\n2,00aa\n3,00cc\n"]) == sum)
        #expect(try Self.sum(["token\n00aa\n00bb\n", "token\n00cc\n00aa\n"]) == sum)
        #expect(try Self.sum(["token\n00aa\n00bb\n"]) != sum)
        #expect(try Self.sum(["token\n00aa\n00bb\n00cc\n00dd\n"]) != sum)
        #expect(try Self.sum(["token\n00aa\n00bb\n00cd\n"]) != sum)
        // Lists without tokens leave no one out.
        #expect(try Self.sum([]) == nil && Self.sum(["token\n"]) == nil)
        #expect(try Self.sum(["token\n00aa\n"], cluster: false) == nil)
    }
}
