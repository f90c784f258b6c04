/// The reason why a TLS connection, a certificate or a key cannot be used, in words for the user.
package enum TLSError: Error, Equatable, Sendable {
    /// The peer's certificate was refused by us.
    case verificationFailed(reason: String, VerificationFault)
    /// The peer refused us with this alert, by its name in RFC 8446 §6.
    case alertReceived(String)
    /// The same where it had asked for a certificate and we had none to show: before TLS 1.3 there is no alert of
    /// its own for that.
    case certificateMissing(alert: String)
    /// The peer ended the connection in the middle of the handshake.
    case closedByPeer
    /// The server chose another application protocol than the one that is needed, or none.
    case wrongApplicationProtocol(chosen: String?, needed: String)
    /// The bytes from the peer are not TLS that we can agree to.
    case protocolFailure(String)
    /// The peer asked for more answers of TLS's own (new keys, renegotiation) than any peer needs.
    case tooManyQuestions
    case cannotRead(file: String, reason: String)
    case cannotWrite(file: String, reason: String)
    /// The file is encrypted and no passphrase was given.
    case passphraseNeeded(file: String)
    case wrongPassphrase(file: String)
    /// The file is encrypted with an algorithm that this OpenSSL does not have.
    case unsupportedEncryption(file: String, reason: String)
    case notAKey(file: String, reason: String)
    case notACertificate(file: String, reason: String)
    /// No certificate of the file belongs to the private key.
    case keyDoesNotMatch(file: String)
    /// A key id, team id or host name that is not valid as one.
    case invalidValue(String)
    /// OpenSSL refused something that does not depend on the input, such as memory.
    case libraryFailure(String)

    /// The part of a refused certificate that is wrong, as far as the user can do something about
    /// it.
    package enum VerificationFault: Equatable, Sendable {
        case name, root, time, other
    }
}

extension TLSError {
    /// True if another connection to the same peer would fail in the same way.
    package var isPermanent: Bool {
        switch self {
        case .alertReceived(let name):
            name == Self.noApplicationProtocol || Self.certificateAlerts.contains(name)
        case .closedByPeer, .protocolFailure, .tooManyQuestions, .libraryFailure:
            false
        case .verificationFailed, .certificateMissing, .wrongApplicationProtocol, .cannotRead,
            .cannotWrite, .passphraseNeeded, .wrongPassphrase, .unsupportedEncryption, .notAKey,
            .notACertificate, .keyDoesNotMatch, .invalidValue:
            true
        }
    }
}

extension TLSError {
    /// True if a file could not be read at all; its content is not judged.
    package var isUnreadableFile: Bool {
        if case .cannotRead = self { true } else { false }
    }
}

extension TLSError {
    /// A further remark about an error.
    ///
    /// Callers that know the settings add which of them may be at fault.
    package enum Remark: Equatable, Sendable {
        /// The certificate is for another name.
        case otherName
        /// The root of the certificate is not trusted.
        case unknownRoot
        /// The certificate is not valid now.
        case time
        /// The peer speaks none of the offered protocols there.
        case noApplicationProtocol
        /// The peer does not speak TLS there, if this is the error of a handshake.
        case noTLS
        /// The peer wants a client certificate, and there is none.
        case certificateMissing
        /// The peer does not want the client certificate that it was shown.
        case certificateRefused
        /// There is no passphrase.
        case passphraseMissing
    }

    /// The remark about it; `nil` where there is none.
    package var remark: Remark? {
        switch self {
        case .verificationFailed(_, .name): .otherName
        case .verificationFailed(_, .root): .unknownRoot
        case .verificationFailed(_, .time): .time
        case .alertReceived(Self.noApplicationProtocol): .noApplicationProtocol
        case .protocolFailure(Self.noTLS): .noTLS
        case .alertReceived("certificate required"), .certificateMissing: .certificateMissing
        case .alertReceived(let name) where Self.certificateAlerts.contains(name):
            .certificateRefused
        case .passphraseNeeded: .passphraseMissing
        default: nil
        }
    }
}

extension TLSError: CustomStringConvertible {
    /// The description of the event; `remark` names the remedy.
    package var description: String {
        switch self {
        case .verificationFailed(let reason, _):
            return "the server's certificate was not accepted: \(reason)"
        case .alertReceived(let name), .certificateMissing(let name):
            return "the peer refused the TLS connection: \(name)"
        case .closedByPeer:
            return "the peer ended the TLS connection during the handshake"
        case .wrongApplicationProtocol(let chosen?, let needed):
            return "the server speaks \(chosen), but \(needed) is needed"
        case .wrongApplicationProtocol(nil, let needed):
            return
                "the server does not say that it speaks HTTP/2 (no ALPN), but \(needed) is needed: "
                + "check host and port, and whether something on the way opens TLS"
        case .protocolFailure(let reason):
            return "TLS failed: \(reason)"
        case .tooManyQuestions:
            return "TLS failed: the peer asked for new keys or a new handshake without end"
        case .libraryFailure(let reason):
            return "OpenSSL failed: \(reason)"
        case .invalidValue(let reason):
            return reason
        case .cannotRead, .cannotWrite, .passphraseNeeded, .wrongPassphrase,
            .unsupportedEncryption, .notAKey, .notACertificate, .keyDoesNotMatch:
            return fileDescription
        }
    }

    /// The alert of a server that has none of the offered protocols. RFC 7301 §3.2
    private static let noApplicationProtocol = "no application protocol"

    /// OpenSSL's word for a record that has no version of TLS in it, or another one than those before it: only that
    /// of a first record means a peer without TLS.
    private static let noTLS = "wrong version number"

    /// The alerts about the certificate that we have shown, or have not. RFC 8446 §6.2
    private static let certificateAlerts: Set = [
        "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
        "certificate unknown", "certificate required", "unknown CA", "access denied",
    ]

    /// The alert that a server has for a missing certificate, and for much else. RFC 5246 §7.4.6
    static let handshakeFailure = "handshake failure"

    private var fileDescription: String {
        switch self {
        case .cannotRead(let file, let reason):
            "\(file) cannot be read: \(reason)"
        case .cannotWrite(let file, let reason):
            "cannot write \(file): \(reason)"
        case .passphraseNeeded(let file):
            "\(file) is encrypted and needs a passphrase"
        case .wrongPassphrase(let file):
            "the passphrase for \(file) is wrong"
        case .unsupportedEncryption(let file, let reason):
            "\(file) uses an old encryption that this OpenSSL does not offer (\(reason)); "
                + "export it again, or convert it with 'openssl pkcs12 -legacy'"
        case .notAKey(let file, let reason):
            "\(file) holds no usable private key: \(reason)"
        case .notACertificate(let file, let reason):
            "\(file) holds no usable certificate: \(reason)"
        case .keyDoesNotMatch(let file):
            "the private key does not belong to the certificate in \(file)"
        case .verificationFailed, .alertReceived, .certificateMissing, .closedByPeer,
            .wrongApplicationProtocol, .protocolFailure, .tooManyQuestions,
            .libraryFailure, .invalidValue:
            preconditionFailure("BUG: not an error about a file")
        }
    }
}
