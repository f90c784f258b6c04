package import FanfareBase
package import FanfareTLS

/// The text of an error of TLS for people who have set the connection up.
extension TLSError {
    /// The error, and the settings to look at.
    package var statement: Statement {
        remark.map { "\(description) (\($0.advice))" } ?? Statement(description)
    }

    /// The error that stops a job that reads its keys and certificates.
    var jobError: FanfareError {
        FanfareError(isUnreadableFile ? .input : .configuration, statement)
    }

    /// The error of a job that cannot read the file of a secret.
    var inputError: FanfareError { FanfareError(.input, statement) }
}

extension TLSError.Remark {
    fileprivate var advice: Statement {
        switch self {
        case .otherName: "the certificate is for another name: check the host in \(.endpoint)"
        case .unknownRoot:
            "if you trust this server, give its root with \(.caFile); "
                + "for a public server install the system's ca-certificates"
        case .time: "check this machine's clock, or have the server's certificate renewed"
        case .noHTTP2: "it does not speak HTTP/2 there: check host and port"
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
