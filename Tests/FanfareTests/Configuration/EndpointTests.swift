import Testing

@testable import Fanfare

@Suite struct EndpointTests {
    @Test(
        arguments: [
            ("gateway.example", 443, true, "gateway.example", "https://gateway.example"),
            ("gateway.example", 2197, true, "gateway.example:2197", "https://gateway.example:2197"),
            ("gateway.example", 80, true, "gateway.example:80", "https://gateway.example:80"),
            ("gateway.example", 80, false, "gateway.example", "http://gateway.example"),
            ("gateway.example", 443, false, "gateway.example:443", "http://gateway.example:443"),
            ("127.0.0.1", 8443, true, "127.0.0.1:8443", "https://127.0.0.1:8443"),
            ("::1", 443, true, "[::1]", "https://[::1]"),
            ("::1", 8443, true, "[::1]:8443", "https://[::1]:8443"),
        ] as [(String, UInt16, Bool, String, String)])
    func `the authority has brackets and a port where they are needed`(
        host: String, port: UInt16, usesTLS: Bool, authority: String, url: String
    ) {
        let endpoint = Endpoint(host: host, port: port, usesTLS: usesTLS)
        #expect(endpoint.authority == authority)
        #expect(endpoint.description == url)
    }

    @Test func `Apple's hosts are those of the documentation`() {
        #expect(Endpoint.apns(.production, port: 443).authority == "api.push.apple.com")
        #expect(
            Endpoint.apns(.sandbox, port: 2197).authority == "api.sandbox.push.apple.com:2197")
        #expect(Endpoint.apns(.sandbox, port: 443).usesTLS)
    }
}
