import Fanfare
import FanfareBase
import FanfareTLS
import FanfareTestSupport
import Foundation
import Testing

/// Google's own library and PyJWT, on what we make of Google's credentials.
@Suite(.enabled(if: PythonEnvironment.isAvailable, PythonEnvironment.absence))
struct GoogleAuthTests {
    private let hints = GoogleHints(project: "", accessTokenFile: "")

    private func text(_ secret: Secret?) -> String {
        secret.map { $0.withBytes { String(decoding: $0, as: UTF8.self) } } ?? ""
    }

    private func firstLine(_ request: TokenRequest) -> String {
        "\(request.method) \(request.endpoint)\(request.path)"
    }

    private func writeAccount(to folder: TemporaryFolder) throws {
        let key = RFC7515.rsaKey.replacing("\n", with: #"\n"#)
        let file = """
            {"type":"service_account","project_id":"example-1","private_key_id":"0123456789abcdef",
             "private_key":"\(key)","client_email":"push@example-1.iam.gserviceaccount.com",
             "token_uri":"https://oauth2.googleapis.com/token"}
            """
        try folder.write(file, to: "key.json")
        try folder.write(RFC7515.rsaPublicKey, to: "public.pem")
        let credential = try GoogleCredential.read(Secret(file), file: "key.json", hints: hints)
        guard case .serviceAccount(let account) = credential else {
            Issue.record("it is no service account")
            return
        }
        // The two look at the time, too.
        let now = Int64(Date().timeIntervalSince1970)
        try folder.write(try account.assertion(now: now), to: "assertion")
        let request = try account.tokenRequest(now: now)
        try folder.write("\(firstLine(request))\n\(text(request.body))", to: "token-request")
    }

    private func writeIdentity(to folder: TemporaryFolder) throws {
        let token = try folder.write("eyJ.a-b_c~d+e/f==.g", to: "subject")
        let file = """
            {"type":"external_account",
             "audience":"//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
             "subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
             "token_url":"https://sts.googleapis.com/v1/token",
             "service_account_impersonation_url":"https://iamcredentials.googleapis.com/v1/projects/-/\
            serviceAccounts/push@example-1.iam.gserviceaccount.com:generateAccessToken",
             "credential_source":{"file":"\(token)"}}
            """
        try folder.write(file, to: "identity.json")
        let credential = try GoogleCredential.read(
            Secret(file), file: "identity.json", hints: hints)
        guard case .externalAccount(let account) = credential else {
            Issue.record("it is no external account")
            return
        }
        let subject = try account.subjectToken(Secret(try folder.read("subject")))
        let exchange = account.exchangeRequest(subject)
        try folder.write("\(firstLine(exchange))\n\(text(exchange.body))", to: "exchange")
        let exchanged = try AccessTokenFile.read(Secret("exchanged"), file: "")
        let impersonation = try #require(account.impersonationRequest(exchanged))
        let authorization = impersonation.fields.first { $0.name == "authorization" }?.value
        try folder.write(
            "\(firstLine(impersonation)) \(text(authorization))\n\(text(impersonation.body))",
            to: "impersonation")
    }

    @Test func `they verify our assertion, sign the same bytes and ask in the same words`() throws {
        let folder = try TemporaryFolder()
        try writeAccount(to: folder)
        try writeIdentity(to: folder)
        let said = try PythonEnvironment.run("check-credentials", in: folder)
        #expect(said.hasSuffix("all is the same\n"), "\(said)")
    }

    @Test func `they see a claim that was changed`() throws {
        let folder = try TemporaryFolder()
        try writeAccount(to: folder)
        try writeIdentity(to: folder)
        var parts = try folder.read("assertion").split(separator: ".").map(String.init)
        let claims = try #require(Base64URL.decode(parts[1].utf8))
        let changed = String(decoding: claims, as: UTF8.self).replacing("push@", with: "root@")
        parts[1] = Base64URL.encode(changed.utf8)
        try folder.write(parts.joined(separator: "."), to: "assertion")
        let error = #expect(throws: PythonEnvironment.Missing.self) {
            try PythonEnvironment.run("check-credentials", in: folder)
        }
        #expect(error?.description.contains("Could not verify token signature") == true)
    }
}
