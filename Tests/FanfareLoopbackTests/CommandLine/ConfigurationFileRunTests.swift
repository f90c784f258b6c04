import FanfareTestSupport
import Foundation
import Testing

/// `--config`, the environment and `--print-config` with the built tool.
@Suite struct ConfigurationFileRunTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
        try FileManager.default.createDirectory(
            atPath: tool.folder.path("conf"), withIntermediateDirectories: false)
        try tool.folder.write(Rows.csv(10), to: "rows.csv")
        try tool.folder.write(#"{"aps": {"alert": "hi"}}"#, to: "conf/payload.json")
        try tool.folder.write(
            """
            {"payload": "payload.json", "topic": "com.example.app", "report": "out.csv",
             "profiles": {"try": {"provider": "simulator", "connections": 2}}}
            """, to: "conf/fanfare.json")
    }

    @Test func `a job from a file reads and writes beside it`() throws {
        let config = ["--config", "conf/fanfare.json", "--profile", "try"]
        try tool.run(["send", "rows.csv"] + config).expect(0)
        try tool.report("conf/out.csv").expectEveryRowOnce(10)
        #expect(!tool.folder.exists("fanfare-report.csv"))
        try tool.run(["check", "rows.csv"] + config + ["--overwrite"]).expect(0)
    }

    @Test func `what is printed does the same from another folder`() throws {
        let result = try tool.run(
            "send", "--config", "conf/fanfare.json", "--profile", "try", "--print-config")
        result.expect(0)
        #expect(result.errors == "")
        try FileManager.default.createDirectory(
            atPath: tool.folder.path("other"), withIntermediateDirectories: false)
        try tool.folder.write(result.output, to: "other/fanfare.json")
        try tool.run("send", "rows.csv", "--config", "other/fanfare.json").expect(0)
        try tool.report("conf/out.csv").expectEveryRowOnce(10)
    }

    @Test func `variables stand between file and command line`() throws {
        let output = tool.folder.path("printed")
        let process = try ChildProcess(
            "/usr/bin/env",
            [
                "FANFARE_CONFIG=conf/fanfare.json", "FANFARE_PROFILE=try", "FANFARE_TOPIC=env",
                "FANFARE_CONNECTIONS=3", CommandLineTool.path, "send", "--connections", "4",
                "--print-config",
            ], output: output, directory: tool.folder.path)
        #expect(process.waitUntilExit() == 0)
        let text = tool.folder.text(of: "printed")
        #expect(text.contains(#""topic": "env""#))
        #expect(text.contains(#""connections": 4"#))
        #expect(text.contains(#""provider": "simulator""#))
    }

    @Test func `a wrong file ends with code 2 before anything is sent`() throws {
        try tool.run("send", "rows.csv", "--config", "nowhere.json")
            .expect(2, says: "--config: nowhere.json cannot be read", "o such file")
        try tool.folder.write(#"{"conections": 4}"#, to: "bad.json")
        try tool.run("send", "rows.csv", "--config", "bad.json").expect(
            2, says: #"bad.json: "conections" is no option of send; did you mean "connections"?"#)
        try tool.run("send", "rows.csv", "--config", "conf").expect(
            2, says: "--config: conf cannot")
        #expect(!tool.folder.exists("fanfare-report.csv"))
    }
}
