import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// The end of a job whose files are not what it takes them for.
@Suite struct FileFaultRunTests {
    private let tool: CommandLineTool
    private let rowCount = 5_000

    init() throws {
        tool = try CommandLineTool()
        try tool.folder.write(Rows.csv(rowCount), to: "rows.csv")
    }

    /// A job that takes five seconds, once its report has lines.
    private func runningJob(_ more: [String] = []) throws -> CommandLineTool.Run {
        let run = try tool.start(
            ["send", "rows.csv", "--rate", "1000/s"] + more + CommandLineTool.simulator)
        #expect(
            Poll.until(seconds: 30) {
                tool.folder.text(of: "fanfare-report.csv").utf8.count > 10_000
            })
        return run
    }

    private var report: String { tool.folder.path("fanfare-report.csv") }

    @Test func `a report that is removed while the job runs is told, with code 4`() throws {
        let run = try runningJob()
        unlink(report)
        run.end().expect(4, says: "fanfare-report.csv was removed while the job ran")
    }

    @Test func `a report that is moved away while the job runs is told, with code 4`() throws {
        let run = try runningJob()
        rename(report, report + ".1")
        run.end().expect(4, says: "fanfare-report.csv was moved away while the job ran")
        let lines = tool.folder.text(of: "fanfare-report.csv.1").split(separator: "\n").count
        #expect(lines > 1 && lines < rowCount)
    }

    @Test func `a report that is cut while the job runs is told, with code 4`() throws {
        let run = try runningJob()
        truncate(report, 100)
        run.end().expect(4, says: "it was changed while the job ran")
    }

    @Test func `a checkpoint that is removed while the job runs is told, with code 4`() throws {
        let run = try runningJob()
        unlink(report + ".checkpoint")
        let result = run.end()
        result.expect(
            4, says: "fanfare-report.csv.checkpoint was removed while the job ran", "--suppress")
        #expect(!result.errors.contains("To carry on"))
        let lines = tool.folder.text(of: "fanfare-report.csv").split(separator: "\n").count
        #expect(lines > 1 && lines < rowCount)
    }

    @Test(arguments: ["fanfare-report.csv", "dead.csv", "fanfare-report.csv.checkpoint"])
    func `a file that was moved away is moved back, and the job is carried on`(
        name: String
    ) throws {
        let side = ["--unregistered", "dead.csv", "--retry-rows", "again.csv"]
        let run = try runningJob(side)
        let path = tool.folder.path(name)
        rename(path, path + ".1")
        let result = run.end()
        result.expect(4, says: "\(name) was moved away while the job ran", "move it back")
        #expect(!result.errors.contains("To carry on"))
        rename(path + ".1", path)
        try tool.run(["send", "rows.csv", "--resume"] + side + CommandLineTool.simulator)
            .expect(0)
        let lines = tool.folder.text(of: "fanfare-report.csv").split(separator: "\n").count
        #expect(lines == rowCount + 1)
    }

    @Test(arguments: ["report removed", "report cut", "other removed"])
    func `what cannot be carried on is not said to be, and what to do is`(fault: String) throws {
        let side = ["--unregistered", "dead.csv", "--retry-rows", "again.csv"]
        let run = try runningJob(side)
        switch fault {
        case "report removed": unlink(report)
        case "report cut": truncate(report, 1000)
        default: unlink(tool.folder.path("dead.csv"))
        }
        let result = run.end()
        result.expect(4, says: "the job cannot be carried on")
        #expect(!result.errors.contains("To carry on"))
        #expect(result.errors.contains("--suppress") == (fault != "report removed"))
        let again = try tool.run(
            ["send", "rows.csv", "--resume"] + side + CommandLineTool.simulator)
        again.expect(2, says: "fanfare-report.csv")
        if fault == "other removed" { again.expect(2, says: "move it back", "--suppress") }
    }

    @Test func `a checkpoint that is cut while the job runs ends it with code 4`() throws {
        let run = try runningJob()
        truncate(report + ".checkpoint", 65_536)
        run.end().expect(4, says: "the job's checkpoint was cut short while the job ran")
        try tool.send("rows.csv", "--resume").expect(2, says: "is damaged")
    }

    // MARK: No room

    /// Runs a command line in a shell.
    private func shell(_ script: String, _ arguments: [String]) throws -> CommandLineTool.Result {
        let (output, errors) = (UUID().uuidString, UUID().uuidString)
        let process = try ChildProcess(
            "/bin/sh", ["-c", script, CommandLineTool.path] + arguments,
            output: tool.folder.path(output), errors: tool.folder.path(errors),
            directory: tool.folder.url.path)
        return .init(
            exitCode: process.waitUntilExit(), output: tool.folder.text(of: output),
            errors: tool.folder.text(of: errors))
    }

    /// The checkpoint has 128 KiB, or 256 of the shell's blocks, before the first row is sent.
    @Test(arguments: ["f.csv", "f.csv.gz", "f.ndjson", "f.sqlite", "f.csv --report-split 100KB"])
    func `a job that has no room to begin is begun by --resume`(report: String) throws {
        try tool.folder.write(Rows.csv(100), to: "few.csv")
        for blocks in [0, 1, 2, 7, 8, 9, 16, 17, 24, 25, 26, 127, 128, 129, 200, 255] {
            let words =
                ["send", "few.csv", "--report"] + report.split(separator: " ").map(String.init)
                + ["--retry-rows", "again.csv"] + CommandLineTool.simulator
            let first = try shell("ulimit -f \(blocks); exec \"$0\" \"$@\"", words)
            #expect(first.exitCode == 4, "\(blocks) blocks: \(first.errors)")
            let second = try tool.run(words + ["--resume"])
            #expect(second.exitCode == 0, "\(blocks) blocks: \(second.errors)")
            #expect(second.errors.contains("accepted"), "\(blocks) blocks: \(second.errors)")
            for name in try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
            where name.hasPrefix("f.") || name.hasPrefix("again") {
                #expect(!name.hasSuffix(".checkpoint"), "\(blocks) blocks")
                unlink(tool.folder.path(name))
            }
        }
    }

    @Test(
        arguments: [
            ["report", "r.csv"], ["report", "r.csv", "--json"],
            ["report", "r.csv", "r.csv", "--compare"],
            ["send", "rows.csv", "--topic", "a.b", "--alert", "hi", "--print-config"], ["man"],
            ["completions", "bash"], ["explain", "410"], ["--version"], ["--help"],
        ])
    func `a full disk behind standard output is code 4`(words: [String]) throws {
        try tool.folder.write(
            "row,id,token,provider,outcome,status,reason,message_id,attempts,latency_ms,"
                + "unregistered_at,sent_at\n"
                + "1,,aa,apns,accepted,200,,,1,1.000,,2026-01-01T00:00:00.000Z\n", to: "r.csv")
        let result = try shell("exec \"$0\" \"$@\" > /dev/full", words)
        result.expect(4, says: "standard output cannot be written: no space left on device")
    }

    // MARK: Whose files

    @Test(arguments: ["--summary", "--html", "--log", "--retry-rows", "--unregistered", "--report"])
    func `no output may be a file that the job reads`(output: String) throws {
        let folder = tool.folder
        let reads = [
            "--key": "k.p8", "--payload": "p.json", "--simulator-scenario": "s.json",
            "--suppress": "list.csv", "--seed-list": "seeds.csv", "--config": "c.json",
            "--proxy-credentials-file": "pass.txt", "--ca-file": "ca.pem",
            "--certificate": "c.pem", "--certificate-key": "ck.pem", "--passphrase-file": "pp.txt",
        ]
        for (option, name) in reads {
            let text = option == "--config" ? "{}" : "precious"
            try folder.write(text, to: name)
            unlink(folder.path("link"))
            unlink(folder.path("twin"))
            try folder.link("link", to: folder.path(name))
            try folder.hardLink("twin", to: folder.path(name))
            var words = ["send", "rows.csv", option, name, "--overwrite"]
            switch option {
            case "--key": words += ["--key-id", "ABCDEFGHIJ", "--team-id", "ABCDEFGHIJ"]
            case "--certificate-key", "--passphrase-file": words += ["--certificate", "c.pem"]
            case "--simulator-scenario": words += ["--provider", "simulator"]
            default: break
            }
            let others = option == "--key" ? ["./" + name, "link", "twin"] : []
            for path in [name] + others {
                try tool.run(words + [output, path])
                    .expect(2, says: "would replace \(name), which \(option) reads")
                #expect(folder.text(of: name) == text)
            }
        }
        try tool.run("send", "rows.csv", output, "./rows.csv", "--overwrite")
            .expect(2, says: "would replace rows.csv, which is read")
    }

    /// Runs it with a file on standard input.
    private func run(_ words: [String], from input: String) throws -> CommandLineTool.Result {
        try CommandLineTool.Run(words, folder: tool.folder, input: tool.folder.path(input)).end()
    }

    @Test(arguments: ["--summary", "--html", "--log", "--retry-rows", "--unregistered", "--report"])
    func `no output may be the file that standard input is`(output: String) throws {
        try tool.folder.hardLink("twin.csv", to: tool.folder.path("rows.csv"))
        for words in [["send"], ["send", "-"]] {
            for path in ["rows.csv", "./twin.csv"] {
                let command = words + [output, path, "--overwrite"] + CommandLineTool.simulator
                try run(command, from: "rows.csv")
                    .expect(2, says: "would replace the file on standard input, which is read")
            }
        }
        // Nor may what is no list of rows be lost.
        try tool.folder.write("{}", to: "p.json")
        let words = ["send", "rows.csv", "--payload", "-", output, "p.json", "--overwrite"]
        try run(words + ["--provider", "simulator", "--topic", "a.b"], from: "p.json")
            .expect(2, says: "would replace the file on standard input, which --payload reads")
        #expect(tool.folder.text(of: "p.json") == "{}")
        #expect(tool.folder.text(of: "rows.csv") == Rows.csv(rowCount))
    }

    @Test func `no part of a report is on standard input`() throws {
        try tool.folder.write(Rows.csv(3), to: "o-2.csv")
        let words = ["send", "--report", "o.csv", "--report-split", "100KB", "--overwrite"]
        try run(words + CommandLineTool.simulator, from: "o-2.csv")
            .expect(2, says: "the file on standard input is a part of the report")
        #expect(tool.folder.text(of: "o-2.csv") == Rows.csv(3))
        #expect(!tool.folder.exists("o.csv"))
    }

    @Test func `reports and rows to check are kept on standard input, too`() throws {
        try run(["check", "--alert", "x", "--summary", "rows.csv"], from: "rows.csv")
            .expect(2, says: "would replace the file on standard input, which is read")
        #expect(tool.folder.text(of: "rows.csv") == Rows.csv(rowCount))
        try tool.folder.write(Rows.csv(3), to: "few.csv")
        try tool.send("few.csv", "--report", "r.csv").expect(0)
        let report = tool.folder.text(of: "r.csv")
        for words in [["--html", "r.csv"], ["--output", "r.csv", "--overwrite"]] {
            try run(["report", "-"] + words, from: "r.csv")
                .expect(2, says: "would replace the file on standard input, which is read")
            #expect(tool.folder.text(of: "r.csv") == report)
        }
        // A file that nothing is read from may be overwritten.
        let command = ["send", "few.csv", "--summary", "rows.csv"] + CommandLineTool.simulator
        try run(command, from: "rows.csv").expect(0)
    }

    @Test func `no output may be another one, whether it is there or not`() throws {
        try tool.send("rows.csv", "--summary", "x.json", "--log", "./x.json")
            .expect(2, says: "--summary and --log name the same file")
        try tool.send("rows.csv", "--log", "r.csv.checkpoint", "--report", "r.csv")
            .expect(2, says: "name the same file")
        try tool.folder.write("", to: "y")
        try tool.send("rows.csv", "--html", "y", "--unregistered", "./y", "--overwrite")
            .expect(2, says: "--unregistered and --html name the same file")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }

    @Test(arguments: ["/dev/null", "/dev/stderr", "/dev/fd/2"])
    func `a device and a stream that was handed over take several outputs`(path: String) throws {
        try tool.folder.write(Rows.csv(3), to: "few.csv")
        let outputs = [
            ["--log", path, "--summary", path], ["--summary", path, "--html", path],
            ["--report", path, "--summary", path],
        ]
        for words in outputs {
            let report = words.contains("--report") ? [] : ["--report", "/dev/null"]
            let command = ["send", "few.csv"] + words + report + CommandLineTool.simulator
            let result = try tool.run(command)
            result.expect(0)
            #expect(result.errors.contains("\"job_id\"") == (path != "/dev/null"))
        }
    }

    @Test func `only what the report makes besides is taken`() throws {
        for (rows, report) in [
            ("r.sqlite.csv", "r.sqlite"), ("r.csv.ordered", "r.csv --ordered"),
            ("r.csv.checkpoint", "r.csv"),
        ] {
            try tool.folder.write(Rows.csv(3), to: rows)
            try tool.run(
                ["send", rows, "--report"] + report.split(separator: " ").map(String.init)
                    + CommandLineTool.simulator
            ).expect(2, says: "would replace \(rows), which is read")
        }
        for rows in ["n.csv.csv", "n.csv.ordered"] {
            try tool.folder.write(Rows.csv(3), to: rows)
            try tool.send(rows, "--report", "n.csv", "--overwrite").expect(0)
            #expect(tool.folder.text(of: rows) == Rows.csv(3))
        }
    }

    // MARK: Who may read

    private func mode(_ name: String) -> mode_t {
        var status = stat()
        return stat(tool.folder.path(name), &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test(arguments: ["r.csv", "r.csv.gz", "r.sqlite", "r.csv --ordered"])
    func `what holds tokens or rows is for its owner alone`(report: String) throws {
        let result = try shell(
            "umask 022; exec \"$0\" \"$@\"",
            [
                "send", "rows.csv", "--unregistered", "dead.csv", "--retry-rows", "again.csv",
                "--log", "l.ndjson", "--summary", "s.json", "--html", "p.html", "--report",
            ] + report.split(separator: " ").map(String.init) + CommandLineTool.simulator)
        #expect(result.exitCode == 0, "\(result.errors)")
        let name = String(report.prefix { $0 != " " })
        for name in [name, "dead.csv", "again.csv", "l.ndjson", "s.json", "p.html"] {
            #expect(mode(name) == 0o600, "\(name)")
        }
    }

    @Test(arguments: ["again.csv", "again.csv.gz", "again.sqlite"])
    func `what is made of a report is for its owner alone`(output: String) throws {
        try tool.send("rows.csv", "--report", "r.csv").expect(0)
        let result = try shell(
            "umask 022; exec \"$0\" \"$@\"", ["report", "r.csv", "--output", output])
        #expect(result.exitCode == 0, "\(result.errors)")
        #expect(mode(output) == 0o600)
    }

    @Test func `the units of systemd make files for their owner alone`() throws {
        let units = try FileManager.default.contentsOfDirectory(
            at: Documents.root.appending(path: "docs/systemd"), includingPropertiesForKeys: nil)
        let services = units.filter { $0.pathExtension == "service" }
        #expect(!services.isEmpty)
        for service in services {
            let lines = try String(contentsOf: service, encoding: .utf8).split(separator: "\n")
            #expect(lines.contains("UMask=0077"), "\(service.lastPathComponent)")
        }
    }

    @Test func `a file that is there keeps its mode`() throws {
        try tool.folder.write("", to: "r.csv")
        chmod(tool.folder.path("r.csv"), 0o640)
        try tool.send("rows.csv", "--report", "r.csv", "--overwrite").expect(0)
        #expect(mode("r.csv") == 0o640)
    }
}
