import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Glibc
import Testing

@testable import Fanfare

@Suite struct TokenOriginTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func identity(_ tokenFile: String, impersonates: Bool = true) throws -> TokenOrigin {
        .credential(
            .externalAccount(
                try KeyFiles.external(
                    KeyFiles.externalAccount(
                        source: #"{"file":"\#(tokenFile)"}"#, impersonates: impersonates))))
    }

    @Test func `a machine in Google's cloud asks its metadata server`() throws {
        let server = try MetadataServer()
        var origin = TokenOrigin.credential(.machine(server))
        #expect(origin.name == "this machine")
        let answer = origin.next(now: 0) { request, account in
            #expect(request.question == .metadata && request.endpoint == server.endpoint)
            #expect(account == "this machine")
            return Self.answer("machine")
        }
        #expect(answer.told == "machine for 3600 s")
    }

    // MARK: Identities of other clouds

    @Test func `an identity's token is read each time, and exchanged twice`() throws {
        let path = try folder.write("subject-1", to: "subject")
        var origin = try identity(path)
        #expect(origin.name == "push@example.iam.gserviceaccount.com")
        for number in 1...2 {
            try folder.write("subject-\(number)", to: "subject")
            var asked: [String] = []
            let answer = origin.next(now: 0) { request, account in
                let authorization = request.fields.first { $0.name == "authorization" }
                let question = request.question.map { "\($0)" } ?? "nothing"
                asked.append("\(question) \(account) \(authorization?.value.told ?? "")")
                if request.question == .exchange {
                    #expect(
                        request.body?.told.contains("subject_token=subject-\(number)&") == true)
                    return Self.answer("exchanged-\(number)")
                }
                return Self.answer("final-\(number)")
            }
            #expect(answer.told == "final-\(number) for 3600 s")
            #expect(
                asked == [
                    "exchange \(path) ",
                    "impersonation push@example.iam.gserviceaccount.com Bearer exchanged-\(number)",
                ])
        }
    }

    private static func answer(_ text: String) -> TokenAnswer {
        AccessToken(Secret(text), life: .seconds(3600)).map { .granted($0) }
            ?? .permanent("no token")
    }

    @Test func `without an account the exchanged token serves`() throws {
        var origin = try identity(
            try folder.write("subject", to: "subject"), impersonates: false)
        var count = 0
        let answer = origin.next(now: 0) { _, _ in
            count += 1
            return Self.answer("exchanged")
        }
        #expect(answer.told == "exchanged for 3600 s")
        #expect(count == 1)
    }

    @Test func `a token that is not exchanged is not shown to anybody else`() throws {
        var origin = try identity(try folder.write("subject", to: "subject"))
        var count = 0
        let answer = origin.next(now: 0) { _, _ in
            count += 1
            return .permanent("REFUSED")
        }
        #expect(answer.told == "for good: REFUSED")
        #expect(count == 1)
    }

    @Test func `an identity's file may be missing or half written for a while`() throws {
        var origin = try identity(folder.path("subject"))
        func told() -> String {
            origin.next(now: 0) { _, _ in
                Issue.record("it asks without a token")
                return .permanent("")
            }.told
        }
        #expect(told().hasPrefix("for now: \(folder.path("subject")) cannot be read: "))
        try folder.write("", to: "subject")
        #expect(told().hasPrefix("for now: \(folder.path("subject")) is empty"))
    }

    // MARK: Files

    private func file(_ text: String = "ya29.one") throws -> TokenFile {
        try TokenFile(try folder.write(text, to: "token"))
    }

    @Test func `a file's token is handed out once, and then the next one`() throws {
        var file = try file()
        #expect(file.next().told == "ya29.one for ever")
        try folder.write("ya29.second", to: "token")
        #expect(file.next().told == "ya29.second for ever")
        #expect(file.next().told.hasPrefix("for good: the access token in \(file.path) is no "))
    }

    @Test func `the same token with white space behind it is the same`() throws {
        var file = try file()
        _ = file.next()
        try folder.write("ya29.one\n\n", to: "token")
        #expect(file.next().told.hasPrefix("for good: "))
    }

    @Test func `a file that is missing or half written is read again later`() throws {
        var file = try file()
        _ = file.next()
        try #require(unlink(file.path) == 0)
        #expect(file.next().told.hasPrefix("for now: \(file.path) cannot be read: "))
        try folder.write("", to: "token")
        #expect(file.next().told.hasPrefix("for now: \(file.path) is empty"))
        #expect(file.next().told.hasPrefix("for now: "))
        try folder.write("ya29.third", to: "token")
        #expect(file.next().told == "ya29.third for ever")
    }

    @Test func `a file tells of a newer token once, and never of one that is not whole`() throws {
        var file = try file()
        // The first one is handed out when it is asked for.
        #expect(file.newer() == nil)
        _ = file.next()
        #expect(file.newer() == nil)
        try folder.write("ya29.second", to: "token")
        #expect(file.newer()?.secret.told == "ya29.second")
        #expect(file.newer() == nil)
        try folder.write("", to: "token")
        #expect(file.newer() == nil)
        try #require(unlink(file.path) == 0)
        #expect(file.newer() == nil)
        try folder.write("ya29.second", to: "token")
        #expect(file.newer() == nil)
        try folder.write("ya29.third", to: "token")
        #expect(file.newer()?.secret.told == "ya29.third")
    }

    @Test func `what is no file is not read a second time`() throws {
        var file = try file()
        _ = file.next()
        try #require(unlink(file.path) == 0)
        try #require(mkfifo(file.path, 0o600) == 0)
        // It would wait for a writer.
        #expect(file.next().told.hasPrefix("for good: the access token of \(file.path) is no "))
    }
}
