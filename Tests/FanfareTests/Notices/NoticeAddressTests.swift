import FanfareCore
import Testing

@testable import Fanfare

@Suite struct NoticeAddressTests {
    @Test func `an address keeps its path and does not show it`() throws {
        let address = try NoticeAddress("https://hooks.example.com/services/T0/B0/SECRET?a=b")
        #expect(address.path == "/services/T0/B0/SECRET?a=b")
        #expect(
            address.endpoint == Endpoint(host: "hooks.example.com", port: 443, usesTLS: true))
        #expect("\(address)" == "https://hooks.example.com")
    }

    @Test(arguments: [
        ("no hook B0-12345", true), ("unknown SECRET+PART/1", true), ("secret+part/1", true),
        ("unknown bot12345678", true), ("bad SECRET%2BPART%2F1", true), ("key=VALUE-789", true),
        // Another character of Swift's, and the same bytes.
        ("no hook B0-12345\u{301}", true), ("no hook of T0", false), ("invalid_payload", false),
        ("B0-1234", false), ("", false),
    ])
    func `a part of the address that may be a secret is found in a text`(
        text: String, isThere: Bool
    ) throws {
        let address = try NoticeAddress(
            "https://hooks.example.com/T0/B0-12345/SECRET%2BPART%2F1/bot12345678:AA?key=VALUE-789")
        #expect(address.isRepeated(in: Array(text.utf8)) == isThere, "\(text)")
    }

    @Test func `in the clear only this machine is told`() throws {
        #expect(try NoticeAddress("http://127.0.0.1:9093/hook").endpoint.port == 9093)
        #expect(throws: DeclaredURL.Fault.notEncrypted) {
            try NoticeAddress("http://alerts.example.com/hook")
        }
    }

    @Test(arguments: [
        ("hooks.example.com/x", DeclaredURL.Fault.malformed), ("ftp://example.com/", .malformed),
        ("https://user:password@example.com/", .user), ("https://example.com/#part", .fragment),
        ("", .malformed),
    ])
    func `other text is none`(text: String, fault: DeclaredURL.Fault) {
        #expect(throws: fault) { try NoticeAddress(text) }
    }
}
