import FanfareTLS
import FanfareTestSupport
import Foundation
import Testing

@testable import Fanfare

/// Signatures by Standard Webhooks.
@Suite struct WebhookKeyTests {
    // The vector of https://www.standardwebhooks.com/verify, which is also in the tests of its
    // libraries.
    private static let body = Array(#"{"event_type":"ping","data":{"success":true}}"#.utf8)
    private static let signature = "v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0="

    @Test(arguments: ["whsec_plJ3nmyCDGBKInavdOK15jsl", "plJ3nmyCDGBKInavdOK15jsl"])
    func `the published vector is signed as published`(text: String) throws {
        let key = try #require(WebhookKey(Secret(text)))
        #expect(
            key.signature(
                id: "msg_loFOjxBNrRLzqYUf", seconds: 1_731_705_121, body: Self.body)
                == Self.signature)
    }

    @Test(arguments: ["", "whsec_", "whsec_not base64!", "whsec_A", "abc="])
    func `other text is no key`(text: String) {
        #expect(WebhookKey(Secret(text)) == nil)
    }

    /// The specification: "between 24 bytes (192 bits) and 64 bytes (512 bits)"; shorter ones are in use.
    @Test(arguments: [(15, false), (16, true), (24, true), (64, true), (65, false)])
    func `a key has 16 to 64 bytes`(count: Int, isKey: Bool) {
        let text = Data(repeating: 7, count: count).base64EncodedString()
        #expect((WebhookKey(Secret("whsec_\(text)")) != nil) == isKey)
    }

    @Test func `the first line of a file is the key`() throws {
        let folder = try TemporaryFolder()
        try folder.write("whsec_plJ3nmyCDGBKInavdOK15jsl\nremark\n", to: "key")
        let key = try WebhookKey(file: folder.path("key"))
        #expect(
            key.signature(
                id: "msg_loFOjxBNrRLzqYUf", seconds: 1_731_705_121, body: Self.body)
                == Self.signature)
        try folder.write("-----BEGIN PRIVATE KEY-----\n", to: "pem")
        let path = folder.path("pem")
        let error = #expect(throws: FanfareError.self) { try WebhookKey(file: path) }
        #expect(
            error?.message
                == "\(path) has no key of a webhook on its first line, which is whsec_ and Base64 of "
                + "16 to 64 bytes; openssl rand -base64 32 makes one")
    }
}
