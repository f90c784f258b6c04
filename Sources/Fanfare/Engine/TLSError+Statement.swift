package import FanfareBase
package import FanfareTLS

/// The text of an error of TLS for people who have set the connection up.
extension TLSError {
    /// The error, and the settings to look at.
    package var statement: Statement { statement(offering: .http2) }

    /// The same where these versions of HTTP were offered.
    package func statement(offering versions: HTTPVersions) -> Statement {
        remark.map { "\(description) (\($0.advice(versions)))" } ?? Statement(description)
    }

    /// The error that stops a job that reads its keys and certificates.
    var jobError: FanfareError {
        FanfareError(isUnreadableFile ? .input : .configuration, statement)
    }

    /// The error of a job that cannot read the file of a secret.
    var inputError: FanfareError { FanfareError(.input, statement) }
}

extension TLSError.Remark {
    fileprivate func advice(_ versions: HTTPVersions) -> Statement {
        switch self {
        case .otherName:
            "the certificate is for another name: check the host in \(.endpoint); a name that it has as "
                + "its common name alone does not count, it needs a subjectAltName"
        case .unknownRoot:
            "if you trust this server, give its root with \(.caFile); "
                + "for a public server install the system's ca-certificates"
        case .time: "check this machine's clock, or have the server's certificate renewed"
        case .noApplicationProtocol:
            switch versions {
            case .http2: "it does not speak HTTP/2 there: check host and port"
            case .http1: "it does not speak HTTP/1.1 there: check host and port"
            case .either: "it speaks neither HTTP/2 nor HTTP/1.1 there: check host and port"
            }
        case .noTLS:
            "it does not speak TLS there: check host and port in \(.endpoint); http:// is for "
                + "servers of this machine without TLS"
        case .certificateMissing:
            "it wants a client certificate: give one with \(.certificate)"
        case .certificateRefused: "it means the client certificate: check \(.certificate)"
        case .passphraseMissing: "\(.passphraseFile)"
        }
    }
}
