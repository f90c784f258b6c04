import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// A command that crashes leaves no file with keys and tokens in it and writes none, unless it is allowed
/// to.
@Suite struct CoreDumpRunTests {
    /// Swift's runtime, where it is installed, writes the memory that registers point to, 16 bytes
    /// each.
    @Test(arguments: [SIGSEGV, SIGABRT, SIGTRAP])
    func `a command that crashes does not write what is in its memory`(signal: Int32) throws {
        let tool = try CommandLineTool()
        let run = try tool.start(["simulate", "--listen", "127.0.0.1:0", "--cleartext"])
        #expect(Poll.until(seconds: 30) { (run.output + run.errors).contains("127.0.0.1:") })
        // Only what is handled by the process itself is in the list of the kernel.
        let status = try String(
            contentsOfFile: "/proc/\(run.process.id)/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("SigCgt:") })
        let caught = try #require(UInt64(line.dropFirst(7).filter(\.isHexDigit), radix: 16))
        #expect(caught & 1 << UInt64(signal - 1) == 0)
        run.process.send(signal)
        let result = run.end()
        #expect(result.exitCode == -signal)
        for text in [result.output, result.errors] {
            #expect(!text.contains("crashed") && !text.contains("Registers"))
        }
    }

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
