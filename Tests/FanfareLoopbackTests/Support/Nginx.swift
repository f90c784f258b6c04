import Fanfare
import FanfareTestSupport
import Glibc
import Testing

/// An nginx of one test, with an access log that knows each request's row.
final class Nginx {
    let server: ServerProcess
    private let folder: TemporaryFolder

    /// Starts it with these settings and locations in its `server` block.
    ///
    /// By default everything is answered with 200, over TLS and in HTTP/2 or HTTP/1.1.
    init(
        folder: TemporaryFolder, _ settings: String = "",
        locations: String = "location / { return 200; }", usesTLS: Bool = true
    ) throws {
        self.folder = folder
        server = try ServerProcess(.nginx, folder: folder) { port in
            try folder.write(
                Self.configuration(port, settings + "\n" + locations, usesTLS: usesTLS),
                to: "nginx.conf")
            return ["-p", folder.url.path, "-c", folder.path("nginx.conf")]
        }
    }

    var provider: ProviderOptions { server.provider }

    /// The count of requests for each token with each status, once the server has ended.
    func requests() -> [Request: Int] {
        #expect(server.shutDown(), "a killed server's log may lack what it has answered")
        return folder.text(of: "access.log").split(separator: "\n").reduce(into: [:]) {
            count, line in
            let fields = line.split(separator: " ")
            guard fields.count == 2, let token = fields[0].split(separator: "/").last else {
                return
            }
            count[Request(token: String(token), status: String(fields[1])), default: 0] += 1
        }
    }

    struct Request: Hashable {
        let token: String
        let status: String
    }

    private static func configuration(
        _ port: UInt16, _ settings: String, usesTLS: Bool
    ) -> String {
        // One process, so that to end it is to end the server. nginx drops root's rights unless
        // it is told to keep them, and the folder is ours alone.
        """
        daemon off;
        master_process off;
        \(getuid() == 0 ? "user root;" : "")
        pid nginx.pid;
        error_log error.log;
        events { worker_connections 256; }
        http {
            log_format row '$uri $status';
            access_log access.log row;
            client_body_temp_path bodies;
            default_type application/json;
            server {
                listen 127.0.0.1:\(port)\(usesTLS ? " ssl http2" : "");
                ssl_certificate server.pem;
                ssl_certificate_key server.pem;
                \(settings)
            }
        }
        """
    }
}
