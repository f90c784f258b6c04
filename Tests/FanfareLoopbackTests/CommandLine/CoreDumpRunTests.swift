import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A command that crashes leaves no file with keys and tokens in it, unless it is allowed to.
@Suite struct CoreDumpRunTests {
    @Test(arguments: [false, true])
    func `a command that crashes leaves its memory only if that is allowed`(isAllowed: Bool) throws
    {
        let tool = try CommandLineTool()
        let variable = isAllowed ? "FANFARE_CORE_DUMPS=1" : "FANFARE_CORE_DUMPS="
        let server = try ChildProcess(
            "/bin/sh",
            [
                "-c", #"ulimit -c unlimited; exec env SWIFT_BACKTRACE=enable=no "$0" "$@""#,
                variable, CommandLineTool.path,
            ]
                + ["simulate", "--listen", "127.0.0.1:0", "--cleartext"],
            output: tool.folder.path("out"), errors: tool.folder.path("err"),
            directory: tool.folder.url.path)
        let isUp = Poll.until(seconds: 30) {
            (tool.folder.text(of: "out") + tool.folder.text(of: "err")).contains("127.0.0.1:")
        }
        #expect(isUp)
        server.send(SIGSEGV)
        _ = server.waitUntilExit()
        let files = try FileManager.default.contentsOfDirectory(atPath: tool.folder.url.path)
        let hasCore = files.contains { $0.hasPrefix("core") }
        // Elsewhere the kernel may put it somewhere else, or the system may forbid it.
        guard isAllowed else { return #expect(!hasCore) }
        let pattern = try String(contentsOfFile: "/proc/sys/kernel/core_pattern", encoding: .utf8)
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        if pattern == "core\n" && limit.rlim_max == rlim_t.max { #expect(hasCore) }
    }
}
