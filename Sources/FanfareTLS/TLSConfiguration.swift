/// The newest version of TLS to agree to.
///
/// The oldest is always 1.2.
package enum TLSVersion: Sendable {
    case tls12, tls13
}

/// The settings that a client needs before its first connection.
package struct ClientTLSConfiguration: Sendable {
    /// The proof of identity that the server has to give.
    package enum Verification: Sendable {
        /// Chain, dates and name.
        case full
        /// Nothing: anyone on the way can read and change everything.
        case none
    }

    /// A PEM file of roots that are trusted besides the system's.
    package var caFile: String?
    /// PEM text of roots that are trusted besides the system's.
    package var caPEM: String?
    /// The PEM file with the system's roots; nil means where OpenSSL looks for it.
    package var systemRootsFile: String?
    package var verification: Verification = .full
    /// The identity to show to a server that asks for a certificate.
    package var identity: TLSIdentity?
    /// The application protocols to offer.
    ///
    /// The first is the one that is needed: a server that chooses another, or none, is refused, unless
    /// `takesAnyProtocol`.
    package var alpn: [String] = ["h2"]
    /// True if a server may choose any of `alpn`, or none: for a client that also speaks HTTP/1.1,
    /// which needs no agreement.
    package var takesAnyProtocol = false
    package var maximumVersion: TLSVersion = .tls13

    package init() {}
}

/// The settings that a server needs before its first connection.
package struct ServerTLSConfiguration: Sendable {
    /// The rule for the certificates of clients.
    package enum ClientCertificates: Sendable {
        case ignored
        /// Clients may show one.
        case requested
        /// A client without one is refused.
        case required
    }

    package var identity: TLSIdentity
    package var clientCertificates: ClientCertificates = .ignored
    /// PEM text of the roots that clients' certificates must lead to; nil accepts every certificate,
    /// as a simulator may do.
    package var clientRootsPEM: String?
    /// The application protocol.
    ///
    /// A client that offers others only is refused.
    ///
    /// RFC 7301 §3.2
    package var alpn = "h2"
    package var maximumVersion: TLSVersion = .tls13

    package init(identity: TLSIdentity) {
        self.identity = identity
    }
}
