import FanfareTLS
import FanfareTestSupport
import Testing

@Suite struct RS256Tests {
    private func secret(_ text: String) -> Secret {
        Array(text.utf8).withUnsafeBufferPointer { Secret($0) }
    }

    private func signer(_ pem: String) throws -> RS256Signer {
        try RS256Signer(pem: secret(pem), file: "account.json")
    }

    @Test func `the RFC's text has the RFC's signature, each time`() throws {
        let signer = try signer(RFC7515.rsaKey)
        for _ in 0..<2 {
            let signature = try signer.sign(RFC7515.rsaSigningInput)
            #expect(signature.count == 256)
            #expect(Base64URL.encode(signature) == RFC7515.rsaSignature)
        }
    }

    @Test func `another text has another signature`() throws {
        let signature = try signer(RFC7515.rsaKey).sign(RFC7515.rsaSigningInput + " ")
        #expect(Base64URL.encode(signature) != RFC7515.rsaSignature)
        #expect(try signer(RFC7515.rsaKey).sign("").count == 256)
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `a key in the older form of PKCS#1 is the same key`() throws {
        let folder = try TemporaryFolder()
        try folder.write(RFC7515.rsaKey, to: "key.pem")
        try folder.openssl("rsa", "-in", "key.pem", "-traditional", "-out", "old.pem")
        let old = try folder.read("old.pem")
        #expect(old.contains("BEGIN RSA PRIVATE KEY"))
        let signature = try signer(old).sign(RFC7515.rsaSigningInput)
        #expect(Base64URL.encode(signature) == RFC7515.rsaSignature)
    }

    @Test(
        .enabled(if: OpenSSLCommand.exists),
        arguments: [
            (["RSA", "rsa_keygen_bits:1024"], "it has 1024 bits, but RS256 needs 2048 or more"),
            (["RSA", "rsa_keygen_bits:2047"], "it has 2047 bits, but RS256 needs 2048 or more"),
            (
                ["RSA-PSS", "rsa_keygen_bits:2048"],
                "it is a key of the kind RSA-PSS, but RS256 needs RSA"
            ),
            (["EC", "ec_paramgen_curve:P-256"], "it is a key of the kind EC, but RS256 needs RSA"),
        ])
    func `a key that is too short or of another kind is named`(
        kind: [String], reason: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.openssl(
            "genpkey", "-algorithm", kind[0], "-pkeyopt", kind[1], "-out", "key.pem")
        let pem = try folder.read("key.pem")
        #expect(throws: TLSError.notAKey(file: "account.json", reason: reason)) {
            try signer(pem)
        }
    }

    @Test(.enabled(if: OpenSSLCommand.exists))
    func `an encrypted key is refused without a question`() throws {
        let folder = try TemporaryFolder()
        try folder.write(RFC7515.rsaKey, to: "key.pem")
        try folder.openssl(
            "pkcs8", "-topk8", "-in", "key.pem", "-out", "locked.pem", "-passout", "pass:x")
        let pem = try folder.read("locked.pem")
        let reason = "it is encrypted, and there is no passphrase for it"
        #expect(throws: TLSError.notAKey(file: "account.json", reason: reason)) {
            try signer(pem)
        }
    }

    @Test(arguments: ["", "hello", RFC7515.rsaPublicKey])
    func `what is no private key is refused`(text: String) {
        let reason = "there is no 'BEGIN PRIVATE KEY' in it"
        #expect(throws: TLSError.notAKey(file: "account.json", reason: reason)) {
            try signer(text)
        }
    }

    @Test func `a key that is cut off is refused`() {
        let pem = String(RFC7515.rsaKey.dropLast(400))
        let error = #expect(throws: TLSError.self) { try signer(pem) }
        #expect(error?.description.hasPrefix("account.json holds no usable private key: ") == true)
    }

    // MARK: The other side

    @Test func `the RFC's signature is that of the RFC's text and of no other`() throws {
        let verifier = RS256Verifier(signer: try signer(RFC7515.rsaKey))
        let signature = try #require(Base64URL.decode(RFC7515.rsaSignature.utf8))
        let message = Array(RFC7515.rsaSigningInput.utf8)
        #expect(verifier.isValid(signature, of: message))
        #expect(!verifier.isValid(signature, of: message + [0x20]))
        #expect(!verifier.isValid(signature, of: []))
        #expect(!verifier.isValid([], of: message))
        #expect(!verifier.isValid(Array(signature.dropLast()), of: message))
        for place in [0, 100, 255] {
            var other = signature
            other[place] ^= 1
            #expect(!verifier.isValid(other, of: message), "byte \(place)")
        }
    }

    @Test func `a key made on the spot signs, is written and read back`() throws {
        let made = try RS256Signer.generate()
        let pem = try made.privatePEM()
        let text = pem.withBytes { String(decoding: $0, as: UTF8.self) }
        #expect(text.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(text.hasSuffix("-----END PRIVATE KEY-----\n"))
        let message = "header.claims"
        let signature = try signer(text).sign(message)
        #expect(signature.count == 256)
        #expect(try made.sign(message) == signature)
        #expect(RS256Verifier(signer: made).isValid(signature, of: Array(message.utf8)))
        // Another key says no.
        let other = RS256Verifier(signer: try signer(RFC7515.rsaKey))
        #expect(!other.isValid(signature, of: Array(message.utf8)))
    }

    @Test func `no way of printing a signer shows its key`() throws {
        let signer = try signer(RFC7515.rsaKey)
        var dumped = ""
        dump(signer, to: &dumped)
        for shown in ["\(signer)", String(reflecting: signer), dumped] {
            #expect(!shown.contains("MII") && !shown.contains("PRIVATE"))
        }
    }
}
