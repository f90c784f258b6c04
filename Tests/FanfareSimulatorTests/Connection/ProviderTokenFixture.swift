import FanfareTLS
import Glibc

/// A key made on the spot: provider tokens, and what checks them.
struct ProviderTokenFixture {
    let signer: ProviderTokenSigner
    let verifier: ProviderTokenVerifier

    init() throws {
        var path = Array("/tmp/fanfare-key-XXXXXX".utf8CString)
        close(mkstemp(&path))
        let file = String(decoding: path.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        defer { unlink(file) }
        try SelfSignedAuthority().identity.writePEM(to: file)
        signer = try ProviderTokenSigner(keyFile: file, keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
        verifier = ProviderTokenVerifier(signer: signer)
    }
}
