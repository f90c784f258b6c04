import FanfareSimulator
import FanfareTLS
import Foundation
import Testing

/// A service account of a simulator, and what a client makes of its key file.
struct ServiceAccountFixture {
    static let projectID = "demo-project"
    /// Its key takes a while to make.
    private static let shared = Result { try SimulatedAccount(projectID: projectID) }

    let account: SimulatedAccount
    let file: [String: String]
    private let signer: RS256Signer

    init(account: SimulatedAccount? = nil, origin: String = "https://localhost:8443") throws {
        self.account = try account ?? Self.shared.get()
        let json = try JSONSerialization.jsonObject(
            with: Data(try self.account.keyFile(origin: origin).utf8))
        file = try #require(json as? [String: String])
        let pem = try #require(file["private_key"])
        signer = try RS256Signer(
            pem: Array(pem.utf8).withUnsafeBufferPointer { Secret($0) }, file: "account.json")
    }

    /// Claims as a client makes them at this time.
    func claims(at seconds: Int64, _ change: (inout [String: Any]) -> Void = { _ in }) -> [String:
        Any]
    {
        var claims: [String: Any] = [
            "iss": account.email, "scope": "https://www.googleapis.com/auth/firebase.messaging",
            "aud": "https://oauth2.googleapis.com/token", "iat": seconds - 10,
            "exp": seconds - 10 + 3600,
        ]
        change(&claims)
        return claims
    }

    /// An assertion, signed with the account's key.
    func assertion(
        _ claims: [String: Any], header: [String: Any] = ["alg": "RS256", "typ": "JWT"]
    ) throws -> String {
        let parts = try [header, claims].map {
            Base64URL.encode(try JSONSerialization.data(withJSONObject: $0))
        }
        let signed = parts.joined(separator: ".")
        return signed + "." + Base64URL.encode(try signer.sign(signed))
    }

    /// A request's body.
    static func form(_ assertion: String) -> String {
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)"
    }
}
