import COpenSSL
import FanfareTLS
import FanfareTestSupport
import Glibc
import Testing

@Suite struct VerificationTests {
    private func reason(_ error: TLSError?) -> String? {
        if case .verificationFailed(let reason, let fault) = error {
            return fault == .other ? nil : reason
        }
        return nil
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a certificate for another name is refused by both`(version: TLSVersion) throws {
        var talk = try Dialogue(
            client: Peer.client { $0.maximumVersion = version }, server: Peer.server(),
            name: "push.example.com")
        let (client, server) = talk.failure()
        #expect(reason(client) == "hostname mismatch")
        #expect(server == .alertReceived("bad certificate"))
    }

    @Test(arguments: ["127.0.0.1", "::1", "localhost", "LOCALHOST"])
    func `names and addresses of the certificate are accepted`(name: String) throws {
        var talk = try Dialogue(client: Peer.client(), server: Peer.server(), name: name)
        try talk.shake()
        let isDone = talk.clientDone
        #expect(isDone)
    }

    @Test func `another address is refused`() throws {
        var talk = try Dialogue(client: Peer.client(), server: Peer.server(), name: "127.0.0.2")
        #expect(reason(talk.failure().client) == "IP address mismatch")
    }

    @Test func `an unknown root is refused with advice`() throws {
        var talk = try Dialogue(client: Peer.client { $0.caPEM = nil }, server: Peer.server())
        let (client, server) = talk.failure()
        #expect(reason(client) == "unable to get local issuer certificate")
        #expect(client?.remark == .unknownRoot)
        #expect(server == .alertReceived("unknown CA"))
    }

    @Test func `a certificate that has run out is refused`() throws {
        let now = Int64(time(nil))
        let old = try SelfSignedAuthority(validity: now - 7200...now - 3600)
        var talk = try Dialogue(
            client: Peer.client { $0.caPEM = old.caPEM }, server: Peer.server(old))
        let (client, server) = talk.failure()
        #expect(reason(client) == "certificate has expired")
        #expect(server == .alertReceived("certificate expired"))
    }

    @Test func `a certificate of tomorrow is refused`() throws {
        let now = Int64(time(nil))
        let early = try SelfSignedAuthority(validity: now + 3600...now + 7200)
        var talk = try Dialogue(
            client: Peer.client { $0.caPEM = early.caPEM }, server: Peer.server(early))
        #expect(reason(talk.failure().client) == "certificate is not yet valid")
    }

    @Test func `without verification every certificate will do`() throws {
        let client = try Peer.client {
            $0.caPEM = nil
            $0.verification = .none
        }
        var talk = try Dialogue(client: client, server: Peer.server(), name: "push.example.com")
        try talk.shake()
        let isDone = talk.clientDone
        #expect(isDone)
        var nameless = try Dialogue(client: client, server: Peer.server(), name: nil)
        try nameless.shake()
        let isNamelessDone = nameless.clientDone
        #expect(isNamelessDone)
    }

    @Test func `verification needs a name`() throws {
        let context = try Peer.client()
        #expect(throws: TLSError.self) { _ = try TLSSession(context: context, serverName: nil) }
    }

    @Test(arguments: ["", "a b", "localhost\u{0}.example.com", "ä.example", "[::1]"])
    func `what cannot be a host name is refused`(name: String) throws {
        let context = try Peer.client()
        #expect(throws: TLSError.self) { _ = try TLSSession(context: context, serverName: name) }
    }

    @Test func `roots are read from a file`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("ca.pem")
        try Peer.authority.writeCA(to: path)
        let client = try Peer.client {
            $0.caPEM = nil
            $0.caFile = path
        }
        var talk = try Dialogue(client: client, server: Peer.server())
        try talk.shake()
        let isDone = talk.clientDone
        #expect(isDone)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `the system's bundle is searched when a root is looked for`(version: TLSVersion) throws {
        let folder = try TemporaryFolder()
        // A bundle has many roots, and some text between them.
        let other = try SelfSignedAuthority()
        let path = try folder.write(
            "# Other\n" + other.caPEM + "# Ours\n" + Peer.authority.caPEM, to: "bundle.pem")
        let client = try Peer.client {
            $0.caPEM = nil
            $0.systemRootsFile = path
            $0.maximumVersion = version
        }
        // Twice, because the second search finds the root in the store. Nothing is resumed.
        for name in ["localhost", "127.0.0.1"] {
            var talk = try Dialogue(client: client, server: Peer.server(), name: name)
            try talk.shake()
            let isDone = talk.clientDone
            #expect(isDone)
        }
        let stranger = try SelfSignedAuthority()
        var talk = try Dialogue(client: client, server: Peer.server(stranger), name: "::1")
        let error = talk.failure().client
        #expect(error?.remark == .unknownRoot)
    }

    @Test func `an absent bundle is an untrusted server`() throws {
        let client = try Peer.client {
            $0.caPEM = nil
            $0.systemRootsFile = "/nowhere/bundle.pem"
        }
        var talk = try Dialogue(client: client, server: Peer.server())
        #expect(reason(talk.failure().client) == "unable to get local issuer certificate")
    }

    @Test func `a root file that is absent or empty is named`() throws {
        let folder = try TemporaryFolder()
        let absent = folder.path("absent.pem")
        #expect(throws: TLSError.cannotRead(file: absent, reason: "no such file or directory")) {
            _ = try Peer.client { $0.caFile = absent }
        }
        let empty = try folder.write("", to: "empty.pem")
        #expect(throws: TLSError.self) { _ = try Peer.client { $0.caFile = empty } }
    }
}

