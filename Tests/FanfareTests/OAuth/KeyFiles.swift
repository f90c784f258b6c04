import FanfareBase
import FanfareTLS
import FanfareTestSupport

@testable import Fanfare

/// Credential files of Google's as they are written.
enum KeyFiles {
    static let hints = GoogleHints(
        project: "PROJECT-SETTING", accessTokenFile: "TOKEN-FILE-SETTING")

    /// A service account's, with other members in place of the usual ones, and without some.
    static func serviceAccount(
        _ changes: [String: String] = [:], without missing: Set<String> = []
    ) -> String {
        let key = RFC7515.rsaKey.replacing("\n", with: #"\n"#)
        let usual = [
            ("type", "service_account"), ("project_id", "example-1"),
            ("private_key_id", "0123456789abcdef"), ("private_key", key),
            ("client_email", "push@example.iam.gserviceaccount.com"),
            ("client_id", "111"), ("auth_uri", "https://accounts.google.com/o/oauth2/auth"),
            ("token_uri", "https://oauth2.googleapis.com/token"),
            ("auth_provider_x509_cert_url", "https://www.googleapis.com/oauth2/v1/certs"),
            ("client_x509_cert_url", "https://www.googleapis.com/robot/v1/metadata/x509/push"),
            ("universe_domain", "googleapis.com"),
        ]
        let members = usual.filter { !missing.contains($0.0) }.map { name, value in
            #"  "\#(name)": "\#(changes[name] ?? value)""#
        }
        return "{\n" + members.joined(separator: ",\n") + "\n}\n"
    }

    /// That of a workload identity.
    static func externalAccount(
        source: String = #"{"file":"/var/run/token"}"#, more: String = "",
        impersonates: Bool = true, tokenURL: String = "https://sts.googleapis.com/v1/token"
    ) -> String {
        let impersonation =
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
            + "push@example.iam.gserviceaccount.com:generateAccessToken"
        return """
            {"type":"external_account",
             "audience":"//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
             "subject_token_type":"urn:ietf:params:oauth:token-type:jwt",
             "token_url":"\(tokenURL)",
             \(impersonates ? #""service_account_impersonation_url":"\#(impersonation)","# : "")
             \(more)
             "credential_source":\(source)}
            """
    }

    static func read(_ text: String) throws(FanfareError) -> GoogleCredential {
        try GoogleCredential.read(Secret(text), file: "key.json", hints: hints)
    }

    static func account(_ text: String) throws -> ServiceAccount {
        guard case .serviceAccount(let account) = try read(text) else {
            throw FanfareError(.bug, "it is no service account")
        }
        return account
    }

    static func external(_ text: String) throws -> ExternalAccount {
        guard case .externalAccount(let account) = try read(text) else {
            throw FanfareError(.bug, "it is no external account")
        }
        return account
    }
}

extension Secret {
    /// The secret, which only a test may show.
    var told: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

extension TokenRequest {
    /// The fields as text.
    var lines: [String] { fields.map { "\($0.name): \($0.value.told)" } }
}
