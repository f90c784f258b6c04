import FanfareJSON
import FanfareTestSupport
import Testing

/// nginx once more, where HTTP/1.1 is spoken.
@Suite(.enabled(if: ServerProcess.Program.nginx.isAvailable, ServerProcess.Program.nginx.absence))
struct NginxHTTP1Tests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try TestAuthority.shared.writeCA(to: tool.folder.path("ca.pem"))
    }

    /// The number of requests of a load test that were answered with 200.
    private func answered(
        by nginx: Nginx, count: Int, usesTLS: Bool = true, _ options: String...
    ) throws -> Int64? {
        let address = "127.0.0.1:\(nginx.server.port)"
        let endpoint =
            usesTLS ? ["https://\(address)", "--ca-file", "ca.pem"] : ["http://\(address)"]
        try tool.run(
            ["bench", "--endpoint"] + endpoint + [
                "--count", "\(count)", "--in-flight", "4", "--path", "/x", "--summary",
                "bench.json",
                "--progress", "none",
            ] + options
        ).expect(0)
        var text = tool.folder.text(of: "bench.json")
        let json = try text.withUTF8 { try JSONValue.parse($0) }
        guard case .array(let steps) = json["steps"],
            case .integer(let count)? = steps.first?["statuses"]?["200"]
        else { return nil }
        return count
    }

    @Test(arguments: [true, false], ["1.1", "auto"])
    func `requests are answered with TLS and without`(usesTLS: Bool, http: String) throws {
        let nginx = try Nginx(folder: tool.folder, usesTLS: usesTLS)
        let answered = try answered(by: nginx, count: 400, usesTLS: usesTLS, "--http", http)
        #expect(answered == 400)
        #expect(nginx.requests() == [.init(token: "x", status: "200"): 400])
    }

    @Test(arguments: [100, 7, 1])
    func `a server that closes after so many requests loses and repeats nothing`(
        requests limit: Int
    ) throws {
        let count = limit == 1 ? 100 : 400
        let nginx = try Nginx(folder: tool.folder, "keepalive_requests \(limit);")
        #expect(try answered(by: nginx, count: count, "--http", "1.1") == Int64(count))
        #expect(nginx.requests() == [.init(token: "x", status: "200"): count])
    }

    /// A page is sent in chunks where its length is not known before, as with server-side includes.
    @Test func `an answer in chunks is an answer`() throws {
        try tool.folder.write("<!--# echo var=\"uri\" -->", to: "page.html")
        let nginx = try Nginx(
            folder: tool.folder,
            locations: "location = /x { ssi on; default_type text/html; alias page.html; }")
        #expect(try answered(by: nginx, count: 100, "--http", "1.1") == 100)
    }

    @Test func `a body is taken by POST`() throws {
        try tool.folder.write(String(repeating: "x", count: 60_000), to: "body.txt")
        let nginx = try Nginx(folder: tool.folder, usesTLS: false)
        let answered = try answered(
            by: nginx, count: 50, usesTLS: false, "--http", "1.1", "--body-file", "body.txt")
        #expect(answered == 50)
    }
}
