import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// Jobs that an earlier version began, whose reports have other columns.
@Suite struct EarlierJobTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// Takes out of a checkpoint what it says of the report's columns: earlier ones did not say it.
    private func forgetColumns(_ name: String) throws {
        let (fingerprint, layout, marksOffset) = try found(name)
        let text = String(decoding: fingerprint, as: UTF8.self)
        let earlier = Array(text.replacing(/"report-columns":\s*"[^"]*",\s*/, with: "").utf8)
        try #require(earlier.count < fingerprint.count)
        let prelude = CheckpointPrelude(earlier, layout: layout, marksOffset: marksOffset)
        var bytes = try folder.bytes(name)
        for (offset, new) in [
            (CheckpointLayout.preludeOffset(isSecond: false), prelude.bytes),
            (CheckpointLayout.fingerprintOffset, earlier),
        ] {
            bytes.replaceSubrange(offset..<offset + new.count, with: new)
        }
        try folder.write(bytes, to: name)
        #expect(try found(name).fingerprint == earlier)
    }

    private func found(
        _ name: String
    ) throws -> (fingerprint: [UInt8], layout: MarkLayout, marksOffset: Int) {
        guard let opened = try OpenedCheckpoint.open(folder.path(name)) else { throw InUse() }
        return (opened.fingerprint, opened.layout, opened.marksOffset)
    }

    private struct InUse: Error {}

    @Test func `rows are left out by tokens only where these say who is meant`() throws {
        let error = FanfareError(.configuration, message: "x")
        var configuration = try configuration()
        for (token, isSo) in [(ReportToken.full, true), (.hash, true), (.prefix, false)] {
            configuration.report.token = token
            #expect((error.onward(from: configuration).earlierReport != nil) == isSo)
        }
        configuration.report.token = .full
        let hooks = try Described([
            "origin": #"{"column": "url", "allow_hosts": ["*"]}"#,
            "request": #"{"method": "POST"}"#,
        ]).file
        configuration.provider.declared = DeclaredOptions(
            file: hooks, settings: try ProviderSettings(hooks.provider, given: [], secrets: []))
        #expect(error.onward(from: configuration).earlierReport == nil)
    }

    @Test(arguments: ["r.csv", "r.ndjson", "r.csv.gz", "r.sqlite"])
    func `they are left to that version, and their reports stay`(report: String) throws {
        let configuration = try stoppedJob { $0.report.path = folder.path(report) }
        let log = report == "r.sqlite" ? "r.sqlite.csv" : report
        try forgetColumns(log + ".checkpoint")
        let before = try folder.bytes(log)
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(
            text == "ReportOptions.resumes would not carry on the job that wrote "
                + "\(folder.path(log)): another version of Fanfare began it, whose reports have "
                + "other columns. Go on with what it was then. To begin another job, give it another "
                + "report, and its inputs without the rows that are accepted, unregistered or unknown in "
                + "this one (RowOptions.suppressions leaves out all rows for their tokens); "
                + "ReportOptions.overwrites sends to all of them again")
        let error = fanfareError { _ = try Job(resuming(configuration)) }
        #expect(error?.earlierReport == folder.path(log))
        #expect(try folder.bytes(log) == before && folder.exists(log + ".checkpoint"))
        // Anew it is a job of this version.
        var anew = configuration
        anew.report.overwrites = true
        #expect(try Job(anew).run().exitCode == 0)
        #expect(provider.stop().requests == 51 + 100)
    }
}
