import Testing

/// Rows that cannot be sent: `invalid` with a reason that names the line; all others go out, and the
/// job ends with 0.
@Suite struct BadRowTests {
    private let tool: CommandLineTool

    init() throws {
        tool = try CommandLineTool()
    }

    /// Sends a file whose row 2 is bad among three.
    private func expectRow2(
        _ name: String, _ bytes: [UInt8], reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try tool.folder.write(bytes, to: name)
        try tool.send(name).expect(0, says: "invalid", sourceLocation: sourceLocation)
        let report = try tool.report()
        report.expectEveryRowOnce(3, sourceLocation: sourceLocation)
        let line = try report.line(2)
        #expect(line["outcome"] == "invalid", sourceLocation: sourceLocation)
        #expect(line["reason"] == reason, sourceLocation: sourceLocation)
        #expect(line["attempts"] == "0", sourceLocation: sourceLocation)
        #expect(
            report.outcomes == ["accepted": 2, "invalid": 1], sourceLocation: sourceLocation)
    }

    private func expectRow2(
        _ name: String, _ text: String, reason: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectRow2(name, Array(text.utf8), reason: reason, sourceLocation: sourceLocation)
    }

    @Test func `a token that is not hexadecimal`() throws {
        try expectRow2(
            "rows.csv", "token\n\(Rows.token(1))\n\(Rows.token(2).dropLast())g\n\(Rows.token(3))\n",
            reason: "line 3: token is not hexadecimal")
    }

    /// Two digits are a byte.
    @Test func `a token that has lost a digit`() throws {
        try expectRow2(
            "rows.csv", "token\n\(Rows.token(1))\n\(Rows.token(2).dropLast())\n\(Rows.token(3))\n",
            reason: "line 3: token has an odd number of digits")
    }

    @Test func `a row with too many fields`() throws {
        try expectRow2(
            "rows.csv", "token\n\(Rows.token(1))\n\(Rows.token(2)),more\n\(Rows.token(3))\n",
            reason: "line 3: more fields than the header has, field 2")
    }

    /// Another row shows that the file is UTF-8: without one it would be a file in another encoding.
    @Test func `bytes that are not UTF8`() throws {
        var bytes = Array("token,name\n\(Rows.token(1)),Zoë\n\(Rows.token(2)),Zo".utf8)
        bytes += [0xEB]
        bytes += Array("\n\(Rows.token(3)),Bob\n".utf8)
        try expectRow2("rows.csv", bytes, reason: "line 3: not UTF-8, field 2")
    }

    @Test func `a line of NDJSON that is not JSON`() throws {
        try expectRow2(
            "rows.ndjson",
            """
            {"token":"\(Rows.token(1))"}
            {"token":"\(Rows.token(2))"
            {"token":"\(Rows.token(3))"}

            """, reason: "line 2: not JSON, byte 76")
    }

    @Test func `a payload that is not JSON`() throws {
        try expectRow2(
            "rows.csv",
            """
            token,payload
            \(Rows.token(1)),"{""aps"":{}}"
            \(Rows.token(2)),"{""aps"":{}"
            \(Rows.token(3)),"{""aps"":{}}"

            """, reason: "line 3: payload is not JSON")
    }

    @Test func `a payload that is too large`() throws {
        let large = String(repeating: "x", count: 4_096)
        try expectRow2(
            "rows.ndjson",
            """
            {"token":"\(Rows.token(1))","payload":{"aps":{}}}
            {"token":"\(Rows.token(2))","payload":{"aps":{"alert":"\(large)"}}}
            {"token":"\(Rows.token(3))","payload":{"aps":{}}}

            """, reason: "line 2: payload is too large")
    }

    @Test(arguments: ["rows.csv", "rows.ndjson"])
    func `a line of ten megabytes`(name: String) throws {
        let long = String(repeating: "x", count: 10_000_000)
        let text =
            name == "rows.csv"
            ? "token,name\n\(Rows.token(1)),a\n\(Rows.token(2)),\(long)\n\(Rows.token(3)),c\n"
            : #"{"token":"\#(Rows.token(1))"}"# + "\n"
                + #"{"token":"\#(Rows.token(2))","name":"\#(long)"}"# + "\n"
                + #"{"token":"\#(Rows.token(3))"}"# + "\n"
        try expectRow2(
            name, text,
            reason: name == "rows.csv"
                ? "line 3: row is longer than 1 MiB (is a quote left open?)"
                : "line 2: row is longer than 1 MiB")
    }

    /// In the last row it takes no other row along.
    @Test func `a quote that is still open at the end`() throws {
        try tool.folder.write(
            "token,name\n\(Rows.token(1)),Ann\n\(Rows.token(2)),\"Bob\n", to: "rows.csv")
        try tool.send("rows.csv").expect(0, says: "quoted field is never closed")
        let report = try tool.report()
        report.expectEveryRowOnce(2)
        #expect(try report.line(2)["reason"] == "line 3: quoted field is never closed, field 2")
    }

    @Test func `strict makes a bad row count`() throws {
        try tool.send("--strict", input: "token\n\(Rows.token(1))\nnothing\n").expect(1)
        try tool.report().expectEveryRowOnce(2)
    }
}
