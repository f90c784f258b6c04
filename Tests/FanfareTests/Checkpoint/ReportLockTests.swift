import FanfareTestSupport
import Testing

@testable import Fanfare

/// Two jobs on one report, which has several names.
@Suite struct ReportLockTests: StoppedJobs {
    let folder: TemporaryFolder
    let provider: SimulatedProvider

    init() throws {
        folder = try TemporaryFolder()
        provider = try Self.stoppingProvider()
    }

    /// Gives a file another name.
    private func name(_ name: String, _ file: String, byLink: Bool) throws {
        if byLink {
            try folder.link(name, to: folder.path(file))
        } else {
            try folder.hardLink(name, to: folder.path(file))
        }
    }

    @Test(arguments: [true, false], [true, false])
    func `a report that a job writes is no other one's, by whichever name`(
        byLink: Bool, resumes: Bool
    ) throws {
        let first = try JobOpening.open(try configuration())
        let header = try folder.read("r.csv")
        try name("l.csv", "r.csv", byLink: byLink)
        var second = try configuration()
        second.report.path = folder.path("l.csv")
        second.report.resumes = resumes
        second.report.overwrites = !resumes
        let (code, text) = try #require(message(second))
        #expect(code == .configuration)
        #expect(
            text == "another process is at work on \(second.report.path); "
                + "ReportOptions.path names another report")
        #expect(!folder.exists("l.csv.checkpoint"))
        #expect(try folder.read("r.csv") == header)
        first.letGo()
        #expect(message(second) == nil)
    }

    @Test func `a checkpoint that never began does not empty another job's report`() throws {
        // The file that a kill leaves before the first record.
        do {
            var opened = try JobOpening.openCheckpoint(of: folder.path("l.csv"))
            try opened.begin(Array("{}".utf8), layout: .marks)
        }
        let first = try JobOpening.open(try configuration())
        let header = try folder.read("r.csv")
        try name("l.csv", "r.csv", byLink: true)
        var second = try configuration()
        second.report.path = folder.path("l.csv")
        let (_, text) = try #require(message(resuming(second)))
        #expect(text.hasPrefix("another process is at work on"))
        #expect(try folder.read("r.csv") == header)
        first.letGo()
        #expect(message(resuming(second)) == nil)
    }

    @Test(arguments: ["ReportOptions.unregisteredPath", "ReportOptions.retryRowsPath"])
    func `a file beside the report is no other job's either`(option: String) throws {
        var configuration = try configuration()
        configuration.report.overwrites = true
        func beside(_ configuration: Configuration, _ name: String) -> Configuration {
            var configuration = configuration
            if option == "ReportOptions.unregisteredPath" {
                configuration.report.unregisteredPath = folder.path(name)
            } else {
                configuration.report.retryRowsPath = folder.path(name)
            }
            return configuration
        }
        let first = try JobOpening.open(beside(configuration, "side.csv"))
        try name("l.csv", "side.csv", byLink: true)
        var second = beside(configuration, "l.csv")
        second.report.path = folder.path("r2.csv")
        let (code, text) = try #require(message(second))
        #expect(code == .configuration)
        #expect(
            text == "another process is at work on \(folder.path("l.csv")); "
                + "\(option) names another file")
        first.letGo()
        #expect(message(second) == nil)
    }

    @Test func `a rehearsal does not write what a job writes`() throws {
        let first = try JobOpening.open(try configuration())
        let header = try folder.read("r.csv")
        var second = try configuration()
        second.report.overwrites = true
        func error() -> FanfareError? { fanfareError { _ = try Rehearsal(second) } }
        #expect(error()?.message.hasPrefix("another process is at work on") == true)
        #expect(try folder.read("r.csv") == header)
        first.letGo()
        #expect(error() == nil)
    }

    @Test func `a job of a report that has several names is carried on`() throws {
        var configuration = try configuration()
        try folder.write("", to: "r.csv")
        try name("l.csv", "r.csv", byLink: true)
        try name("h.csv", "r.csv", byLink: false)
        configuration.report.path = folder.path("l.csv")
        configuration.report.overwrites = true
        #expect(try Job(configuration).run().exitCode == 3)
        configuration.report.overwrites = false
        #expect(try Job(resuming(configuration)).run().exitCode == 0)
        #expect(try folder.reportLines("h.csv").keys.sorted() == Array(1...100))
    }
}
