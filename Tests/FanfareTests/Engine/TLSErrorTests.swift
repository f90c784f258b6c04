import FanfareBase
import FanfareTLS
import Testing

@testable import Fanfare

/// The advice of an error of TLS about the settings of a job.
@Suite struct TLSErrorTests {
    @Test(
        arguments: [
            (
                .verificationFailed(reason: "r", .name),
                "the server's certificate was not accepted: r (the certificate is for another name: "
                    + "check the host in <endpoint>; a name that it has as its common name alone does not "
                    + "count, it needs a subjectAltName)"
            ),
            (
                .verificationFailed(reason: "r", .root),
                "the server's certificate was not accepted: r (if you trust this server, give its root "
                    + "with <caFile>; for a public server install the system's ca-certificates)"
            ),
            (
                .verificationFailed(reason: "r", .time),
                "the server's certificate was not accepted: r (check this machine's clock, or have the "
                    + "server's certificate renewed)"
            ),
            (
                .verificationFailed(reason: "r", .other),
                "the server's certificate was not accepted: r"
            ),
            (
                .alertReceived("no application protocol"),
                "the peer refused the TLS connection: no application protocol (it does not speak "
                    + "HTTP/2 "
                    + "there: check host and port)"
            ),
            (
                .protocolFailure("wrong version number"),
                "TLS failed: wrong version number (it does not speak TLS there: check host and port "
                    + "in <endpoint>; http:// is for servers of this machine without TLS)"
            ),
            (.protocolFailure("bad record"), "TLS failed: bad record"),
            (
                .alertReceived("certificate required"),
                "the peer refused the TLS connection: certificate required (it wants a client "
                    + "certificate: give one with <certificate>)"
            ),
            (
                .certificateMissing(alert: "handshake failure"),
                "the peer refused the TLS connection: handshake failure (it wants a client "
                    + "certificate: give one with <certificate>)"
            ),
            (
                .alertReceived("unknown CA"),
                "the peer refused the TLS connection: unknown CA (it means the client certificate: "
                    + "check <certificate>)"
            ),
            (
                .alertReceived("internal error"),
                "the peer refused the TLS connection: internal error"
            ),
            (
                .passphraseNeeded(file: "k.pem"),
                "k.pem is encrypted and needs a passphrase (<passphraseFile>)"
            ),
            (.wrongPassphrase(file: "k.pem"), "the passphrase for k.pem is wrong"),
        ] as [(TLSError, String)])
    func `an error says what to look at`(error: TLSError, text: String) {
        #expect(error.statement.text(.options { "<\($0)>" }) == text)
    }

    @Test(
        arguments: [
            (.http2, "it does not speak HTTP/2 there"),
            (.http1, "it does not speak HTTP/1.1 there"),
            (.either, "it speaks neither HTTP/2 nor HTTP/1.1 there"),
        ] as [(HTTPVersions, String)])
    func `a peer without the protocol is told of what was offered`(
        versions: HTTPVersions, text: String
    ) {
        let failure = ConnectionError.tls(.alertReceived("no application protocol"), versions)
            .failure
        let said = failure.text.text(.options { "<\($0)>" })
        #expect(said.hasSuffix(" (\(text): check host and port)"))
    }

    @Test func `a peer that has spoken TLS is not said to speak none`() {
        let error = TLSError.protocolFailure("wrong version number")
        #expect(
            ConnectionError.tlsBroken(error).failure
                == .transient("TLS failed: wrong version number"))
        #expect(ConnectionError.tls(error).failure == .transient(error.statement))
    }
}
