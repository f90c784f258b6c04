import FanfareBase
package import FanfareTLS

/// A service account of the simulated project, with a key made on the spot.
package struct SimulatedAccount: Sendable {
    package let projectID: String
    package let email: String
    /// Names the key in the head of an assertion.
    package let keyID: String
    package let verifier: RS256Verifier
    private let signer: RS256Signer

    /// Makes an account; its key takes a tenth of a second or two.
    /// - Parameter projectID: The project that it may send for.
    /// - Throws: `SimulatorError`.
    package init(projectID: String) throws(SimulatorError) {
        do throws(TLSError) {
            signer = try RS256Signer.generate()
        } catch {
            throw SimulatorError("service account", "\(error)")
        }
        self.projectID = projectID
        email = "fanfare@\(projectID).iam.gserviceaccount.com"
        var random = SystemRandomNumberGenerator()
        var digits = ByteBuffer()
        for _ in 0..<5 { digits.appendHexadecimal(random.next(), digits: 8) }
        keyID = unsafe String(decoding: digits.bytes, as: UTF8.self)
        verifier = RS256Verifier(signer: signer)
    }

    /// The account's key file, with all that a client needs to ask for access tokens.
    /// - Parameter origin: Scheme, host and port of the simulator.
    /// - Returns: JSON with the private key in it.
    /// - Throws: `SimulatorError`.
    package func keyFile(origin: String) throws(SimulatorError) -> String {
        let pem: String
        do throws(TLSError) {
            pem = unsafe try signer.privatePEM().withBytes {
                unsafe String(decoding: $0, as: UTF8.self)
            }
        } catch {
            throw SimulatorError("service account", "\(error)")
        }
        let json = GoogleJSON.object([
            .init("type", "service_account"), .init("project_id", projectID),
            .init("private_key_id", keyID), .init("private_key", pem),
            .init("client_email", email), .init("client_id", "100000000000000000000"),
            .init("auth_uri", "\(origin)/auth"),
            .init("token_uri", "\(origin)\(SimulatedService.tokenPath)"),
            .init("universe_domain", "googleapis.com"),
        ])
        return String(decoding: json.bytes(isPretty: true), as: UTF8.self)
    }
}
