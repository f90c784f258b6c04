import FanfareTLS
import FanfareTestSupport
import Glibc
import Testing

@Suite struct TLSIdentityTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A configuration for `openssl req` with the extensions of a push certificate.
    static let pushCertificate = """
        [req]
        distinguished_name = name
        prompt = no
        x509_extensions = extensions
        [name]
        CN = Apple Push Services: com.example.app
        UID = com.example.app
        [extensions]
        1.2.840.113635.100.6.3.1 = ASN1:NULL
        1.2.840.113635.100.6.3.2 = ASN1:NULL
        1.2.840.113635.100.6.3.6 = ASN1:SEQUENCE:topics
        [topics]
        topic1 = UTF8:com.example.app
        kind1 = SEQUENCE:app
        topic2 = UTF8:com.example.app.voip
        kind2 = SEQUENCE:voip
        topic3 = UTF8:com.example.app.complication
        kind3 = SEQUENCE:complication
        [app]
        kind = UTF8:app
        [voip]
        kind = UTF8:voip
        [complication]
        kind = UTF8:complication

        """

    /// Makes key.pem and certificate.pem.
    private func makePushCertificate() throws {
        try folder.write(Self.pushCertificate, to: "push.cnf")
        try folder.openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-days", "30", "-config", "push.cnf", "-keyout", "key.pem", "-out", "certificate.pem")
    }

    private func secret(_ text: String) throws -> Secret {
        try Secret(firstLineOfFile: folder.write(text, to: "passphrase"))
    }

    /// True if a server that asks for a certificate gets this one.
    private func shown(_ identity: TLSIdentity, _ version: TLSVersion) throws -> CertificateFacts? {
        let client = try Peer.client {
            $0.identity = identity
            $0.maximumVersion = version
        }
        let server = try Peer.server { $0.clientCertificates = .required }
        var talk = try Dialogue(client: client, server: server)
        try talk.shake()
        return talk.server.peerCertificate
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `a push certificate tells its topics and environments`() throws {
        try makePushCertificate()
        let identity = try TLSIdentity.load(
            path: folder.path("certificate.pem"), keyFile: folder.path("key.pem"), passphrase: nil)
        #expect(identity.subjectUID == "com.example.app")
        #expect(
            identity.topics == [
                "com.example.app", "com.example.app.voip", "com.example.app.complication",
            ])
        #expect(identity.environments == [.development, .production])
        #expect(identity.subject.contains("CN=Apple Push Services: com.example.app"))
        let inThirtyDays = Int64(time(nil)) + 30 * 86_400
        #expect((inThirtyDays - 60...inThirtyDays).contains(identity.notAfter))
    }

    @Test(.enabled(if: OpenSSLCommand.exists), arguments: TLSSessionTests.versions)
    func `a server gets the certificate of an encrypted PEM file`(version: TLSVersion) throws {
        try makePushCertificate()
        try folder.openssl(
            "pkcs8", "-topk8", "-in", "key.pem", "-out", "encrypted.pem", "-passout", "pass:geheim")
        let certificate = folder.path("certificate.pem")
        let key = folder.path("encrypted.pem")
        let identity = try TLSIdentity.load(
            path: certificate, keyFile: key, passphrase: secret("geheim"))
        #expect(try shown(identity, version)?.subjectUID == "com.example.app")
        #expect(throws: TLSError.wrongPassphrase(file: key)) {
            try TLSIdentity.load(path: certificate, keyFile: key, passphrase: secret("Geheim"))
        }
        #expect(throws: TLSError.passphraseNeeded(file: key)) {
            try TLSIdentity.load(path: certificate, keyFile: key, passphrase: nil)
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists), arguments: [[], ["-legacy"]])
    func `a server gets the certificate of a PKCS#12 file`(options: [String]) throws {
        try makePushCertificate()
        let path = folder.path("push.p12")
        try folder.openssl(
            ["pkcs12", "-export"] + options + [
                "-inkey", "key.pem", "-in", "certificate.pem", "-out", "push.p12", "-passout",
                "pass:gehëim",
            ])
        let identity = try TLSIdentity.load(
            path: path, keyFile: nil, passphrase: secret("gehëim\n"))
        #expect(try shown(identity, .tls13)?.topics.count == 3)
        #expect(try shown(identity, .tls12)?.topics.count == 3)
        #expect(throws: TLSError.wrongPassphrase(file: path)) {
            try TLSIdentity.load(path: path, keyFile: nil, passphrase: secret("geheim"))
        }
        #expect(throws: TLSError.passphraseNeeded(file: path)) {
            try TLSIdentity.load(path: path, keyFile: nil, passphrase: nil)
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `a PKCS#12 file may have an empty passphrase`() throws {
        try makePushCertificate()
        try folder.openssl(
            "pkcs12", "-export", "-inkey", "key.pem", "-in", "certificate.pem", "-out", "push.p12",
            "-passout", "pass:")
        let path = folder.path("push.p12")
        for passphrase in [nil, try secret("")] {
            let identity = try TLSIdentity(pkcs12File: path, passphrase: passphrase)
            #expect(identity.topics.count == 3)
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `a PKCS#12 file without key is named so`() throws {
        try makePushCertificate()
        try folder.openssl(
            "pkcs12", "-export", "-nokeys", "-in", "certificate.pem", "-out", "push.p12",
            "-passout", "pass:a")
        #expect(throws: TLSError.self) {
            try TLSIdentity(pkcs12File: folder.path("push.p12"), passphrase: secret("a"))
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `Apple's DER certificate goes with a key file`() throws {
        try makePushCertificate()
        try folder.openssl(
            "x509", "-in", "certificate.pem", "-outform", "DER", "-out", "aps.cer")
        let identity = try TLSIdentity.load(
            path: folder.path("aps.cer"), keyFile: folder.path("key.pem"), passphrase: nil)
        #expect(identity.topics.count == 3)
    }

    @Test func `certificate, chain and key may be in one file in any order`() throws {
        let path = folder.path("all.pem")
        let identity = try Peer.authority.clientIdentity(commonName: "Push", userID: "com.example")
        try identity.writePEM(to: path)
        let own = try folder.read("all.pem")
        try folder.write("A note.\n" + Peer.authority.caPEM + own, to: "all.pem")
        let loaded = try TLSIdentity.load(path: path, keyFile: nil, passphrase: nil)
        #expect(loaded.facts == identity.facts)
        #expect(loaded.subjectUID == "com.example")
        #expect(try shown(loaded, .tls13)?.subjectUID == "com.example")
    }

    @Test func `a written identity is for its owner only`() throws {
        let path = folder.path("own.pem")
        try Peer.authority.identity.writePEM(to: path)
        var status = stat()
        #expect(stat(path, &status) == 0)
        #expect(status.st_mode & 0o777 == 0o600)
    }

    @Test func `a key of another certificate is refused`() throws {
        let path = folder.path("one.pem")
        try Peer.authority.identity.writePEM(to: path)
        let other = folder.path("other.pem")
        try Peer.authority.clientIdentity(commonName: "other").writePEM(to: other)
        #expect(throws: TLSError.keyDoesNotMatch(file: path)) {
            try TLSIdentity(certificateFile: path, keyFile: other, passphrase: nil)
        }
    }

    @Test(arguments: ["", "hello", "0\u{3}abc", "-----BEGIN CERTIFICATE-----\nAAAA\n"])
    func `what is neither form is refused with the file's name`(content: String) throws {
        let path = try folder.write(content, to: "broken")
        let error = #expect(throws: TLSError.self) {
            try TLSIdentity.load(path: path, keyFile: nil, passphrase: nil)
        }
        #expect(error?.description.hasPrefix(path) == true)
    }

    @Test(arguments: [
        (
            #"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"#,
            #"it has \n in two characters"#
        ),
        (
            "\"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\"",
            "it has quotes around it"
        ),
    ])
    func `a certificate that lost its form is told what is wrong`(
        content: String, words: String
    ) throws {
        let path = try folder.write(content, to: "certificate.pem")
        let error = #expect(throws: TLSError.self) {
            try TLSIdentity(certificateFile: path, keyFile: path, passphrase: nil)
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a client without certificate is refused where one is required`(
        version: TLSVersion
    ) throws {
        let client = try Peer.client { $0.maximumVersion = version }
        let server = try Peer.server { $0.clientCertificates = .required }
        var talk = try Dialogue(client: client, server: server)
        let (clientError, serverError) = talk.failure()
        // TLS 1.2 has no alert of its own for it (RFC 5246 §7.4.6).
        let expected: TLSError =
            version == .tls13
            ? .alertReceived("certificate required")
            : .certificateMissing(alert: "handshake failure")
        #expect(clientError == expected && expected.isPermanent)
        #expect(expected.remark == .certificateMissing)
        #expect(serverError == .protocolFailure("peer did not return a certificate"))
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a client's certificate is checked where roots are given`(version: TLSVersion) throws {
        let strangers = try SelfSignedAuthority()
        let server = try Peer.server {
            $0.clientCertificates = .required
            $0.clientRootsPEM = Peer.authority.caPEM
        }
        for (authority, isTrusted) in [(Peer.authority, true), (strangers, false)] {
            let identity = try authority.clientIdentity(commonName: "Push")
            let client = try Peer.client {
                $0.identity = identity
                $0.maximumVersion = version
            }
            var talk = try Dialogue(client: client, server: server)
            let errors = talk.failure()
            #expect((errors.client == nil) == isTrusted)
            #expect((errors.server == nil) == isTrusted)
            if !isTrusted { #expect(errors.client == .alertReceived("unknown CA")) }
        }
    }
}
