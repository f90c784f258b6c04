import FanfareCore
import Testing

@Suite struct ProxyRefusalTests {
    private func text(_ refusal: ProxyRefusal, isAuthenticated: Bool = false) -> String {
        refusal.text(
            proxy: "proxy.example:3128", target: "api.push.apple.com:443",
            isAuthenticated: isAuthenticated
        ).description
    }

    @Test func `rules and passwords do not change with the next connection`() {
        #expect(ProxyRefusal.authentication(schemes: ["Basic"]).isPermanent)
        for status in [401, 403, 405] { #expect(ProxyRefusal.status(status).isPermanent) }
        // A proxy that restarts, or cannot reach the provider now, may do better.
        for refusal in [.status(502), .status(429), .notHTTP([0]), .tooLong] as [ProxyRefusal] {
            #expect(!refusal.isPermanent)
        }
    }

    @Test func `a message names the proxy, and the host where that matters`() {
        let all: [ProxyRefusal] = [
            .authentication(schemes: []), .status(302), .status(400), .status(403), .status(418),
            .status(429), .status(502), .notHTTP([0x15]), .notHTTP([0x41]), .tooLong,
        ]
        for refusal in all { #expect(text(refusal).contains("proxy.example:3128")) }
        #expect(text(.status(403)).contains("api.push.apple.com:443"))
        #expect(text(.status(502)).contains("cannot reach"))
    }

    @Test func `a demand for a password says what to do about it`() {
        #expect(text(.authentication(schemes: ["Basic"])).contains("Proxy.credentials"))
        let wrong = text(.authentication(schemes: ["basic"]), isAuthenticated: true)
        #expect(wrong.contains("refuses") && text(.status(401)).contains("refuses"))
        let other = text(.authentication(schemes: ["NTLM", "Negotiate"]))
        #expect(other.contains("NTLM or Negotiate") && other.contains("Basic only"))
    }

    @Test func `what it speaks instead is shown without what a terminal would obey`() {
        #expect(text(.notHTTP(Array("SSH-2.0-OpenSSH_9".utf8))).contains("'SSH-2.0-Open'"))
        #expect(text(.notHTTP([0x1B, 0x5B, 0x32, 0x4A])).contains("'.[2J'"))
        #expect(text(.notHTTP([0x15, 3, 3])).contains("wants TLS"))
    }
}
