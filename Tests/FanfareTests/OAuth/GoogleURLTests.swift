import Testing

@testable import Fanfare

@Suite struct GoogleURLTests {
    private func fault(_ text: String) -> GoogleURL.Fault? {
        do throws(GoogleURL.Fault) {
            _ = try GoogleURL(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(
        arguments: [
            ("https://oauth2.googleapis.com/token", "oauth2.googleapis.com", 443, "/token"),
            ("https://sts.googleapis.com/v1/token", "sts.googleapis.com", 443, "/v1/token"),
            ("HTTPS://STS.GoogleAPIs.com:443/v1/token", "sts.googleapis.com", 443, "/v1/token"),
            (
                "https://accounts.google.com/o/oauth2/token", "accounts.google.com", 443,
                "/o/oauth2/token"
            ),
            ("https://us-east1.sts.googleapis.com/", "us-east1.sts.googleapis.com", 443, "/"),
            ("https://us-east1-sts.googleapis.com/", "us-east1-sts.googleapis.com", 443, "/"),
            ("https://sts.us-east1.googleapis.com/", "sts.us-east1.googleapis.com", 443, "/"),
            ("https://sts.mtls.googleapis.com/", "sts.mtls.googleapis.com", 443, "/"),
            ("https://sts-xyz.p.googleapis.com/", "sts-xyz.p.googleapis.com", 443, "/"),
            (
                "https://sts.us-east1.rep.googleapis.com/", "sts.us-east1.rep.googleapis.com", 443,
                "/"
            ),
            (
                "https://www.googleapis.com/oauth2/v4/token", "www.googleapis.com", 443,
                "/oauth2/v4/token"
            ),
            (
                "https://www.googleapis.com/oauth2/v3/token", "www.googleapis.com", 443,
                "/oauth2/v3/token"
            ),
            (
                "https://accounts.google.com/o/oauth2/v2/token", "accounts.google.com", 443,
                "/o/oauth2/v2/token"
            ),
            (
                "https://iamcredentials.googleapis.com/v1/a@b.c:generate",
                "iamcredentials.googleapis.com", 443, "/v1/a@b.c:generate"
            ),
            ("https://localhost:8443/t", "localhost", 8443, "/t"),
            ("https://127.0.0.2/t", "127.0.0.2", 443, "/t"), ("https://[::1]:1/t", "::1", 1, "/t"),
        ] as [(String, String, UInt16, String)])
    func `Google and this machine may be asked`(
        text: String, host: String, port: UInt16, path: String
    ) throws {
        let url = try GoogleURL(text)
        #expect(url.endpoint == Endpoint(host: host, port: port))
        #expect(url.path == path && url.text == text)
        #expect(url.isGoogles == host.hasSuffix(".com"))
    }

    @Test func `this machine may be asked in the clear`() throws {
        let url = try GoogleURL("http://127.0.0.1:8080/token")
        #expect(url.endpoint == Endpoint(host: "127.0.0.1", port: 8080, usesTLS: false))
        #expect(try GoogleURL("http://localhost/token").endpoint.port == 80)
    }

    @Test(arguments: [
        "evil.example", "googleapis.com", "googleapis.com.evil.example", "evilgoogleapis.com",
        "accounts.google.com.evil.example", "xaccounts.google.com", "google.com", "10.0.0.1",
        "169.254.169.254", "128.0.0.1", "localhost.evil.example", "0x7f.1",
        "oauth2.googleapis.com-evil.example", "storage.googleapis.com",
        "firebasestorage.googleapis.com", "sts.storage.googleapis.com.evil.example",
        "bucket.storage.googleapis.com", "sts.storage.googleapis.com", "sts.a.b.googleapis.com",
        "www.googleapis.com", "accounts.google.com",
    ])
    func `nobody else may`(host: String) {
        #expect(fault("https://\(host)/token") == .otherHost(host))
        #expect(fault("http://\(host)/token") == .otherHost(host))
    }

    @Test(arguments: [
        ("www.googleapis.com", "/oauth2/v4/token/"), ("www.googleapis.com", "/oauth2/v1/userinfo"),
        ("www.googleapis.com", "/storage/v1/b/bucket/o/token"),
        ("www.googleapis.com", "/OAuth2/v4/token"), ("accounts.google.com", "/o/oauth2/revoke"),
    ])
    func `hosts that do more than give tokens are asked at their old addresses alone`(
        host: String, path: String
    ) {
        #expect(fault("https://\(host)\(path)") == .otherHost(host))
    }

    @Test(arguments: [
        "http://oauth2.googleapis.com/token", "https://oauth2.googleapis.com:8443/token",
        "http://oauth2.googleapis.com:443/token", "http://accounts.google.com:80/o/oauth2/token",
    ])
    func `Google is asked by https at its usual port`(text: String) {
        #expect(fault(text) == .otherPort)
    }

    @Test(arguments: [
        "", "oauth2.googleapis.com", "https://oauth2.googleapis.com", "ftp://x.googleapis.com/",
        "file:///etc/passwd", "https:///token", "https://u@x.googleapis.com/",
        "https://.googleapis.com/",
        "https://evil.example@x.googleapis.com/t", "https://evil.example\\.googleapis.com/t",
        "https://evil.example#.googleapis.com/t", "https://evil.example?.googleapis.com/t",
        "https://evil.example%2f.googleapis.com/t", "https://x.googleapis.com./t",
        "https://x..googleapis.com/t", "https://x.googleapis.com:/t",
        "https://x.googleapis.com:0/t",
        "https://x.googleapis.com:65536/t", "https://x.googleapis.com:44 3/t",
        "https://x.googleapis.com/a b", "https://x.googleapis.com/a\r\nb",
        "https://x.googleapis.com/é",
        "https://é.googleapis.com/", "https://[::1/t", "https://[localhost]/t",
        "https://x.googleapis.com/?a", "https://www.googleapis.com/oauth2/../storage/token",
        "https://www.googleapis.com/oauth2/%2e%2E/storage/token",
        "https://sts.googleapis.com/v1/.%2e/token",
        "https://x.googleapis.com/" + String(repeating: "a", count: 2048),
    ])
    func `what could be read in two ways is no URL`(text: String) {
        #expect(fault(text) == .malformed)
    }
}
