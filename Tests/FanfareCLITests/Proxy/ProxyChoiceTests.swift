import Fanfare
import Testing

@testable import FanfareCLI

@Suite struct ProxyChoiceTests {
    private let apns = Endpoint.apns(.production, port: 443)

    private func arguments(
        _ words: [String], environment: [String: String] = [:]
    ) throws -> ParsedArguments {
        let surroundings = Surroundings(
            variable: { environment[$0] },
            contents: { (_) throws(Surroundings.Unreadable) in
                throw Surroundings.Unreadable("there are no files")
            })
        let base = ["push", "ab", "--alert", "hi", "--topic", "a.b"]
        guard
            case .run(let arguments) = try ArgumentParser(surroundings: surroundings)
                .parse(base + words)
        else { throw UsageError(command: "push", "this is no command that runs") }
        return arguments
    }

    private func proxy(
        _ words: String..., to endpoint: Endpoint? = nil, isSimulator: Bool = false,
        environment: [String: String] = [:]
    ) throws -> Proxy? {
        try Proxy(
            arguments(words), to: endpoint ?? apns, isSimulator: isSimulator,
            variable: { environment[$0] })
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `without a word there is none`() throws {
        #expect(try proxy() == nil)
        #expect(try proxy(environment: ["https_proxy": "", "http_proxy": "http://a:1"]) == nil)
    }

    @Test(arguments: [
        "http://proxy.example:3128", "HTTP://proxy.example:3128/", "proxy.example:3128",
    ])
    func `an option names it`(url: String) throws {
        #expect(try proxy("--proxy", url) == Proxy(host: "proxy.example", port: 3128))
        // And then the environment says nothing, not even about exceptions.
        let environment = ["https_proxy": "http://other:1", "no_proxy": "*"]
        #expect(
            try proxy("--proxy", url, environment: environment)
                == Proxy(host: "proxy.example", port: 3128))
    }

    @Test func `the variable for all schemes counts where there is none for https`() throws {
        for name in ["all_proxy", "ALL_PROXY"] {
            let only = [name: "http://all:1", "http_proxy": "http://plain:3"]
            #expect(try proxy(environment: only) == Proxy(host: "all", port: 1))
            let both = [name: "http://all:1", "HTTPS_PROXY": "http://tls:2"]
            #expect(try proxy(environment: both) == Proxy(host: "tls", port: 2))
            let excepted = [name: "http://all:1", "no_proxy": "*"]
            #expect(try proxy(environment: excepted) == nil)
            // It is not gone around in silence.
            let socks = message { _ = try proxy(environment: [name: "socks5://all:1080"]) }
            #expect(socks.contains(name) && socks.contains("--no-proxy"))
        }
    }

    @Test func `the environment names it, small letters first`() throws {
        #expect(
            try proxy(environment: ["HTTPS_PROXY": "http://[::1]:8080"])
                == Proxy(host: "::1", port: 8080))
        #expect(
            try proxy(environment: ["HTTPS_PROXY": "http://a:1", "https_proxy": "b:2"])
                == Proxy(host: "b", port: 2))
        for name in ["no_proxy", "NO_PROXY"] {
            let environment = ["https_proxy": "http://a:1", name: "example.com,.apple.com"]
            #expect(try proxy(environment: environment) == nil)
        }
    }

    @Test func `a password is left where it is`() throws {
        var expected = Proxy(host: "proxy.example", port: 3128)
        expected.credentials = .environment("https_proxy")
        let environment = ["https_proxy": "http://u:opensesame@proxy.example:3128"]
        #expect(try proxy(environment: environment) == expected)
        expected.credentials = .file("secret.txt")
        #expect(
            try proxy("--proxy-credentials-file", "secret.txt", environment: environment)
                == expected)
        #expect(
            try proxy(
                "--proxy", "http://proxy.example:3128", "--proxy-credentials-file", "secret.txt")
                == expected)
    }

    @Test func `what is on this machine goes through a named one only`() throws {
        let environment = ["https_proxy": "http://proxy.example:3128"]
        let local = [
            Endpoint(host: "127.0.0.1", port: 8443), Endpoint(host: "localhost", port: 8443),
            Endpoint(host: "::1", port: 8443), Endpoint(host: "a", port: 80, usesTLS: false),
        ]
        for endpoint in local {
            #expect(try proxy(to: endpoint, environment: environment) == nil)
        }
        #expect(try proxy(isSimulator: true, environment: environment) == nil)
        let named = Proxy(host: "proxy.example", port: 3128)
        #expect(try proxy("--proxy", "proxy.example:3128", to: local[0]) == named)
        #expect(try proxy("--proxy", "proxy.example:3128", isSimulator: true) == named)
        // Not even a mistake in the variable matters then.
        #expect(try proxy(to: local[0], environment: ["https_proxy": "socks5://a"]) == nil)
    }

    @Test func `it can be switched off`() throws {
        let environment = ["https_proxy": "http://proxy.example:3128"]
        #expect(try proxy("--no-proxy", environment: environment) == nil)
        #expect(try proxy("--no-proxy", environment: ["https_proxy": "::"]) == nil)
        let message = message { _ = try proxy("--no-proxy", "--proxy", "a:1") }
        #expect(message.contains("--no-proxy"))
    }

    @Test func `a password without a proxy is a mistake`() {
        let message = message { _ = try proxy("--proxy-credentials-file", "secret.txt") }
        #expect(
            message.contains("--proxy-credentials-file") && message.contains("there is no proxy"))
    }

    @Test(arguments: [
        ("socks5://a:1080", "unknown scheme 'socks5'"), ("https://a:3128", "TLS to the proxy"),
        ("http://a", "no port"), ("http://a:0", "port"), ("http://a:1/b", "path"),
        ("a b:1", "host"),
        ("http://", "host"),
    ])
    func `what is no proxy is refused with the reason`(url: String, reason: String) {
        #expect(message { _ = try proxy("--proxy", url) }.contains(reason))
        let text = message { _ = try proxy(environment: ["https_proxy": url]) }
        #expect(
            text.contains(reason) && text.contains("https_proxy:") && text.contains("--no-proxy"))
    }

    @Test(arguments: [
        "http://u:opensesame@proxy.example:3128", "u:opensesame@proxy.example", "u:opensesame@",
        "opensesame://u@a", "http://u:open#opensesame@proxy.example:3128",
    ])
    func `a password on a command line is refused, and no message shows it`(url: String) {
        let line = message { _ = try proxy("--proxy", url) }
        #expect(line.contains("--proxy-credentials-file") && line.contains("https_proxy"))
        let variable = message {
            _ = try arguments([], environment: ["FANFARE_PROXY": url])
        }
        #expect(variable.contains("FANFARE_PROXY"))
        for text in [line, variable] { #expect(!text.contains("opensesame")) }
    }

    @Test(arguments: [
        "http://u:opensesame@proxy.example", "http://u:open/opensesame@proxy.example:3128",
        "socks5://u:opensesame@a:1", "opensesame://u@a:1",
    ])
    func `a faulty address in the environment keeps its password`(url: String) {
        let text = message { _ = try proxy(environment: ["HTTPS_PROXY": url]) }
        #expect(text.contains("HTTPS_PROXY:"))
        #expect(!text.contains("opensesame"))
    }
}
