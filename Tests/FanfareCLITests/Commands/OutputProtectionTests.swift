import FanfareCLI
import FanfareTestSupport
import Testing

/// The files that no output may destroy.
@Suite struct OutputProtectionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private enum Unexpected: Error { case help }

    /// The refusal of a command line; `nil` if nothing stands against it.
    private func refusal(_ words: [String]) throws -> String? {
        guard case .run(let arguments) = try ArgumentParser().parse(words) else {
            throw Unexpected.help
        }
        do {
            try OutputProtection.check(arguments)
            return nil
        } catch {
            return "\(error)"
        }
    }

    // MARK: Parts

    /// Rows that are sent, with a report in parts.
    private func split(_ more: [String]) -> [String] {
        [
            "send", "--report", folder.path("o.csv"), "--report-split", "100KB", "--topic", "a.b",
            "--alert", "x",
        ] + more
    }

    @Test(
        arguments: [
            "summary", "html", "log", "unregistered", "retry-rows", "control", "suppress",
            "seed-list", nil,
        ])
    func `no part of a report is anything else, under any name`(option: String?) throws {
        let part = folder.path("o-2.csv")
        let rows = option == nil ? [] : [folder.path("rows.csv")]
        try folder.link("link.csv", to: part)
        let ways = [part, folder.path + "/./o-2.csv", folder.path("link.csv")]
        for isThere in [false, true] {
            if isThere { try folder.write("", to: "o-2.csv") }
            for way in ways {
                let use = (option.map { ["--\($0)"] } ?? []) + [way]
                let fault = "is a part of the report, or has the name of one; name another file"
                #expect(
                    try refusal(split(rows + use)) == "fanfare send: --report: \(way) \(fault)")
            }
        }
    }

    @Test func `names that are like those of parts are free`() throws {
        for name in ["o-1.csv", "o-2.ndjson", "p-2.csv", "sub/o-2.csv", "o-2.csv.txt"] {
            #expect(try refusal(split(["rows.csv", "--summary", folder.path(name)])) == nil)
        }
        let words = ["send", "rows.csv", "--report", folder.path("o.csv"), "--alert", "x"]
        #expect(try refusal(words + ["--summary", folder.path("o-2.csv")]) == nil)
    }

    // MARK: Beside a report

    @Test(
        arguments: [
            (".checkpoint", false), (".cluster", false), (".cluster", true), (".cluster.new", true),
        ])
    func `nothing else is where a job keeps its state`(ending: String, isShared: Bool) throws {
        let other = folder.path + "/./list" + ending
        let send =
            ["send", "--alert", "x", "--report", folder.path("list")]
            + (isShared ? ["--cluster", "postgresql://db.example/push", "--job", "july"] : [])
        for isThere in [false, true] {
            if isThere { try folder.write("precious", to: "list" + ending) }
            #expect(
                try refusal(send + [other])
                    == "fanfare send: --report: would replace \(other), which is read; name another file"
            )
        }
        #expect(try refusal(send + [folder.path("list.csv")]) == nil)
    }

    // MARK: Sockets

    @Test(arguments: ["", ".lock"])
    func `no socket is made where anything else is`(ending: String) throws {
        let other = folder.path + "/./job" + ending
        let send = ["send", "--alert", "x", "--control", folder.path("job")]
        let loss = "would replace \(other), which is read; name another file"
        for isThere in [false, true] {
            if isThere { try folder.write("precious", to: "job" + ending) }
            #expect(try refusal(send + [other]) == "fanfare send: --control: \(loss)")
            let file = folder.path("job") + ending
            #expect(
                try refusal(send + ["rows.csv", "--log", other])
                    == "fanfare send: --log and --control name the same file, \(file)")
        }
        #expect(try refusal(send + ["rows.csv", "--log", folder.path("job.log")]) == nil)
        #expect(try refusal(["control", folder.path("job"), "status"]) == nil)
    }

    // MARK: Databases

    @Test(arguments: ["-journal", "-wal", "-shm"])
    func `what is beside a database is read with it`(ending: String) throws {
        let database = try folder.write("SQLite format 3\0", to: "x.db")
        try folder.link("link.db", to: database)
        for isThere in [false, true] {
            if isThere { try folder.write("rows", to: "x.db" + ending) }
            for path in [database, folder.path("link.db")] {
                let send = ["send", "--from-sqlite", path, "--table", "t", "--alert", "x"]
                for output in ["--summary", "--html", "--log", "--report"] {
                    let told = try refusal(send + [output, database + ending])
                    #expect(told?.hasSuffix("which --from-sqlite reads; name another file") == true)
                }
                let told = try refusal(["report", path, "--output", database + ending])
                #expect(told?.hasSuffix("which is read; name another file") == true)
                #expect(try refusal(send + ["--summary", folder.path("y.db" + ending)]) == nil)
            }
        }
    }

    @Test(arguments: [".partial", "-wal", ".partial-journal"])
    func `nothing else is where a report that is a database is made`(ending: String) throws {
        let database = folder.path("o.sqlite")
        let other = folder.path + "/./o.sqlite" + ending
        let send = ["send", "--alert", "x", "--report", database]
        let loss = "would replace \(other), which"
        for isThere in [false, true] {
            if isThere { try folder.write("precious", to: "o.sqlite" + ending) }
            #expect(
                try refusal(send + [other])
                    == "fanfare send: --report: \(loss) is read; name another file")
            #expect(
                try refusal(send + ["rows.csv", "--suppress", other])
                    == "fanfare send: --report: \(loss) --suppress reads; name another file")
            for output in ["retry-rows", "summary", "log"] {
                #expect(
                    try refusal(send + ["rows.csv", "--\(output)", other])
                        == "fanfare send: --report and --\(output) name the same file, \(other)")
            }
            let report = ["report", other, "--output", database]
            #expect(
                try refusal(report)
                    == "fanfare report: --output: \(loss) is read; name another file")
            // That is CSV, though its name says otherwise.
            #expect(try refusal(report + ["--output-format", "csv"]) == nil)
        }
    }
}
