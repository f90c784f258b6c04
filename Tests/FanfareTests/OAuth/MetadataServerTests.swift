import FanfareBase
import Testing

@testable import Fanfare

@Suite struct MetadataServerTests {
    @Test func `the token is asked for with the scope of FCM, in the clear`() throws {
        let request = try MetadataServer().tokenRequest
        #expect(request.question == .metadata && request.method == "GET")
        #expect(
            request.endpoint
                == Endpoint(host: "metadata.google.internal", port: 80, usesTLS: false))
        // As google-auth 2.62.2 has it.
        #expect(
            request.path == "/computeMetadata/v1/instance/service-accounts/default/token"
                + "?scopes=https%3A%2F%2Fwww.googleapis.com%2Fauth%2Ffirebase.messaging")
        #expect(request.lines == ["metadata-flavor: Google"])
        #expect(request.body == nil)
    }

    @Test func `the project is asked for, too`() throws {
        let request = try MetadataServer().projectRequest
        #expect(request.method == "GET")
        #expect(request.path == "/computeMetadata/v1/project/project-id")
        #expect(request.lines == ["metadata-flavor: Google"])
    }

    @Test(
        arguments: [
            (UInt16(200), "example-1", "example-1"), (404, "example-1", nil), (200, "<html>", nil),
            (200, "", nil), (200, "a\nb", nil),
        ] as [(UInt16, String, String?)])
    func `the answer is the project's id and nothing else`(
        status: UInt16, body: String, expected: String?
    ) {
        var body = body
        #expect(body.withUTF8 { MetadataServer.project(status: status, body: $0) } == expected)
    }

    @Test(
        arguments: [
            ("metadata.google.internal", 80), ("METADATA.google.internal:80", 80), ("metadata", 80),
            ("169.254.169.254", 80), ("127.0.0.1:8080", 8080), ("localhost:9", 9), ("[::1]:9", 9),
        ] as [(String, UInt16)])
    func `the environment may name another one of its hosts, or this machine`(
        host: String, port: UInt16
    ) throws {
        let endpoint = try MetadataServer(host: host).endpoint
        #expect(endpoint.port == port && !endpoint.usesTLS)
    }

    @Test(arguments: [
        "", "evil.example", "10.0.0.1", "169.254.169.254:8080", "metadata.google.internal.evil",
        "metadata@evil.example", "metadata/x", "http://metadata",
    ])
    func `and nothing else`(host: String) {
        let error = fanfareError { _ = try MetadataServer(host: host) }
        #expect(error?.message.hasPrefix("GCE_METADATA_HOST is '\(host)', and ") == true)
    }
}
