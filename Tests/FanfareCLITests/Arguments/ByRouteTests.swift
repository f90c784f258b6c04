import Fanfare
import FanfareCore
import Testing

@testable import FanfareCLI

/// Options whose value may be for one provider of several.
@Suite struct ByRouteTests {
    private func configuration(_ words: String...) throws -> Configuration {
        var (configuration, arguments) = try send(words)
        try configuration.readEngine(arguments)
        try configuration.readProvider(arguments)
        return configuration
    }

    private func send(_ words: [String]) throws -> (Configuration, ParsedArguments) {
        let words = ["send", "rows.csv", "--payload-json", "{}"] + words
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        return (try Configuration(rowsOf: arguments), arguments)
    }

    private enum Unexpected: Error { case help }

    private func message(_ words: String...) -> String {
        do {
            var (configuration, arguments) = try send(words)
            try configuration.readEngine(arguments)
            try configuration.readProvider(arguments)
            return ""
        } catch let error as CommandError {
            if case .usage(let error) = error { return error.message }
            return "\(error)"
        } catch let error as UsageError {
            return error.message
        } catch {
            return "\(error)"
        }
    }

    @Test func `credentials say which providers a job has`() throws {
        let keys = ["--key", "k.p8", "--key-id", "ABC123DEFG", "--team-id", "DEF123GHIJ"]
        var (both, arguments) = try send(keys + ["--service-account", "f.json"])
        try both.readProvider(arguments)
        #expect(both.routes.map(\.provider) == [.apns, .fcm])
        #expect(
            both.routes[0].credentials
                == .token(keyFile: "k.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ"))
        #expect(both.routes[1].credentials == .serviceAccount(file: "f.json"))
        #expect(both.routes[1].endpoint == .fcm)
        var (one, words) = try send(["--access-token-file", "t"])
        try one.readProvider(words)
        #expect(one.routes.map(\.provider) == [.fcm])
        #expect(try configuration("--provider", "simulator").routes.map(\.provider) == [.apns])
        #expect(
            try configuration("--provider", "fcm,simulator,apns").routes.map(\.provider)
                == [.apns, .fcm])
    }

    @Test func `a value is for all providers, or for one`() throws {
        let job = try configuration(
            "--provider", "apns,fcm", "--endpoint", "https://127.0.0.1:1", "--endpoint",
            "fcm=https://127.0.0.1:2", "--rate", "fcm=7/s", "--rate", "100/s", "--rate", "fcm=8/s",
            "--route", "iphone=apns", "--topic", "com.example.app")
        #expect(job.routes.map(\.endpoint.port) == [1, 2])
        #expect(job.engine.rate == SendingRate(100))
        #expect(job.routes.map(\.rate) == [nil, SendingRate(8)])
        #expect(job.rows.providerWords == ["iphone": .apns])
        #expect(job.routes.map(\.topic) == ["com.example.app", nil])
        let named = try configuration(
            "--endpoint", "apns=https://127.0.0.1:1", "--endpoint", "fcm=https://127.0.0.1:2")
        #expect(named.routes.map(\.provider) == [.apns, .fcm])
    }

    @Test func `what is for a provider that the job has not is refused`() {
        let fcm = ["--provider", "fcm", "--endpoint", "https://127.0.0.1:1"]
        #expect(
            message(fcm[0], fcm[1], fcm[2], fcm[3], "--topic", "com.example.app").contains(
                "is for apns, and this job sends to fcm; --provider fcm,apns is for both"))
        #expect(
            message(fcm[0], fcm[1], fcm[2], fcm[3], "--rate", "apns=5/s").contains("is for apns"))
        #expect(message("--provider", "simulator", "--route", "droid=fcm").contains("is for fcm"))
        #expect(message("--provider", "apns", "--service-account", "f").contains("is for fcm"))
        #expect(message("--route", "droid=fmc").contains("is none of apns and fcm"))
        #expect(message("--rate", "fcm=fast").contains("fcm=fast"))
        #expect(message("--provider", "apns,fmc").contains("is none of apns, fcm and simulator"))
        #expect(
            message("--provider", "apns,fcm", "--endpoint", "apns=https://127.0.0.1:1").contains(
                "no credentials for FCM"))
    }

    @Test func `values of several providers in one option are refused with the way to give them`() {
        for (option, value, example) in [
            ("--rate", "apns=10/s,fcm=100/s", "apns=10/s"),
            ("--rate", "acme=10/s,apns=5/s,fcm=100/s", "acme=10/s"),
            (
                "--endpoint", "apns=https://a.example,fcm=https://b.example",
                "apns=https://a.example"
            ),
            ("--payload", "apns=a.json,fcm=b.json", "apns=a.json"),
        ] {
            #expect(
                message(option, value)
                    == "\(option): '\(value)' names several providers: give the option once "
                    + "for each; write for example \(option) \(example)")
        }
        // A path may hold a comma and a sign.
        #expect(!RouteLead.namesAnother("a,b=c.json"))
    }

    @Test func `an unverified server is on a loopback address, whatever the provider`() {
        #expect(
            message(
                "--provider", "apns,fcm", "--endpoint", "apns=https://127.0.0.1:1", "--endpoint",
                "fcm=https://192.0.2.1:1", "--insecure"
            ).contains("loopback"))
    }

    @Test func `a path behind a name is relative to the file of options`() throws {
        for (form, text, paths, moved) in [
            (.routeFile, "fcm=a.json", ["a.json"], "fcm=x/a.json"),
            (.routeFile, "a=b.json", ["a=b.json"], "x/a=b.json"),
            (.textOrFile, "text", [], nil),
            (.textOrFile, "@a.txt", ["a.txt"], "@x/a.txt"),
            (
                .keyedFiles, "locale:de=de.json,*=en.json", ["de.json", "en.json"],
                "locale:de=x/de.json,*=x/en.json"
            ),
            (.keyedFiles, "de=de.json", [], nil),
            (.sharedFile, "A=a.json:50%", ["a.json"], "A=x/a.json:50%"),
            (.sharedFile, "A=a:b.json", ["a:b.json"], "A=x/a:b.json"),
        ] as [(ValueForm, String, [String], String?)] {
            #expect(form.paths(in: text) == paths)
            #expect(form.replacingPaths(in: text) { "x/" + $0 } == moved)
        }
    }
}
