import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The facts about an input before its first row.
@Suite struct InputHeadTests {
    private func head(
        _ input: RowInput, _ spec: InputSpec = InputSpec(), behind first: InputHead? = nil
    ) throws -> InputHead {
        try InputHead(of: TextSource(input, spec), spec, behind: first)
    }

    @Test func `the head of CSV is its header and all before it`() throws {
        let head = try head(.text("\u{FEFF}\r\nid; token \naa;1\n", name: "rows"))
        #expect(head.name == "rows" && head.format == .csv)
        #expect(head.columns == ["id", "token"] && head.areColumnsFixed)
        #expect(head.delimiter == UInt8(ascii: ";"))
        // The byte order mark has three bytes, the blank line two.
        #expect(head.header == Array("\u{FEFF}\r\nid; token \n".utf8))
        #expect(head.firstRow == (offset: 16, line: 3))
        #expect(head.beginning == Array("\u{FEFF}\r\nid; token \naa;1\n".utf8))
    }

    @Test func `a header without a line end gets one, as rows are to follow`() throws {
        let head = try head(.text("id,token"))
        #expect(head.header == Array("id,token\n".utf8))
        #expect(head.firstRow == (offset: 8, line: 2))
    }

    @Test func `NDJSON has no header, and no columns that all rows have`() throws {
        let text = #"{"device_token":"aa","x":1}"# + "\n"
        let plain = try head(.text(text))
        #expect(plain.format == .ndjson && plain.columns.isEmpty && plain.header.isEmpty)
        #expect(plain.firstRow == (offset: 0, line: 1))
        let found = try head(.text(text), InputSpec(findsOtherNames: true))
        #expect(found.columns == ["device_token", "x"] && !found.areColumnsFixed)
        #expect(found.schema.inputName(ofSlot: RowSchema.Known.token.slot) == "device_token")
        #expect(
            found.notices.map(\.description) == [
                "reading tokens from column 'device_token' of input"
            ])
        let all = try head(.text(text), InputSpec(wantsAllColumns: true))
        #expect(all.schema.slot(named: "x") != nil && plain.schema.slot(named: "x") == nil)
    }

    @Test func `a list of tokens may go without a header, and without a token`() throws {
        let token = String(repeating: "ab", count: 32)
        let spec = InputSpec(
            required: [("token", "a list has")], findsOtherNames: true, isTokenList: true)
        let bare = try head(.text("\(token)\n\(token)\n"), spec)
        #expect(bare.columns == ["token"] && bare.firstRow == (offset: 0, line: 1))
        let empty = try head(.text(" \n", name: "list"), spec)
        #expect(empty.notices.map(\.description).first?.hasPrefix("list is empty: ") == true)
        #expect(throws: FanfareError.self) { try head(.text("name\n\(token)\n"), spec) }
        // A list by itself is no rows.
        #expect(throws: FanfareError.self) { try head(.text(" \n")) }
    }

    @Test func `of the first input as much is read as an earlier run has seen`() throws {
        let text = "token\n" + String(repeating: "aa\n", count: 50_000)
        let most = try head(.text(text)).beginning
        #expect(most == Array(text.utf8.prefix(Limits.inputHeadBytes)))
        let wanted = try head(.text(text), InputSpec(headBytes: 100_000)).beginning
        #expect(wanted == Array(text.utf8.prefix(100_000)))
    }

    @Test(arguments: [
        ("token,id\n", nil), ("token,id", nil),
        ("token;id\n", "their fields are separated differently"),
        ("id,token\n", "their columns differ"),
        (#"{"token":"aa"}"#, "one is CSV and one is NDJSON"),
    ])
    func `rows go into one file if their heads are alike`(text: String, problem: String?) throws {
        let spec = InputSpec(wantsOneShape: true)
        let first = try head(.text("token,id\naa,1\n", name: "one"), spec)
        let error = fanfareError { _ = try head(.text(text, name: "two"), spec, behind: first) }
        #expect(
            error?.message.contains("the rows of one and two cannot go")
                == problem.map { _ in true })
        #expect(error?.message.contains(problem ?? "") == problem.map { _ in true })
        // It does not matter where each is read for itself.
        _ = try head(.text(text), behind: first)
    }

    @Test func `NDJSON is like any other`() throws {
        let one = try head(.text(#"{"a":1}"#), InputSpec(findsOtherNames: true))
        let two = try head(.text(#"{"b":1}"#), InputSpec(findsOtherNames: true))
        #expect(one.difference(from: two) == nil)
    }

    @Test func `the columns of later inputs are known from one look at each`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("token\taddress\naa\tb\n", to: "rows.tsv")
        let first = RowInput.text("token,name\naa,b\n")
        let source = RowSource(
            [first, .text(#"{"token":"aa"}"#), .file(path), first, .file("/dev/null")], InputSpec())
        try source.openFirst()
        #expect(
            source.columns == [
                0: ["token", "name"], 2: ["token", "address"], 3: ["token", "name"],
            ])
    }

    @Test func `no other input is opened when no more rows are wanted`() throws {
        let source = RowSource([.text("token\naa\n"), .text("token\nbb\n")], InputSpec())
        let batch = RowBatch(rowCapacity: 8, slotCount: source.schema.slotCount)
        #expect(try source.fill(batch))
        source.cancellation.set()
        #expect(try !source.fill(batch))
        #expect(source.rowCount == 1 && source.next == 1)
    }
}
