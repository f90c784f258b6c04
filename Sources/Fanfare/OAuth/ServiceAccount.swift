import FanfareBase
import FanfareCore
package import FanfareTLS

/// A service account of Google's, with the key that signs for it.
///
/// Its key never leaves it: an assertion is signed with it, and exchanged for an access token.
///
/// RFC 7523 §2.1, https://developers.google.com/identity/protocols/oauth2/service-account#httprest
package struct ServiceAccount: Sendable {
    /// The account's address: `name@project.iam.gserviceaccount.com`.
    package let email: String
    /// The project of the file; nil if it names none.
    package let project: String?
    private let keyID: String?
    private let signer: RS256Signer
    private let tokenURL: GoogleURL
    /// The scope of its tokens.
    var scope = TokenRequest.scope

    /// The names of the file's members.
    static let members = [
        "project_id", "private_key_id", "private_key", "client_email", "token_uri",
        "universe_domain",
    ]

    private static let usualURL = "https://oauth2.googleapis.com/token"
    /// The time by which an assertion is backdated, for clocks that are ahead of Google's, and its
    /// lifetime.
    private static let backdatedSeconds: Int64 = 10
    private static let lifeSeconds: Int64 = 3600

    /// Takes the members of a key file.
    /// - Throws: `FanfareError.Code.configuration`.
    init(_ members: SecretMembers, file: String) throws(FanfareError) {
        func required(_ name: String) throws(FanfareError) -> String {
            guard let text = members.string(name), !text.isEmpty else {
                throw FanfareError(
                    .configuration,
                    "\(file) has no '\(name)'; it has to be the whole file that Google gave")
            }
            guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
                throw FanfareError(
                    .configuration,
                    "\(file): '\(name)' has characters that it cannot have: "
                        + "'\(TerminalText.shown(text, max: 80))'")
            }
            return text
        }
        func optional(_ name: String) throws(FanfareError) -> String? {
            members.string(name)?.isEmpty == false ? try required(name) : nil
        }
        try Self.checkUniverse(members, file: file)
        email = try required("client_email")
        keyID = try optional("private_key_id")
        project = try optional("project_id")
        tokenURL = try GoogleURL(
            try optional("token_uri") ?? Self.usualURL, member: "token_uri", file: file)
        signer = try Self.signer(members, file: file)
    }

    /// FCM is in Google's own cloud and in no other.
    static func checkUniverse(_ members: SecretMembers, file: String) throws(FanfareError) {
        guard let universe = members.string("universe_domain"), universe != "googleapis.com"
        else { return }
        throw FanfareError(
            .configuration,
            "\(file) is for the cloud \(TerminalText.shown(universe, max: 80)), and FCM is at "
                + "googleapis.com only; make a key for an account of the Firebase project")
    }

    private static func signer(
        _ members: SecretMembers, file: String
    ) throws(FanfareError) -> RS256Signer {
        guard let pem = members.secret("private_key") else {
            throw FanfareError(
                .configuration,
                "\(file) has no 'private_key'; it has to be the whole file that Google gave")
        }
        // As it comes about where a file went through an environment variable or a template.
        let isEscapedTwice = unsafe pem.withBytes { bytes in
            unsafe bytes.contains(UInt8(ascii: "\\"))
        }
        guard !isEscapedTwice else {
            throw FanfareError(
                .configuration,
                "\(file): 'private_key' has backslashes where its lines should end, so the file was "
                    + "escaped twice; take it as Google gave it")
        }
        do throws(TLSError) {
            return try RS256Signer(pem: pem, file: file)
        } catch {
            guard PEMForm.fault(of: pem) == nil else {
                throw FanfareError(.configuration, "\(error), or take the file as Google gave it")
            }
            throw FanfareError(
                .configuration,
                "\(error); make a new key in the Firebase console, at Service accounts")
        }
    }

    /// The endpoint that sees its assertions.
    package var endpoint: Endpoint { tokenURL.endpoint }

    /// The request for an access token.
    /// - Parameter now: UNIX seconds.
    /// - Returns: The request.
    /// - Throws: `FanfareError.Code.bug` if OpenSSL cannot sign.
    package func tokenRequest(now: Int64) throws(FanfareError) -> TokenRequest {
        let assertion: String
        do throws(TLSError) {
            assertion = try self.assertion(now: now)
        } catch {
            throw FanfareError(.bug, "\(error)")
        }
        let form = FormText.encoded([
            ("assertion", Secret(assertion)),
            ("grant_type", Secret("urn:ietf:params:oauth:grant-type:jwt-bearer")),
        ])
        return TokenRequest(
            scope == TokenRequest.scope ? .assertion : .describedAssertion,
            endpoint: tokenURL.endpoint, path: tokenURL.path,
            fields: [("content-type", Secret(FormText.contentType))], body: form)
    }

    /// Returns the signed statement that names the client, the scope and the time of a token
    /// request.
    /// - Parameter now: UNIX seconds.
    /// - Returns: Header, claims and signature in base64url, with dots between them.
    /// - Throws: `TLSError.libraryFailure`.
    package func assertion(now: Int64) throws(TLSError) -> String {
        // In the order in which PyJWT writes a header, so that the tests hold whole assertions against its.
        var header = ByteBuffer()
        header.append(#"{"alg":"RS256""#)
        if let keyID {
            header.append(#","kid":"#)
            header.appendJSONString(keyID)
        }
        header.append(#","typ":"JWT"}"#)
        var claims = ByteBuffer()
        claims.append(#"{"iss":"#)
        claims.appendJSONString(email)
        claims.append(#","scope":"#)
        claims.appendJSONString(scope)
        claims.append(#","aud":"#)
        claims.appendJSONString(audience)
        let issued = now - Self.backdatedSeconds
        claims.append(",\"iat\":\(issued),\"exp\":\(issued + Self.lifeSeconds)}")
        let input = unsafe Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        return input + "." + Base64URL.encode(try signer.sign(input))
    }

    /// Google has one name for its token service, also where an old file has another address of it.
    private var audience: String { tokenURL.isGoogles ? Self.usualURL : tokenURL.text }
}
