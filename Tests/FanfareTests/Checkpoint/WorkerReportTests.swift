import FanfareSystem
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The report of a worker of several, where a job on one machine would go on or begin.
@Suite struct WorkerReportTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// The rows that it has no line for are those of all the other workers.
    @Test func `a worker's report is not carried on without the others`() throws {
        let configuration = try stoppedJob()
        try folder.write("", to: "r.csv.cluster")
        let (code, text) = try #require(message(resuming(configuration)))
        #expect(code == .configuration)
        #expect(text.contains("r.csv is the report of a worker of several machines"))
        #expect(text.contains("Go on with the cluster and the job that it is a part of"))
        #expect(provider.stop().requests == 51)
    }

    @Test func `a job that begins anew can be carried on`() throws {
        var configuration = try configuration()
        try folder.write("", to: "r.csv")
        try folder.write("", to: "r.csv.cluster")
        configuration.report.overwrites = true
        #expect(try Job(configuration).run().exitCode == 3)
        #expect(!FileDescriptor.exists(folder.path("r.csv.cluster")))
        configuration.report.overwrites = false
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(provider.stop().requests == 101)
    }
}
