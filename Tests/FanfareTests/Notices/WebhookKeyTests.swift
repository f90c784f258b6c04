import FanfareTLS
import FanfareTestSupport
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

    @Test(arguments: ["", "whsec_", "whsec_not base64!", "whsec_A"])
    func `other text is no key`(text: String) {
        #expect(WebhookKey(Secret(text)) == nil)
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
                == "\(path) has no key of a webhook on its first line, which is whsec_ and Base64")
    }
}
