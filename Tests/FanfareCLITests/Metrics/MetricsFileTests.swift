import FanfareBase
import FanfareLoop
import FanfareTestSupport
import Foundation
import Testing

@testable import FanfareCLI

/// The file of metrics as its reader sees it, while it is replaced again and again.
@Suite struct MetricsFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test func `no reader sees half of a version`() throws {
        let file = try MetricsFile(folder.path("job.prom"))
        // As long as many pages of memory, so that a write in place would be seen in parts.
        let line = String(repeating: "x", count: 100) + "\n"
        var version = 0
        file.show {
            version += 1
            let text = String(repeating: "\(version) \(line)", count: 2000)
            return "first \(version)\n" + text + "last \(version)\n"
        }
        let path = folder.path("job.prom")
        let reader = Thread {
            while !Thread.current.isCancelled {
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                    Issue.record("the file is not there")
                    return
                }
                let first = text.prefix { $0 != "\n" }.dropFirst("first ".count)
                #expect(text.hasSuffix("\nlast \(first)\n"))
            }
        }
        reader.start()
        for _ in 0..<300 { file.write() }
        reader.cancel()
        #expect(Poll.until(seconds: 60) { reader.isFinished })
        #expect(version == 301)
        #expect(folder.text(of: "job.prom").hasPrefix("first 301\n"))
        // Nothing is left beside it.
        #expect(try names() == ["job.prom"])
    }

    @Test func `the last version has the end of the job`() throws {
        let file = try MetricsFile(folder.path("job.prom"))
        file.show { "fanfare_rows_total 7\n" }
        file.end(exitCode: 143)
        let lines = folder.text(of: "job.prom").split(separator: "\n")
        #expect(lines.first == "fanfare_rows_total 7")
        #expect(lines.contains("fanfare_exit_code 143"))
        #expect(lines.contains { $0.hasPrefix("fanfare_end_time_seconds 1") })
        #expect(try names() == ["job.prom"])
    }

    @Test func `a link is followed, and its permissions are kept`() throws {
        try FileManager.default.createDirectory(
            atPath: folder.path("collector"), withIntermediateDirectories: false)
        try folder.write("old\n", to: "collector/real.prom")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640], ofItemAtPath: folder.path("collector/real.prom"))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path("job.prom"), withDestinationPath: "collector/real.prom")
        let file = try MetricsFile(folder.path("job.prom"))
        file.show { "new\n" }
        #expect(folder.text(of: "collector/real.prom") == "new\n")
        let attributes = try FileManager.default.attributesOfItem(
            atPath: folder.path("collector/real.prom"))
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        let link = try FileManager.default.destinationOfSymbolicLink(
            atPath: folder.path("job.prom"))
        #expect(link == "collector/real.prom")
    }

    /// As it does for the versions of the file, and for the record of a running job.
    @Test func `what is done again and again is done until it is canceled`() throws {
        let loop = try EventLoop()
        var count = 0
        var work: Recurrence?
        work = Recurrence(every: .milliseconds(1), on: loop) {
            count += 1
            if count == 5 {
                work?.cancel()
                loop.stop()
            }
        }
        loop.run()
        #expect(count == 5)
        // Nothing is armed any more: the loop ends by itself.
        var isOver = false
        let end = LoopTimer(loop: loop) {
            isOver = true
            loop.stop()
        }
        end.schedule(at: loop.now.advanced(by: .milliseconds(20)))
        loop.run()
        #expect(isOver && count == 5)
    }
}
