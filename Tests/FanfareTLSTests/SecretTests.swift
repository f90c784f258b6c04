import FanfareTLS
import FanfareTestSupport
import Glibc
import Testing

@Suite struct SecretTests {
    private func text(_ secret: Secret) -> String {
        secret.withBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("opensesame", "opensesame"), ("opensesame\n", "opensesame"),
        ("opensesame\r\n", "opensesame"), ("a\n\n", "a"), (" a ", " a "), ("", ""), ("\n", ""),
        ("\u{FEFF}a\r\n", "a"), ("a\nb\n", "a"), ("a\r\nb", "a"), ("\na", ""), ("a\rb", "a\rb"),
    ])
    func `it is the first line of a file, without its end`(
        content: String, expected: String
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(content, to: "secret")
        #expect(text(try Secret(firstLineOfFile: path)) == expected)
    }

    @Test func `it comes from the environment`() throws {
        setenv("FANFARE_TLS_TEST_SECRET", "opensesame", 1)
        #expect(text(try Secret(environment: "FANFARE_TLS_TEST_SECRET")) == "opensesame")
        #expect(throws: TLSError.self) { try Secret(environment: "FANFARE_TLS_TEST_ABSENT") }
    }

    @Test func `it is put together from texts and another secret, or taken out of bytes`() {
        var bytes = Array("opensesame".utf8)
        let taken = Secret(wiping: &bytes)
        #expect(bytes.isEmpty)
        #expect(text(taken) == "opensesame")
        #expect(text(Secret("Basic ", taken, "\r\n")) == "Basic opensesame\r\n")
        #expect(text(Secret("", taken, "")) == "opensesame")
    }

    @Test func `it is a text, or all of a file`() throws {
        #expect(text(Secret("é\n")) == "é\n" && text(Secret("")) == "")
        let folder = try TemporaryFolder()
        let path = try folder.write("a\r\nb\n", to: "secret")
        #expect(text(try Secret(wholeFile: path)) == "a\r\nb\n")
        // Editors of Windows write a mark.
        try folder.write("\u{FEFF}{\"a\": 1}", to: "secret")
        #expect(text(try Secret(wholeFile: path)) == "{\"a\": 1}")
        #expect(throws: TLSError.self) { try Secret(wholeFile: folder.path("absent")) }
    }

    @Test func `no way of printing shows it`() throws {
        setenv("FANFARE_TLS_TEST_PRINTED", "opensesame", 1)
        let secret = try Secret(environment: "FANFARE_TLS_TEST_PRINTED")
        var dumped = ""
        dump(secret, to: &dumped)
        for shown in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(shown.contains("‹secret›"))
            #expect(!shown.contains("opensesame"))
        }
    }

    @Test func `it is equal to its own bytes alone`() {
        let secret = Secret("opensesame")
        #expect(secret.isEqual(to: Array("opensesame".utf8)))
        for text in ["", "opensesam", "opensesamE", "Opensesame", "opensesame\0"] {
            #expect(!secret.isEqual(to: Array(text.utf8)), "\(text)")
        }
        #expect(Secret("").isEqual(to: []))
    }

    @Test func `a file that is too large is refused`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(String(repeating: "a", count: 1024 * 1024 + 1), to: "large")
        #expect(throws: TLSError.self) { try Secret(firstLineOfFile: path) }
    }

    // RFC 4648 §10
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
        ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
    ])
    func `its Base64 is that of the RFC`(plain: String, expected: String) {
        let secret = Array(plain.utf8).withUnsafeBufferPointer { Secret($0) }
        #expect(text(secret.base64) == expected)
    }
}
