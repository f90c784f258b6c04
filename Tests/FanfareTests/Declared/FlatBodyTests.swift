import FanfareBase
import FanfareCore
import Testing

@testable import Fanfare

/// Bodies that are made of texts and values, beside those that are made of the tree of a description.
@Suite struct FlatBodyTests {
    /// Returns the bytes of a row with the token first, then the other columns in their order.
    private func bytes(
        _ values: [(Field.Kind, String)], tokenColumn: Int, isJSON: Bool
    ) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.append(isJSON ? 1 : 0)
        let order = [tokenColumn] + values.indices.filter { $0 != tokenColumn }
        for (kind, text) in order.map({ values[$0] }) {
            Array(text.utf8).withUnsafeBufferPointer { LentRow.append(kind, $0, to: &buffer) }
        }
        return buffer
    }

    /// Makes the body in both ways, which must agree.
    private func body(
        _ described: Described, _ values: [String: (Field.Kind, String)], isJSON: Bool = true,
        settings: [(name: String, value: String)] = [], isFlat: Bool = true
    ) throws -> String {
        let renderer = try described.renderer(settings: settings)
        #expect((renderer.flatBody != nil) == isFlat)
        let provider = described.file.provider
        let memory = bytes(
            provider.columns.map { values[$0] ?? (.missing, "") },
            tokenColumn: provider.token.column, isJSON: isJSON)
        let row = LentRow(memory.bytes, tokenColumn: provider.token.column)
        let whole = Result { () throws(DeclaredRowProblem) in try renderer.request(of: [row]).body }
        var out = ByteBuffer()
        let own = Result { () throws(DeclaredRowProblem) in
            try renderer.appendBody(of: row, to: &out)
            return Array(out.bytes)
        }
        #expect(own == whole)
        return String(decoding: try own.get(), as: UTF8.self)
    }

    @Test func `texts, values, defaults and settings stand in their places`() throws {
        let described = try Described([
            "settings": #"{"app": {}}"#,
            "request": #"""
            {"path": "/", "body": {"a\"b": ["<${row:text|no \"text\"}>", 5, null, {}], "app": "${set:app}",
             "to": "${row:token}", "in": {"x": "${row:x}${row:text|-}"}}}
            """#,
        ])
        let settings = [(name: "app", value: #"q"1"#)]
        #expect(
            try body(
                described,
                ["token": (.text, "t1"), "text": (.text, "say \"hi\"\n"), "x": (.json, "7")],
                settings: settings)
                == #"{"a\"b":["<say \"hi\"\n>",5,null,{}],"app":"q\"1","to":"t1","in":{"x":"7say \"hi\"\n"}}"#
        )
        #expect(
            try body(
                described, ["token": (.text, "t2"), "x": (.text, "")], settings: settings)
                == #"{"a\"b":["<no \"text\">",5,null,{}],"app":"q\"1","to":"t2","in":{"x":"-"}}"#)
        #expect(throws: DeclaredRowProblem.valueMissing(column: "x")) {
            try body(described, ["token": (.text, "t3"), "x": (.null, "")], settings: settings)
        }
        #expect(throws: DeclaredRowProblem.tokenMissing) {
            try body(described, ["x": (.text, "a")], settings: settings)
        }
    }

    @Test(arguments: [true, false])
    func `an empty cell takes the default, and an empty text of JSON does not`(
        isJSON: Bool
    ) throws {
        let described = try Described([
            "request": #"{"path": "/", "body": {"to": "${row:token}", "t": "${row:t|none}"}}"#
        ])
        let text = try body(
            described, ["token": (.text, "a"), "t": (.text, "")], isJSON: isJSON)
        #expect(text == #"{"to":"a","t":"\#(isJSON ? "" : "none")"}"#)
    }

    @Test func `a list of tokens or messages has one for one row`() throws {
        let tokens = try Described([
            "request": #"{"path": "/", "body": {"to": [], "text": "hi"}}"#,
            "batch": #"{"rows": 9, "tokens": "/to"}"#,
        ])
        #expect(
            try body(tokens, ["token": (.text, "t1")]) == #"{"to":["t1"],"text":"hi"}"#)
    }

    @Test(
        arguments: [
            (#"{"t": "${row:t?}", "to": "${row:token}"}"#, #"{"to":"a"}"#),
            (#"{"t": "${row:t:json|1}", "to": "${row:token}"}"#, #"{"t":1,"to":"a"}"#),
            (
                #"{"t": "${time:ms}", "to": "${row:token}"}"#,
                #"{"t":"1614265330123","to":"a"}"#
            ),
        ] as [(String, String)])
    func `a body of another form is made of its tree`(body: String, made: String) throws {
        let described = try Described(["request": #"{"path": "/", "body": \#(body)}"#])
        let text = try self.body(described, ["token": (.text, "a")], isFlat: false)
        #expect(text == made)
    }

    @Test func `a text without JSON has its values as they are`() throws {
        let described = try Described([
            "request": #"{"path": "/${row:token}", "body": "<${row:t}>", "encoding": "text"}"#
        ])
        #expect(
            try body(described, ["token": (.text, "a"), "t": (.text, "\"b\"")]) == #"<"b">"#)
    }

    @Test func `a message that was made before is in the request as it is`() throws {
        let described = try Described([
            "request": #"{"path": "/", "body": {"t": "${row:t}", "to": "${row:token}"}}"#,
            "batch": #"{"rows": 9, "messages": ""}"#,
            "answer":
                #"{"rules": [], "otherwise": {"outcome": "accepted"}, "rows": {"by": "batch"}}"#,
        ])
        let provider = described.file.provider
        let renderer = try described.renderer(settings: [])
        let values = ["token": "a", "t": "x"].mapValues { (Field.Kind.text, $0) }
        var memory = bytes(
            provider.columns.map { values[$0] ?? (.missing, "") },
            tokenColumn: provider.token.column, isJSON: true)
        // It stands behind the values, which would make another one.
        Array(#"{"made":1}"#.utf8).withUnsafeBufferPointer {
            LentRow.append(.json, $0, to: &memory)
        }
        let rows = [provider.columns.count, nil].map {
            LentRow(
                memory.bytes, tokenColumn: provider.token.column, messagePlace: $0)
        }
        let body = try renderer.request(ofAlike: rows, rows[0]).body
        #expect(
            String(decoding: body, as: UTF8.self) == #"[{"made":1},{"t":"x","to":"a"}]"#)
    }
}
