import Fanfare
import FanfareTLS
import FanfareTestSupport
import Testing

/// Certificate authentication, as APNs has it: nginx asks for a client certificate of its authority
/// and answers 400 without one.
@Suite(.enabled(if: ServerProcess.Program.nginx.isAvailable, ServerProcess.Program.nginx.absence))
struct NginxClientCertificateTests {
    private let folder: TemporaryFolder
    private let nginx: Nginx

    init() throws {
        folder = try TemporaryFolder()
        try TestAuthority.shared.writeCA(to: folder.path("ca.pem"))
        let client = try TestAuthority.shared.clientIdentity(
            commonName: "Apple Push Services: com.example.app", userID: "com.example.app")
        try client.writePEM(to: folder.path("client.pem"))
        nginx = try Nginx(
            folder: folder, "ssl_client_certificate ca.pem; ssl_verify_client on;")
    }

    private func run(_ credentials: Credentials) throws -> TestJob {
        var provider = nginx.provider
        provider.credentials = credentials
        return try TestJob(rows: Rows.csv(1_000), provider: provider, folder: folder)
    }

    @Test func `a PEM file with certificate and key is shown to the server`() throws {
        let job = try run(
            .certificate(file: folder.path("client.pem"), keyFile: nil, passphraseFile: nil))
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000])
    }

    @Test func `the key may lie in an encrypted file of its own`() throws {
        try folder.write("secret words\n", to: "passphrase.txt")
        try folder.openssl(
            "pkcs8", "-topk8", "-in", "client.pem", "-out", "key.pem", "-passout",
            "file:passphrase.txt")
        try folder.openssl("x509", "-in", "client.pem", "-out", "certificate.pem")
        let job = try run(
            .certificate(
                file: folder.path("certificate.pem"), keyFile: folder.path("key.pem"),
                passphraseFile: folder.path("passphrase.txt")))
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000])
    }

    @Test(arguments: [[], ["-legacy"]])
    func `a PKCS12 file opens with its passphrase, also one of an old program`(
        options: [String]
    ) throws {
        try folder.write("secret words\n", to: "passphrase.txt")
        try folder.openssl(
            [
                "pkcs12", "-export", "-in", "client.pem", "-out", "client.p12", "-passout",
                "file:passphrase.txt",
            ] + options)
        let job = try run(
            .certificate(
                file: folder.path("client.p12"), keyFile: nil,
                passphraseFile: folder.path("passphrase.txt")))
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["accepted": 1_000])
    }

    @Test func `without a certificate no row is taken`() throws {
        // nginx completes the handshake and answers each request with a page of HTML.
        var provider = nginx.provider
        provider.credentials = .none
        let job = try TestJob(rows: Rows.csv(1_000), provider: provider, folder: folder) {
            $0.engine.attemptsMax = 1
        }
        job.expectAccounted(1_000)
        #expect(job.report.outcomes == ["failed": 1_000])
        #expect(try job.report.line(1)["status"] == "400")
    }
}