@Suite struct ApplicationProtocolTests {
    @Test(arguments: TLSSessionTests.versions)
    func `a client without h2 is refused by the server`(version: TLSVersion) throws {
        let client = try Peer.client {
            $0.alpn = ["http/1.1"]
            $0.maximumVersion = version
        }
        var talk = try Dialogue(client: client, server: Peer.server())
        let (clientError, serverError) = talk.failure()
        #expect(clientError == .alertReceived("no application protocol"))
        #expect(serverError == .protocolFailure("no application protocol"))
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server that chooses another protocol is refused`(version: TLSVersion) throws {
        let client = try Peer.client {
            $0.alpn = ["h2", "http/1.1"]
            $0.maximumVersion = version
        }
        let server = try Peer.server { $0.alpn = "http/1.1" }
        var talk = try Dialogue(client: client, server: server)
        let expected = TLSError.wrongApplicationProtocol(chosen: "http/1.1", needed: "h2")
        #expect(talk.failure().client == expected)
    }

    /// RFC 9113 §3.2: over TLS, HTTP/2 is agreed on by ALPN.
    @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
    func `a server that says nothing of HTTP2 is refused`(version: Int32) throws {
        let server = try RawTLS(Peer.authority, isServer: true, version: version) {
            SSL_CTX_set_alpn_select_cb($0, nil, nil)
        }
        var client = try TLSSession(context: Peer.client(), serverName: "localhost")
        let error = #expect(throws: TLSError.self) { try server.shake(with: &client) }
        #expect(error == .wrongApplicationProtocol(chosen: nil, needed: "h2"))
        #expect(error?.isPermanent == true)
        #expect(error?.description.contains("is needed") == true)
    }

    @Test(arguments: TLSSessionTests.versions, [nil, "h2", "http/1.1"] as [String?])
    func `a client that speaks both takes what the server chooses, or nothing`(
        version: TLSVersion, choice: String?
    ) throws {
        let client = try Peer.client {
            $0.alpn = ["h2", "http/1.1"]
            $0.takesAnyProtocol = true
            $0.maximumVersion = version
        }
        guard let choice else {
            let server = try RawTLS(
                Peer.authority, isServer: true,
                version: version == .tls12 ? TLS1_2_VERSION : TLS1_3_VERSION
            ) {
                SSL_CTX_set_alpn_select_cb($0, nil, nil)
            }
            var session = try TLSSession(context: client, serverName: "localhost")
            try server.shake(with: &session)
            #expect(session.negotiatedALPN == nil)
            return
        }
        var talk = try Dialogue(client: client, server: Peer.server { $0.alpn = choice })
        try talk.shake()
        #expect(talk.client.negotiatedALPN == choice)
    }

    @Test func `h2 is found among others`() throws {
        let client = try Peer.client { $0.alpn = ["h2", "h2c", "h3", "http/1.1"] }
        var talk = try Dialogue(client: client, server: Peer.server())
        try talk.shake()
        #expect(talk.server.negotiatedALPN == "h2")
    }
}

@Suite struct ResumptionTests {
    @Test(arguments: TLSSessionTests.versions)
    func `the second connection to a name resumes the first`(version: TLSVersion) throws {
        let client = try Peer.client { $0.maximumVersion = version }
        let server = try Peer.server()
        for attempt in 0..<3 {
            var talk = try Dialogue(client: client, server: server)
            try talk.shake()
            #expect(talk.client.isResumed == (attempt > 0))
            #expect(talk.server.isResumed == (attempt > 0))
            let arrived = try Dialogue.transfer(
                [1, 2, 3], from: &talk.client, to: &talk.server)
            #expect(arrived == [1, 2, 3])
            if attempt == 1 { talk.client.closeNotify() }
        }
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a session is not used for another name`(version: TLSVersion) throws {
        let client = try Peer.client { $0.maximumVersion = version }
        let server = try Peer.server()
        var first = try Dialogue(client: client, server: server)
        try first.shake()
        var second = try Dialogue(client: client, server: server, name: "127.0.0.1")
        try second.shake()
        let isResumed = second.client.isResumed
        #expect(!isResumed)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `a server that has forgotten makes a full handshake`(version: TLSVersion) throws {
        let client = try Peer.client { $0.maximumVersion = version }
        var first = try Dialogue(client: client, server: Peer.server())
        try first.shake()
        var second = try Dialogue(client: client, server: Peer.server())
        try second.shake()
        let isResumed = second.client.isResumed
        #expect(!isResumed)
        let isDone = second.clientDone
        #expect(isDone)
    }

    @Test(arguments: TLSSessionTests.versions)
    func `client certificates and resumption go together`(version: TLSVersion) throws {
        let identity = try Peer.authority.clientIdentity(commonName: "Push", userID: "com.example")
        let client = try Peer.client {
            $0.maximumVersion = version
            $0.identity = identity
        }
        let server = try Peer.server { $0.clientCertificates = .required }
        for attempt in 0..<2 {
            var talk = try Dialogue(client: client, server: server)
            try talk.shake()
            #expect(talk.server.isResumed == (attempt > 0))
            #expect(talk.server.peerCertificate?.subjectUID == "com.example")
        }
    }
}
