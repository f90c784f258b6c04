import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The report of a worker of several, where a job on one machine would go on or begin.
@Suite struct WorkerReportTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider
    private let name = "r.csv.cluster"

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// Writes what a worker keeps beside the report.
    private func leaveFile(ofJob job: UInt64?) throws {
        var memory = ClusterFolder(worker: WorkerID(bits: 1))
        memory.job = job
        try ClusterFolderFile(besideReport: folder.path("r.csv")).write(memory)
    }

    /// The identity of the job that the checkpoint is about.
    private func identity() throws -> UInt64 {
        let opened = try JobOpening.openCheckpoint(of: folder.path("r.csv"))
        let text = opened.fingerprint
        return try #require(JobFingerprint(json: text)).jobBits
    }

    /// A worker whose server has said which job it is.
    private func worker() throws -> Configuration {
        var configuration = try configuration()
        configuration.cluster = ClusterOptions(address: "", job: "august", worker: "web3")
        configuration.cluster?.identity = 8
        return configuration
    }

    // MARK: Going on

    /// The rows that it has no line for are those of all the other workers.
    @Test(arguments: [true, false])
    func `a worker's report is not carried on without the others`(namesJob: Bool) throws {
        let configuration = try stoppedJob()
        try leaveFile(ofJob: namesJob ? identity() : nil)
        for configuration in [resuming(configuration), configuration] {
            let (code, text) = try #require(message(configuration))
            #expect(code == .configuration)
            #expect(
                text
                    == "\(folder.path("r.csv")) is the report of a worker of several machines, and the "
                    + "others may have sent the rows that it has no line for. Go on with "
                    + "Configuration.cluster and ClusterOptions.job of the job that it is a part of; "
                    + "ReportOptions.overwrites sends everything again, also what the others have sent"
            )
        }
        #expect(provider.stop().requests == 51)
    }

    @Test func `what a worker of another job has left keeps no job from going on`() throws {
        let configuration = try stoppedJob()
        try leaveFile(ofJob: try identity() ^ 1)
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(provider.stop().requests == 101)
    }

    @Test func `a file of the user's keeps no job from going on, and stays`() throws {
        let configuration = try stoppedJob()
        try folder.write("token\n", to: name)
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(try folder.read(name) == "token\n")
        #expect(provider.stop().requests == 101)
    }

    // MARK: Beginning

    @Test func `a job that begins anew can be carried on`() throws {
        var configuration = try configuration()
        try folder.write("", to: "r.csv")
        try leaveFile(ofJob: nil)
        configuration.report.overwrites = true
        #expect(try Job(configuration).run().exitCode == 3)
        #expect(!folder.exists(name))
        configuration.report.overwrites = false
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(provider.stop().requests == 101)
    }

    /// Killed before it has written a file of its own, it would take the rows of the other job for its own.
    @Test(arguments: [7, 8, nil] as [UInt64?])
    func `a worker that begins anew has nothing of an earlier one`(job: UInt64?) throws {
        var configuration = try worker()
        try folder.write("", to: "r.csv")
        try leaveFile(ofJob: job)
        configuration.report.overwrites = true
        try JobOpening.open(configuration).letGo()
        #expect(!folder.exists(name))
        #expect(try identity() == 8)
    }

    @Test func `a file of the user's stays when a job begins`() throws {
        let configuration = try configuration()
        try folder.write("token\n", to: name)
        #expect(try Job(configuration).run().exitCode == 3)
        #expect(try folder.read(name) == "token\n")
    }

    @Test(arguments: [true, false])
    func `a worker does not take the name of a file of the user's`(overwrites: Bool) throws {
        var configuration = try worker()
        configuration.report.overwrites = overwrites
        try folder.write("token\n", to: name)
        let (code, text) = try #require(openingMessage(configuration))
        #expect(code == .configuration)
        #expect(
            text
                == "no worker has written \(folder.path(name)), and this one needs a file of that name "
                + "beside its report: move it away; ReportOptions.path names another report")
        #expect(try folder.read(name) == "token\n")
        #expect(!folder.exists("r.csv") && !folder.exists("r.csv.checkpoint"))
    }

    private func openingMessage(_ configuration: Configuration) -> (FanfareError.Code, String)? {
        do throws(FanfareError) {
            _ = try JobOpening.open(configuration)
            return nil
        } catch {
            return (error.code, error.message)
        }
    }
}
