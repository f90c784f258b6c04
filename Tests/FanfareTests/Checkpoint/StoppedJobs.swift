import FanfareTestSupport
import Testing

@testable import Fanfare

/// The common part of tests of jobs that are carried on: a job that a provider stops at its 51st
/// row.
protocol StoppedJobs {
    var folder: TemporaryFolder { get }
    var provider: SimulatedProvider { get }
}

extension StoppedJobs {
    /// Of a token that begins with `e` the first request stops the job, and the second one is
    /// accepted; there may be more rules behind that.
    static func stoppingProvider(_ more: String...) throws -> SimulatedProvider {
        let rules = [
            """
            {"when":{"tokenPrefix":"e","attempt":1},
             "then":{"status":403,"reason":"InvalidProviderToken"}}
            """,
            #"{"when":{"tokenPrefix":"d0"},"then":{"status":410,"timestamp":1700000000123}}"#,
        ]
        return try SimulatedProvider((rules + more).joined(separator: ",\n"))
    }

    func token(_ prefix: String, _ number: Int) -> String {
        let rest = String(number)
        return prefix
            + String(repeating: "0", count: 64 - prefix.utf8.count - rest.utf8.count) + rest
    }

    /// A hundred rows; the 51st stops the first run.
    var rows: String {
        "token,name\n"
            + (1...100).map { token($0 == 51 ? "e" : $0 % 10 == 0 ? "d0" : "aa", $0) + ",n\($0)\n" }
            .joined()
    }

    func configuration() throws -> Configuration {
        var configuration = Preparation.configuration("")
        configuration.inputs = [.file(try folder.write(rows, to: "rows.csv"))]
        configuration.provider.endpoint = provider.endpoint
        configuration.engine.connections = 1
        configuration.engine.lanes = 1
        configuration.engine.streams = 1
        configuration.engine.attemptsMax = 1
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    func resuming(_ configuration: Configuration) -> Configuration {
        var configuration = configuration
        configuration.report.resumes = true
        return configuration
    }

    /// Runs the job until its 51st row.
    func stoppedJob(
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Configuration {
        var configuration = try configuration()
        change(&configuration)
        let result = try Job(configuration, resumeCommand: "again").run()
        #expect(result.exitCode == 3)
        #expect(result.summaryJSON.contains("\"resume_command\": \"again\""))
        return configuration
    }

    func message(_ configuration: Configuration) -> (FanfareError.Code, String)? {
        do throws(FanfareError) {
            _ = try Job(configuration)
            return nil
        } catch {
            return (error.code, error.message)
        }
    }
}
