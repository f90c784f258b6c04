import Fanfare
import Testing

@testable import FanfareCLI

/// The reading of a command line by `check --online`.
@Suite struct OnlineArgumentsTests {
    /// The job that would ask.
    private func online(_ words: String...) throws -> Configuration {
        guard
            case .run(let arguments) = try ArgumentParser().parse(
                ["check", "rows.csv", "--online"] + words)
        else { throw ConfigurationCase.NotRun() }
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readOnline(arguments)
        return configuration
    }

    private func usage(_ words: [String]) -> String? {
        do {
            guard case .run(let arguments) = try ArgumentParser().parse(["check"] + words) else {
                return nil
            }
            var configuration = try Configuration(rowsOf: arguments)
            try configuration.readOnline(arguments)
            return nil
        } catch CommandError.usage(let error) {
            return "\(error)"
        } catch let error as UsageError {
            return "\(error)"
        } catch {
            return "another error: \(error)"
        }
    }

    @Test func `FCM is asked, as whom the credentials say, and nothing is delivered`() throws {
        let job = try online(
            "--service-account", "firebase.json", "--project", "p", "--ca-file", "ca.pem",
            "--unregistered", "dead.csv", "--resume", "--seed-list", "seeds.csv")
        #expect(job.routes.map(\.provider) == [.fcm])
        #expect(job.provider.validatesOnly && job.provider.endpoint == .fcm)
        #expect(job.provider.credentials == .serviceAccount(file: "firebase.json"))
        #expect(job.provider.project == "p" && job.provider.caFile == "ca.pem")
        #expect(job.report.unregisteredPath == "dead.csv" && job.report.resumes)
        #expect(job.payload == .column && job.seeds == nil)
        #expect(job.inputs == [.file("seeds.csv"), .file("rows.csv")])
    }

    @Test func `rows for APNs go nowhere, so it needs no credentials`() throws {
        let job = try online(
            "--provider", "apns,fcm", "--endpoint", "fcm=https://127.0.0.1:8443", "--insecure")
        #expect(job.routes.map(\.provider) == [.apns, .fcm])
        #expect(job.routes.map(\.validatesOnly) == [true, true])
        #expect(job.routes.map(\.verifiesServer) == [true, false])
        #expect(job.routes[1].endpoint.port == 8443)
    }

    @Test func `where no provider is named it is the one that can be asked`() throws {
        #expect(try online("--provider", "simulator").routes.map(\.provider) == [.fcm])
    }

    @Test(
        arguments: [
            (["--online"], "no credentials for FCM; give --service-account"),
            (
                ["--online", "--provider", "apns"],
                "--online: asks FCM, and there are no rows for it"
            ),
            (["--unregistered", "dead.csv"], "--unregistered needs --online as well"),
            (["--simulator-latency", "1ms"], "--simulator-latency needs"),
            (["--online", "--sample", "3"], "--online and --sample exclude each other"),
            (["--online", "--no-validate"], "--online and --no-validate exclude each other"),
            (
                ["--online", "--access-token-file", "t", "--topic", "com.example.app"],
                "--topic: is for apns, and this job sends to fcm; --provider fcm,apns is for both"
            ),
        ])
    func `what cannot be is told`(words: [String], message: String) {
        #expect(usage(words)?.contains(message) == true, "\(usage(words) ?? "no error")")
    }

    // MARK: Files of options

    private static let file = """
        {"service-account": "firebase.json", "endpoint": "https://127.0.0.1:8443",
         "unregistered": "dead.csv", "provider": "fcm"}
        """

    @Test func `what a file says of asking is passed over by a check that stays here`() throws {
        var test = ConfigurationCase(file: Self.file)
        test.variables = ["FANFARE_PROJECT": "p", "FANFARE_INSECURE": "true"]
        let offline = try test.run("check", "--config", "config.json")
        #expect(offline[Options.provider].providers == [.fcm])
        // Credentials are looked at in any case.
        #expect(offline[Options.serviceAccount] == "firebase.json")
        #expect(offline[Options.project] == "p")
        #expect(offline[Options.unregistered] == nil && !offline[Options.insecure])
        let online = try test.run("check", "--online", "--config", "config.json")
        #expect(online[Options.serviceAccount] == "firebase.json")
        #expect(online[Options.unregistered] == "dead.csv")
        #expect(online[Options.project] == "p" && online[Options.insecure])
        // An option for it on the command line is meant for it.
        #expect(
            test.refusal(["check", "--config", "config.json", "--unregistered", "q.csv"])
                == "fanfare check: --unregistered needs --online as well")
    }

    @Test func `a file may ask itself`() throws {
        let file = #"{"online": true, "access-token-file": "t", "project": "p"}"#
        let test = ConfigurationCase(file: file)
        let arguments = try test.run("check", "--config", "config.json")
        #expect(arguments[Options.online] && arguments[Options.accessTokenFile] == "t")
        let offline = try test.run("check", "--config", "config.json", "--no-online")
        #expect(!offline[Options.online] && offline[Options.accessTokenFile] == "t")
        // It is no option of send, and what it is beside serves both.
        let send = try test.run("send", "--config", "config.json")
        #expect(send[Options.accessTokenFile] == "t")
    }
}
