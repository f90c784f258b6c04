import Fanfare
import FanfareBase
import FanfareCLI
import FanfareTestSupport
import Foundation
import Testing

/// Records of jobs, and the list of them.
@Suite struct JobListTests {
    private static var record: JobRecord {
        var record = JobRecord(
            id: "bba60f0d33c417f", name: "Black Friday", processID: 4711,
            started: 1_700_000_000_000, folder: "/data/it's here")
        record.report = "/data/report.csv"
        record.socket = "/run/user/1000/fanfare/bba60f0d33c417f.sock"
        record.resumeCommand = "fanfare send rows.csv --resume"
        record.share = 0.25
        record.rows = 250_000
        return record
    }

    private static func status(_ state: String) -> JobEntry.Status {
        JobEntry.Status(
            state: state, rows: 1_234_567, share: 0.529, rowsPerSecond: 812.4, secondsLeft: 754)
    }

    // MARK: Records

    @Test func `a record is read as it was written`() {
        #expect(JobRecord(json: Array(Self.record.json.utf8)) == Self.record)
        var least = JobRecord(id: "1", processID: 1, started: 0, folder: "/")
        #expect(JobRecord(json: Array(least.json.utf8)) == least)
        // Spaces cover what a longer one has left.
        least.rows = 0
        #expect(JobRecord(json: Array((least.json + "    ").utf8)) == least)
    }

    /// Each locks its file for as long as it runs, so those of one job on one machine would wait for each other.
    @Test func `workers of one job have a record each`() {
        let job = "bba60f0d33c417f"
        let ids = ["/data/a.csv", "/data/b.csv", "/data/a.csv"].map {
            JobRecord.id(ofWorkerOn: job, report: $0)
        }
        #expect(ids[0] == ids[2] && ids[0] != ids[1])
        // The job's id finds them.
        #expect(ids.allSatisfy { $0.hasPrefix(job + "-") && $0.count == job.count + 9 })
    }

    @Test(arguments: [
        "", "{", "[]", #"{"schema": "fanfare.job/2", "id": "1", "folder": "/", "process_id": 1}"#,
        #"{"schema": "fanfare.job/1", "id": 7, "folder": "/", "process_id": 1, "started": 0}"#,
    ])
    func `what is no record of this version is none`(text: String) {
        #expect(JobRecord(json: Array(text.utf8)) == nil)
    }

