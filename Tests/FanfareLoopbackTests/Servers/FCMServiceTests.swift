import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// A whole job to FCM as python-h2 and a few lines of Python have it, which share nothing with the simulator.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
final class FCMServiceTests {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    private let port: UInt16

    /// The beginning of tokens that the service answers alike, and what a report is to say of them.
    private struct Kind {
        let beginning: String
        let outcome: String
        let status: String
        let reason: String

        init(_ beginning: String, _ outcome: String, _ status: String, _ reason: String) {
            self.beginning = beginning
            self.outcome = outcome
            self.status = status
            self.reason = reason
        }
    }

    private static let kinds: [Kind] = [
        Kind("good", "accepted", "200", ""),
        Kind("dead", "unregistered", "404", "UNREGISTERED"),
        Kind("odd1", "suspect", "400", "INVALID_ARGUMENT"),
        Kind("odd2", "suspect", "400", "INVALID_ARGUMENT"),
        Kind("mine", "suspect", "403", "SENDER_ID_MISMATCH"),
        Kind("busy", "unknown", "503", "UNAVAILABLE"),
        Kind("bust", "unknown", "500", "INTERNAL"),
        Kind("page", "unknown", "502", ""),
        Kind("many", "throttled", "429", "QUOTA_EXCEEDED"),
        Kind("apns", "failed", "401", "THIRD_PARTY_AUTH_ERROR"),
        // Refused without having been looked at, and then taken.
        Kind("late", "accepted", "200", ""),
        Kind("lost", "unknown", "", "INTERNAL_ERROR"),
    ]

    init() throws {
        folder = try TemporaryFolder()
        try TestAuthority.server.writePEM(to: folder.path("server.pem"))
        try folder.write(RFC7515.rsaPublicKey, to: "public.pem")
        (process, port) = try PythonEnvironment.serve("fcm-service", in: folder)
    }

    deinit { process.send(SIGKILL) }

    private func configuration(tokens: [String]) throws -> Configuration {
        let key = RFC7515.rsaKey.replacing("\n", with: #"\n"#)
        try folder.write(
            """
            {"type":"service_account","project_id":"example-1","private_key":"\(key)",
             "client_email":"push@example-1.iam.gserviceaccount.com",
             "token_uri":"https://127.0.0.1:\(port)/token"}
            """, to: "account.json")
        var configuration = Configuration()
        let rows = tokens.map { "\($0),\"Zoë \"\"\($0.number)\"\"\"\n" }
        configuration.inputs = [
            .memory(Array(("token,name\n" + rows.joined()).utf8), name: "rows")
        ]
        configuration.payload = .message(Message(title: "Hi {{name}}"))
        configuration.provider = .fcm
        configuration.provider.endpoint = Endpoint(host: "127.0.0.1", port: port)
        configuration.provider.caPEM = TestAuthority.shared.caPEM
        configuration.provider.credentials = .serviceAccount(file: folder.path("account.json"))
        configuration.engine.lanes = 2
        configuration.engine.attemptsMax = 1
        configuration.guards.stopIf = []
        configuration.report.path = folder.path("r.csv")
        return configuration
    }

    /// Its bearer expires and connections are told to go in the midst of it, and no row costs a second attempt.
    @Test func `each answer is what the service means by it, and nothing is taken twice`() throws {
        // Nine of ten rows are good: a run of answers in doubt would make the job wait.
        let tokens = (0..<1200).map { number in
            let kind = number % 10 == 9 ? Self.kinds[number / 10 % Self.kinds.count] : Self.kinds[0]
            return "\(kind.beginning)\(number):APA91b-" + String(repeating: "x", count: 130)
        }
        let result = try Job(try configuration(tokens: tokens)).run()
        let said = folder.text(of: "python.log")
        #expect(said.isEmpty, "\(said)")
        #expect(result.failure == nil && result.stopMessage == nil)
        let lines = try folder.read("r.csv").split(separator: "\n").dropFirst().map {
            $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        #expect(lines.count == tokens.count && Set(lines.map { $0[0] }).count == tokens.count)
        for line in lines {
            let kind = try #require(Self.kinds.first { line[2].hasPrefix($0.beginning) })
            #expect(line[4...6] == [kind.outcome, kind.status, kind.reason], "\(line)")
            #expect(line[8] == "1", "\(line)")
            let name = "projects/example-1/messages/0:\(line[2].number)%31bd1c96"
            #expect(line[7] == (kind.outcome == "accepted" ? name : ""), "\(line)")
        }
        let taken = folder.text(of: "taken").split(separator: "\n").map(String.init)
        #expect(taken.count == tokens.count && Set(taken) == Set(tokens))
    }
}

extension String {
    /// The digits of a token of these tests.
    fileprivate var number: Substring { dropFirst(4).prefix { $0.isNumber } }
}
