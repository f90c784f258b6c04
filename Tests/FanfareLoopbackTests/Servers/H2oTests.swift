import Fanfare
import FanfareTestSupport
import Glibc
import Testing

/// h2o: a third implementation of HTTP/2.
@Suite(.enabled(if: ServerProcess.Program.h2o.isAvailable, ServerProcess.Program.h2o.absence))
struct H2oTests {
    @Test func `an answer of 200 is accepted`() throws {
        let folder = try TemporaryFolder()
        let server = try ServerProcess(.h2o, folder: folder) { port in
            try folder.write(
                """
                listen:
                  host: 127.0.0.1
                  port: \(port)
                  ssl:
                    certificate-file: server.pem
                    key-file: server.pem
                num-threads: 1
                \(getuid() == 0 ? "user: root" : "")
                hosts:
                  default:
                    paths:
                      /:
                        mruby.handler: "Proc.new { |request| [200, {}, []] }"
                """, to: "h2o.conf")
            return ["-c", "h2o.conf"]
        }
        let job = try TestJob(rows: Rows.csv(3_000), provider: server.provider, folder: folder)
        job.expectAccounted(3_000)
        #expect(job.report.outcomes == ["accepted": 3_000])
    }
}