    @Test func `a status is read from a job's answer`() {
        let text = #"{"state": "paused", "rows": 7, "input_share": 1, "rows_per_second": 0.5}"#
        #expect(
            JobEntry.Status(json: text)
                == JobEntry.Status(
                    state: "paused", rows: 7, share: 1, rowsPerSecond: 0.5, secondsLeft: nil))
        #expect(JobEntry.Status(json: "paused") == nil && JobEntry.Status(json: "{}") == nil)
    }

    /// Another user's process may answer at a path that a job once had.
    @Test(arguments: [
        #"{"state": "running", "rows": 7, "seconds_left": -1e300}"#,
        #"{"state": "running", "rows": 7, "rows_per_second": 1e308}"#,
        #"{"state": "running", "rows": 7, "input_share": -1e19}"#,
        #"{"state": "running", "rows": -1}"#,
        #"{"state": "r\n\u001b[32mFORGED", "rows": 7}"#,
        #"{"state": "resumable", "rows": 7}"#,
    ])
    func `a status with what no job has is none`(text: String) {
        #expect(JobEntry.Status(json: text) == nil)
    }

    @Test func `the highest figures of a status have a line`() throws {
        let text =
            #"{"state": "ordering", "rows": 9223372036854775807, "input_share": 1e12, "#
            + #""rows_per_second": 1e12, "seconds_left": 1e12}"#
        let status = try #require(JobEntry.Status(json: text))
        let list = JobList([JobEntry(record: Self.record, isRunning: true, status: status)])
        #expect(list.text.contains("1,000,000,000,000/s"))
    }

    // MARK: The list

    @Test func `a list has running jobs first, and says how the others go on`() {
        var early = JobEntry(record: Self.record, isRunning: false)
        early.record.name = nil
        early.record.id = "1"
        var silent = JobEntry(record: Self.record, isRunning: true)
        silent.record.started += 1
        silent.record.share = nil
        silent.record.rows = nil
        let running = JobEntry(
            record: Self.record, isRunning: true, status: Self.status("running"))
        #expect(
            JobList([early, silent, running]).text == """
                JOB              NAME          STATE      DONE       ROWS   RATE         LEFT
                bba60f0d33c417f  Black Friday  running    52 %  1,234,567  812/s  12 min 34 s
                bba60f0d33c417f  Black Friday  silent        -          -      -            -
                1                -             resumable  25 %    250,000      -            -
                    cd '/data/it'\\''s here' && fanfare send rows.csv --resume

                """)
        var other = JobEntry(record: Self.record, isRunning: false)
        other.record.resumeCommand = nil
        #expect(JobList([other]).text.split(separator: "\n").count == 2)
        #expect(JobList([]).text == "no job runs, and none waits to be carried on\n")
    }

    @Test func `a list for scripts has the same, and no socket of a dead job`() throws {
        let list = JobList([
            JobEntry(record: Self.record, isRunning: true, status: Self.status("paused")),
            JobEntry(record: Self.record, isRunning: false),
        ])
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(list.json.utf8)) as? [String: Any])
        #expect(document["schema"] as? String == "fanfare.jobs/1")
        let jobs = try #require(document["jobs"] as? [[String: Any]])
        #expect(jobs.map { $0["state"] as? String } == ["paused", "resumable"])
        #expect(jobs[0]["rows"] as? Int == 1_234_567 && jobs[0]["process_id"] as? Int == 4711)
        #expect(jobs[0]["input_share"] as? Double == 0.529)
        #expect(jobs[0]["seconds_left"] as? Double == 754)
        #expect(jobs[0]["started_at"] as? String == "2023-11-14T22:13:20.000Z")
        #expect((jobs[0]["socket"] as? String)?.hasSuffix("c417f.sock") == true)
        #expect(jobs[0]["resume_command"] is NSNull)
        #expect(jobs[1]["socket"] is NSNull && jobs[1]["process_id"] is NSNull)
        #expect(jobs[1]["resume_command"] as? String == "fanfare send rows.csv --resume")
    }

    // MARK: Finding

    private func folder(_ folder: TemporaryFolder, _ records: [JobRecord]) throws -> JobFolder {
        let path = folder.path("jobs")
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        for record in records { try folder.write(record.json, to: "jobs/\(record.id).json") }
        return JobFolder(path: path)
    }

    private func record(_ id: String, report: String, started: Int64 = 1) -> JobRecord {
        var record = JobRecord(id: id, processID: 1, started: started, folder: "/")
        record.report = report
        record.resumeCommand = "fanfare send --resume"
        return record
    }

    @Test func `a killed job stays while it can be carried on, and its socket goes`() throws {
        let files = try TemporaryFolder()
        try files.write("", to: "a.csv.checkpoint")
        let jobs = try folder(
            files,
            [
                record("a", report: files.path("a.csv")), record("b", report: files.path("b.csv")),
            ])
        try files.write("", to: "jobs/a.sock")
        try files.write("", to: "jobs/b.sock")
        // One that was killed before it had written anything, and one of a later version.
        try files.write("", to: "jobs/c.json")
        try files.write(#"{"schema": "fanfare.job/9"}"#, to: "jobs/d.json")
        let list = JobList.find(in: [jobs, JobFolder(path: files.path("nothing"))])
        #expect(list.entries.map(\.record.id) == ["a"] && list.entries[0].state == "resumable")
        let left = try FileManager.default.contentsOfDirectory(atPath: jobs.path)
        #expect(Set(left) == ["a.json", "d.json"])
        #expect(JobList.find(in: [jobs]) == list)
        try FileManager.default.removeItem(atPath: files.path("a.csv.checkpoint"))
        #expect(JobList.find(in: [jobs]).entries.isEmpty)
        #expect(!files.exists("jobs/a.json"))
    }

    @Test func `of two jobs with one report the later one counts`() throws {
        let files = try TemporaryFolder()
        try files.write("", to: "a.csv.checkpoint")
        let report = files.path("a.csv")
        let jobs = try folder(
            files,
            [record("old", report: report), record("new", report: report, started: 2)])
        #expect(JobList.find(in: [jobs]).entries.map(\.record.id) == ["new"])
        #expect(!files.exists("jobs/old.json"))
    }

    @Test func `a folder that others may write to is not read`() throws {
        let files = try TemporaryFolder()
        try files.write("", to: "a.csv.checkpoint")
        let jobs = try folder(files, [record("a", report: files.path("a.csv"))])
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o777], ofItemAtPath: jobs.path)
        #expect(JobList.find(in: [jobs]).entries.isEmpty)
        #expect(files.exists("jobs/a.json"))
    }

    // MARK: Names

    private static func running(_ id: String, _ name: String?) -> JobEntry {
        var record = JobRecord(id: id, name: name, processID: 1, started: 1, folder: "/")
        record.socket = "/sockets/\(id)"
        return JobEntry(record: record, isRunning: true)
    }

    private static let list = JobList([
        running("abc1", "Black Friday"), running("abd2", "news"), running("abd22", "news"),
        JobEntry(record: record, isRunning: false),
    ])

    private func socket(_ word: String?, _ list: JobList = Self.list) throws -> String {
        try JobAddress.socket(of: word) { list }
    }

    @Test func `a job is found by its id, the beginning of it, or its name`() throws {
        #expect(try socket("abc1") == "/sockets/abc1" && socket("abc") == "/sockets/abc1")
        #expect(try socket("Black Friday") == "/sockets/abc1")
        // An id that begins another one is meant as it is.
        #expect(try socket("abd2") == "/sockets/abd2")
        #expect(try socket("./abc1") == "./abc1" && socket("/x/y.sock") == "/x/y.sock")
        #expect(try socket(nil, JobList([Self.running("x", nil)])) == "/sockets/x")
    }

    private static func worker(_ id: String, _ job: String, _ worker: String) -> JobEntry {
        var entry = running(id, nil)
        entry.record.shared = JobRecord.SharedName(job: job, worker: worker)
        return entry
    }

    @Test func `a worker of several is listed and found by its job and its name`() throws {
        var named = Self.worker("c3", "july", "web2")
        named.record.name = "Black Friday"
        let list = JobList([
            Self.worker("a1", "july", "web1"), named, Self.worker("b2", "eu/june", "web1"),
        ])
        let names = list.text.split(separator: "\n").dropFirst().map { $0.split(separator: " ")[1] }
        #expect(names == ["july@web1", "Black", "eu/june@web1"])
        #expect(try socket("july@web1", list) == "/sockets/a1")
        #expect(try socket("july@web2", list) == "/sockets/c3")
        #expect(try socket("Black Friday", list) == "/sockets/c3")
        #expect(try socket("eu/june@web1", list) == "/sockets/b2")
        // The name of the job is enough where one worker of it runs.
        #expect(try socket("eu/june", list) == "/sockets/b2")
        let error = #expect(throws: FanfareError.self) { try socket("july", list) }
        #expect(
            error?.message
                == "more than one job called july runs; give the id of one: a1, c3")
        let document = try #require(
            try JSONSerialization.jsonObject(with: Data(list.json.utf8)) as? [String: Any])
        let jobs = try #require(document["jobs"] as? [[String: Any]])
        #expect(jobs.map { $0["shared_job"] as? String } == ["july", "july", "eu/june"])
        #expect(jobs.map { $0["worker"] as? String } == ["web1", "web2", "web1"])
        #expect(jobs.map { $0["name"] as? String } == [nil, "Black Friday", nil])
        let record = list.entries[1].record
        #expect(JobRecord(json: Array(record.json.utf8)) == record)
    }

    @Test(arguments: [
        ("news", "more than one job called news runs; give the id of one: abd2, abd22"),
        ("ab", "ab begins the ids of several jobs that run; give one: abc1, abd2, abd22"),
        ("bba", "no job of this name runs"),
        ("", "the name of the job is empty"), (nil, "more than one job runs; give the id of one"),
    ])
    func `a word for no job, or for several, is told`(word: String?, problem: String) {
        let error = #expect(throws: (any Error).self) { try socket(word) }
        #expect("\(String(describing: error))".contains(problem), "\(String(describing: error))")
    }
}
