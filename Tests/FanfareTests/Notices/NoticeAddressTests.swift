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
