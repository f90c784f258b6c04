import FanfareBase
import FanfareCore
import FanfareTLS
import Testing

@testable import Fanfare

/// Files whose rows name hosts, and whose proof any of them could get.
@Suite struct BrokenHostFileTests {
    /// A file whose rows name their hosts.
    private static func hooks(_ hosts: String, auth: String, request: String = "") -> String {
        """
        {"fanfare_provider": 1, "name": "example",
         "settings": {"key": {"secret": true}, "user": {"default": "u"}},
         "origin": {"column": "url", "allow_hosts": [\(hosts)]},
         "auth": \(auth),
         "request": {"method": "POST"\(request)},
         "answer": {"rules": [{"status": 200, "outcome": "accepted"}], "otherwise": {"outcome": "rejected"}}}
        """
    }

    private static let proof = #"{"kind": "header", "name": "x-key", "value": "${secret:key}"}"#
    private static let none = #"{"kind": "none"}"#

    @Test(arguments: [
        (hooks(#""*""#, auth: proof), "auth of the kind header"),
        (hooks(#"".com""#, auth: proof), "auth of the kind header"),
        (
            hooks(#""*""#, auth: ##"{"kind": "basic", "user": "u", "password": "${secret:key}"}"##),
            "auth of the kind basic"
        ),
        (
            hooks(#""*""#, auth: ##"{"kind": "bearer_file", "file": "${set:user}"}"##),
            "auth of the kind bearer_file"
        ),
        (
            hooks(#""*""#, auth: none, request: ##", "headers": {"x-key": "${secret:key}"}"##),
            "${secret:key}"
        ),
        (
            hooks(
                #""*""#, auth: none,
                request: ##", "body": {"rows": [{"key": "k ${secret:key}", "a": "${row:a?}"}]}"##),
            "${secret:key}"
        ),
        (
            hooks(
                #""*""#, auth: none,
                request: ##", "encoding": "form", "body": {"key": "${secret:key}"}"##),
            "${secret:key}"
        ),
    ])
    func `no proof goes to any host that a row may name`(text: String, proof: String) throws {
        let faults = ProviderFile.faults(of: text)
        try #require(faults.count == 1, "\(faults)")
        #expect(faults[0].place.pointer.text == "/origin/allow_hosts/0")
        #expect(faults[0].place.line == 3)
        #expect(faults[0].text.contains("could get \(proof), which is good at the others"))
    }

    /// The owner of a domain has the hosts below it, and a signature gives no key away.
    @Test(arguments: [
        hooks(#""a.example.org", ".notify.example.com:*""#, auth: proof),
        hooks(
            #""*""#,
            auth:
                ##"{"kind": "hmac", "hash": "sha256", "key": "${secret:key}", "over": ["${body}"], "##
                + ##""as": "hex", "use": "x-signature", "also": {"x-user": "${set:user}"}}"##),
    ])
    func `named hosts and signatures are right`(text: String) {
        #expect(
            ProviderFile.faults(of: text).allSatisfy { $0.place.pointer.text == "/settings/user" })
    }

    @Test func `a job's hosts are no way around that`() throws {
        let text = Self.hooks(
            #""a.example.org""#, auth: Self.proof, request: ##", "body": {"a": "${set:user}"}"##)
        let file = try ProviderFile(Array(text.utf8), name: "example.json")
        for (host, isRight) in [("*", false), (".org:*", false), (".example.org", true)] {
            var provider = try ProviderOptions(
                file, ProviderSettings(file.provider, given: [], secrets: [("key", Secret("k"))]))
            provider.allowedHosts = [host]
            do throws(FanfareError) {
                _ = try provider.declaredForHosts()
                #expect(isRight, "\(host)")
            } catch {
                #expect(!isRight)
                #expect(error.code == .configuration)
                #expect(
                    error.message.contains(
                        "allowedHosts: '\(host)' stands for hosts of anyone, and each that a row names "
                            + "could get auth of the kind header of example"), "\(error.message)")
            }
        }
    }
}
