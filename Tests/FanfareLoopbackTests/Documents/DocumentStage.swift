import FanfareSimulator
import FanfareTLS
import FanfareTestSupport
import Foundation
import Testing

/// A folder and an environment in which a document's commands are run as they stand there.
///
/// Apple's hosts are a simulator that asks for the key, Google's and those that documents make up one that
/// does not:
/// `https_proxy` names a proxy that leads there, and `SSL_CERT_FILE` has the authority that they have
/// their certificate from.
final class DocumentStage {
    private let folder: TemporaryFolder
    private let apple: SimulatorServer
    private let others: SimulatorServer
    private let proxy: ScriptedProxy
    private let port: UInt16
    private var background: [(process: ChildProcess, output: String)] = []
    private var runs = 0
    /// The output of the last block.
    private var said = ""

    init() throws {
        folder = try TemporaryFolder()
        port = try LoopbackPort.free()
        let authority = try SelfSignedAuthority(names: [
            "api.push.apple.com", "api.sandbox.push.apple.com", "gateway.example", "gateway.test",
            "fcm.googleapis.com", "oauth2.googleapis.com", "api.example", "localhost", "127.0.0.1",
        ])
        try authority.writeCA(to: folder.path("authority.pem"))
        try authority.identity.writePEM(to: folder.path("AuthKey_ABC123DEFG.p8"))
        let signer = try ProviderTokenSigner(
            keyFile: folder.path("AuthKey_ABC123DEFG.p8"), keyID: "ABC123DEFG",
            teamID: "DEF123GHIJ")
        var settings = SimulatorServerConfiguration()
        settings.identity = authority.identity
        settings.provider.tokenVerifier = ProviderTokenVerifier(signer: signer)
        settings.provider.scenario = try Self.scenario(Self.rules)
        apple = try SimulatorServer(settings)
        settings.provider.acceptsAnonymous = true
        others = try SimulatorServer(settings)
        let ports = (apple: try apple.start(), others: try others.start())
        proxy = try ScriptedProxy(
            .routes { $0.contains("push.apple.com:") ? ports.apple : ports.others })
        let account = try others.project.makeAccount()
        try folder.write(
            account.keyFile(origin: "https://oauth2.googleapis.com"), to: "firebase.json")
        try prepare()
    }

    deinit {
        // Each has a group of its own, which bash and its children are.
        for (process, _) in background where process.exitStatus == nil {
            kill(-process.id, SIGKILL)
        }
        proxy.stop()
        apple.stop()
        others.stop()
    }

    /// A file that is written and run at once may still be open in another thread's fork, and then
    /// the system does not run it; so this one is not made here.
    private static let tools = Documents.root.appending(path: "Tests/Fixtures/bin")

    /// Tokens that guides call dead, or those of another environment.
    private static let rules = #"""
        {"rules": [
            {"when": {"tokenPrefix": "dead"},
             "then": {"status": 410, "reason": "Unregistered", "timestamp": 1760000000000}},
            {"when": {"tokenPrefix": "bad0"}, "then": {"status": 400, "reason": "BadDeviceToken"}}
        ]}
        """#

    private static func scenario(_ json: String) throws -> Scenario {
        try Array(json.utf8).withUnsafeBufferPointer { try Scenario(json: $0, file: "rules") }
    }

    /// Makes the files that a reader is taken to have: folders of the shell, rows and a payload.
    private func prepare() throws {
        for path in [
            "home/.local/share/bash-completion/completions", "home/.config/fish/completions",
        ]
            + ["home/.zfunc"]
        {
            try FileManager.default.createDirectory(
                atPath: folder.path(path), withIntermediateDirectories: true)
        }
        // Commands may replace this one.
        try FileManager.default.copyItem(
            atPath: folder.path("authority.pem"), toPath: folder.path("ca.pem"))
        let data = Documents.root.appending(path: "bench-data")
        for name in ["rows.csv", "payload.json"] {
            try FileManager.default.copyItem(
                at: data.appending(path: name), to: folder.url.appending(path: name))
        }
    }

    private func start(_ script: String) throws -> (ChildProcess, output: String) {
        runs += 1
        try folder.write(
            """
            set -euo pipefail
            export PATH="\(Self.tools.path):$PATH" HOME="\(folder.path("home"))"
            export FANFARE_UNDER_TEST="\(CommandLineTool.path)" FANFARE_TEST_PORT=\(port)
            export https_proxy=http://127.0.0.1:\(proxy.port) SSL_CERT_FILE="\(folder.path("authority.pem"))"
            unset no_proxy NO_PROXY all_proxy ALL_PROXY
            \(script)
            """, to: "script-\(runs).sh")
        let output = folder.path("said-\(runs)")
        let process = try ChildProcess(
            "/bin/bash", [folder.path("script-\(runs).sh")], output: output, errors: output,
            directory: folder.path)
        return (process, output)
    }

    /// Does what a block is for.
    func play(_ block: DocumentBlock) throws {
        for step in block.before {
            if step.isLeftRunning {
                background.append(try start(step.command))
            } else {
                try run(step.command, exitCodes: [0], block.place)
            }
        }
        switch (block.language, block.words.first) {
        case ("sh", "not-run"): break
        case ("sh", "background"):
            let (process, output) = try start(block.text)
            background.append((process, output))
            let isUp = Poll.until(seconds: 20) {
                !text(output).isEmpty || process.exitStatus != nil
            }
            #expect(isUp && process.exitStatus == nil, "\(block.place): \(text(output))")
        case ("sh", _): try run(block.text, exitCodes: block.exitCodes, block.place)
        case ("text", "output"): expectSaid(block)
        case (_, let name?) where name.contains("."): try folder.write(block.text, to: name)
        default: break
        }
    }

    private func run(_ script: String, exitCodes: [Int32], _ place: String) throws {
        let (process, output) = try start(script)
        let status = process.waitUntilExit(seconds: 90)
        if status == nil { kill(-process.id, SIGKILL) }
        said = text(output)
        let meanwhile = background.map { text($0.output) }.joined(separator: "\n")
        #expect(
            status.map { exitCodes.contains($0) } == true,
            "\(place): ended with \(status.map(String.init) ?? "nothing")\n\(script)\n\(said)\n\(meanwhile)"
        )
    }

    private func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    private func expectSaid(_ block: DocumentBlock) {
        let said = Self.plain(said)
        for line in block.lines {
            let parts = line.split(separator: "…").map { Self.plain(String($0)) }
            let isThere = said.split(separator: "\n").contains { Self.has($0, parts) }
            #expect(isThere, "\(block.place): no command says '\(line)':\n\(self.said)")
        }
    }

    /// One space for several, and none at the ends of lines.
    private static func plain(_ text: String) -> String {
        text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }.joined(separator: "\n")
    }

    private static func has(_ line: Substring, _ parts: [String]) -> Bool {
        var rest = line
        for part in parts {
            guard let range = rest.range(of: part) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
