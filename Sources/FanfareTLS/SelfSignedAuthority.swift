internal import COpenSSL
import Glibc

/// A certificate authority made on the spot, with a server certificate that it has issued.
///
/// It is for the simulator and for tests. Its keys are made for each instance and never leave the
/// process, unless `TLSIdentity.writePEM` writes them.
package struct SelfSignedAuthority: Sendable {
    /// The server's certificate and key.
    package let identity: TLSIdentity
    /// The authority's certificate, to be trusted by clients.
    package let caPEM: String

    private let issuer: CertificateBuilder.Issuer

    /// Names by which a server on this machine is reached.
    package static let localNames = ["localhost", "127.0.0.1", "::1"]

    /// The validity from a day ago, because clocks differ, for a year.
    package static var defaultValidity: ClosedRange<Int64> {
        let now = Int64(time(nil))
        return now - 86_400...now + 365 * 86_400
    }

    /// Makes an authority and a server certificate.
    /// - Parameters:
    ///   - names: Host names and addresses that the server certificate is for.
    ///   - validity: The validity of the server certificate, in seconds since 1970.
    /// - Throws: `TLSError.invalidValue` about a name.
    package init(
        names: [String] = localNames, validity: ClosedRange<Int64> = defaultValidity
    ) throws(TLSError) {
        let key = try Key.generate()
        let authority = try CertificateBuilder.build(
            CertificateBuilder.Request(
                commonName: "Fanfare test authority", key: key,
                validity: Self.defaultValidity,
                extensions: [
                    (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"),
                    (NID_key_usage, "critical,keyCertSign,cRLSign"),
                    (NID_subject_key_identifier, "hash"),
                ]),
            issuer: nil)
        issuer = CertificateBuilder.Issuer(certificate: authority, key: key)
        caPEM = try unsafe MemoryBIO.text { unsafe PEM_write_bio_X509($0, authority.handle) == 1 }

        for name in names where !IPAddress.isOne(name) && !IPAddress.isHostName(name) {
            throw .invalidValue("'\(name)' is not a host name")
        }
        let alternatives = names.map { (IPAddress.isOne($0) ? "IP:" : "DNS:") + $0 }
        identity = try issuer.issue(
            commonName: names.first ?? "localhost", userID: nil, validity: validity,
            extensions: [
                (NID_subject_alt_name, alternatives.joined(separator: ",")),
                (NID_ext_key_usage, "serverAuth"),
            ])
    }

    /// Issues a client certificate like those of a push service.
    /// - Parameters:
    ///   - commonName: The name for people.
    ///   - userID: The subject's UID, which is the default topic at APNs.
    ///   - validity: The validity in seconds since 1970.
    /// - Returns: The certificate with a key of its own.
    /// - Throws: `TLSError.libraryFailure`.
    package func clientIdentity(
        commonName: String, userID: String? = nil,
        validity: ClosedRange<Int64> = defaultValidity
    ) throws(TLSError) -> TLSIdentity {
        try issuer.issue(
            commonName: commonName, userID: userID, validity: validity,
            extensions: [(NID_ext_key_usage, "clientAuth")])
    }

    /// Writes the authority's certificate where a client's `--ca-file` can find it.
    /// - Throws: `TLSError.cannotWrite`.
    package func writeCA(to path: String) throws(TLSError) {
        try Secret(text: caPEM).write(to: path, mode: 0o644)
    }
}
