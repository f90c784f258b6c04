import FanfareTLS
import FanfareTestSupport
import Testing

/// The client's knowledge of the server's opinion when its handshake is over.
@Suite struct CertificateRequestTests {
    private func client(asked: Bool, version: TLSVersion) throws -> Bool {
        let client = try Peer.client { $0.maximumVersion = version }
        let server = try Peer.server { $0.clientCertificates = asked ? .requested : .ignored }
        var talk = try Dialogue(client: client, server: server)
        try talk.shake()
        return talk.client.mayStillRefuseCertificate
    }

    /// RFC 8446 §4.4.2.4 against RFC 5246 §7.4.6, where the server's Finished comes after its verdict.
    @Test func `in TLS 1_3 a server that asks for a certificate may still refuse`() throws {
        #expect(try client(asked: true, version: .tls13))
        #expect(try !client(asked: false, version: .tls13))
        #expect(try !client(asked: true, version: .tls12))
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a certificate that is refused is a permanent error`(version: TLSVersion) throws {
        let stranger = try SelfSignedAuthority().clientIdentity(commonName: "x", userID: "y")
        let client = try Peer.client {
            $0.maximumVersion = version
            $0.identity = stranger
        }
        let server = try Peer.server {
            $0.clientCertificates = .required
            $0.clientRootsPEM = Peer.authority.caPEM
        }
        var talk = try Dialogue(client: client, server: server)
        let error = try #require(talk.failure().client)
        #expect(error == .alertReceived("unknown CA"))
        #expect(error.isPermanent)
        #expect(error.remark == .certificateRefused)
    }

    @Test func `an alert that is about the moment is not permanent`() {
        #expect(!TLSError.alertReceived("internal error").isPermanent)
        #expect(!TLSError.alertReceived("handshake failure").isPermanent)
    }
}

/// Names and certificates as RFC 9525 has them, with certificates that the openssl command makes.
@Suite(.enabled(if: OpenSSLCommand.exists)) struct CommonNameTests {
    /// A self-signed certificate, and a client that trusts it.
    private func error(subject: String, options: [String], name: String) throws -> TLSError? {
        let folder = try TemporaryFolder()
        try folder.openssl(
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", "own.pem", "-out", "certificate.pem", "-days", "1", "-subj", subject,
            ] + options)
        let identity = try TLSIdentity(
            certificateFile: folder.path("certificate.pem"), keyFile: folder.path("own.pem"),
            passphrase: nil)
        let client = try Peer.client {
            $0.caPEM = nil
            $0.caFile = folder.path("certificate.pem")
        }
        let server = try TLSContext(server: ServerTLSConfiguration(identity: identity))
        var talk = try Dialogue(client: client, server: server, name: name)
        return talk.failure().client
    }

    @Test func `a common name is not taken for the server's name`() throws {
        let error = try error(subject: "/CN=localhost", options: [], name: "localhost")
        guard case .verificationFailed(let reason, _) = error else {
            Issue.record("accepted: \(String(describing: error))")
            return
        }
        #expect(reason.contains("mismatch"))
    }

    @Test func `a subject alternative name is, also beside another common name`() throws {
        let alternative = ["-addext", "subjectAltName=DNS:localhost"]
        let error = try error(subject: "/CN=other", options: alternative, name: "localhost")
        #expect(error == nil)
    }
}
