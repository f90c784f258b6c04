import FanfareBase
import FanfareCore
import Testing

@Suite struct PayloadTemplateTests {
    /// The value that a row holds under a name.
    enum Value {
        case text(String)
        case json(String)
        case null
    }

    static let schema = RowSchema(extra: ["name", "badge", "user.name", "größe", "a-b_C9"])

    /// Enough of JSON for these tests: the real check lives in another module.
    func isJSON(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return Int(text) != nil || ["true", "null", "{}", "{\"a\":{}}", "\"x\""].contains(text)
    }

    func template(_ json: String) throws(PayloadTemplateError) -> PayloadTemplate {
        try PayloadTemplate(json: Array(json.utf8), schema: Self.schema, isJSON: isJSON)
    }

    func batch(_ values: [String: Value]) -> RowBatch {
        let batch = RowBatch(inputCapacity: 4096, rowCapacity: 2, slotCount: Self.schema.slotCount)
        for (name, value) in values {
            guard let slot = Self.schema.slot(named: name) else { preconditionFailure() }
            let (kind, text): (Field.Kind, String) =
                switch value {
                case .text(let text): (.text, text)
                case .json(let text): (.json, text)
                case .null: (.null, "")
                }
            let bytes = Array(text.utf8)
            (batch.bytes + batch.inputEnd).update(from: bytes, count: bytes.count)
            batch.fields[slot] = Field(kind, start: batch.inputEnd, length: bytes.count)
            batch.inputEnd += bytes.count
        }
        batch.rowCount = 1
        return batch
    }

    struct Case: CustomTestStringConvertible {
        var template: String
        var values: [String: Value]
        var expected: String
        var testDescription: String { template }

        init(_ template: String, _ values: [String: Value], _ expected: String) {
            self.template = template
            self.values = values
            self.expected = expected
        }
    }

    @Test(arguments: [
        Case(#"{"a":1}"#, [:], #"{"a":1}"#),
        Case(#"{"a":"{{name}}"}"#, ["name": .text("Ann")], #"{"a":"Ann"}"#),
        Case(#"{"a":"Hi {{ name }}!"}"#, ["name": .text("Ann")], #"{"a":"Hi Ann!"}"#),
        Case(
            #"["{{name}}{{badge}}","{{name}}"]"#, ["name": .text("A"), "badge": .text("")],
            #"["A","A"]"#),
        Case(#"["{{name}}"]"#, ["name": .text("a\"b\\c\n\u{1}é😀")], #"["a\"b\\c\n\u0001é😀"]"#),
        Case(#"["{{name}}"]"#, ["name": .text("{{badge}}")], #"["{{badge}}"]"#),
        Case(#"["{{badge}}"]"#, ["badge": .json("3")], #"["3"]"#),
        Case(#"["{{badge}}"]"#, ["badge": .json(#"{"a":"b"}"#)], #"["{\"a\":\"b\"}"]"#),
        Case(
            #"{"b":"{{badge:json}}"}"#, ["badge": .json(#"[1, {"a":"b"}]"#)],
            #"{"b":[1, {"a":"b"}]}"#),
        Case(#"{"b":"{{badge:json}}"}"#, ["badge": .text("3")], #"{"b":3}"#),
        Case(#"{"b":"{{ badge :json }}"}"#, ["badge": .text(#""x""#)], #"{"b":"x"}"#),
        Case(#""{{badge:json}}""#, ["badge": .json("true")], "true"),
        Case(#"["{{badge:json}}","{{badge:json}}"]"#, ["badge": .json("1")], "[1,1]"),
        // Defaults.
        Case(#"["{{name|friend}}"]"#, [:], #"["friend"]"#),
        Case(#"["{{name|friend}}"]"#, ["name": .null], #"["friend"]"#),
        Case(#"["{{name|friend}}"]"#, ["name": .text("")], #"["friend"]"#),
        Case(#"["{{name|friend}}"]"#, ["name": .text("Ann")], #"["Ann"]"#),
        Case(#"["{{name|friend}}"]"#, ["name": .json("false")], #"["false"]"#),
        Case(
            #"["{{name| my \"dear\" | \u00e9 }}"]"#, [:],
            #"[" my \"dear\" | \u00e9 "]"#),
        Case(#"["{{name|}}"]"#, [:], #"[""]"#),
        Case(#"["{{badge:json|3}}"]"#, [:], "[3]"),
        Case(#"["{{badge:json|3}}"]"#, ["badge": .text("")], "[3]"),
        Case(#"["{{badge:json|3}}"]"#, ["badge": .null], "[3]"),
        Case(#"["{{badge:json|3}}"]"#, ["badge": .json("null")], "[null]"),
        Case(#"["{{badge:json|\"x\"}}"]"#, [:], #"["x"]"#),
        Case(#"["{{badge:json|{\"a\":{}}}}"]"#, [:], #"[{"a":{}}]"#),
        Case(#"["{{badge:json|\u0033}}"]"#, [:], "[3]"),
        // Empty text without a default stays empty.
        Case(#"["{{name}}"]"#, ["name": .text("")], #"[""]"#),
        // Names.
        Case(
            #"["{{user.name}}{{größe}}{{a-b_C9}}"]"#,
            ["user.name": .text("1"), "größe": .text("2"), "a-b_C9": .text("3")], #"["123"]"#),
        // Keys of objects.
        Case(#"{"{{name}}":1}"#, ["name": .text("k\"")], #"{"k\"":1}"#),
        // Not placeholders.
        Case(
            #"["{name}","}}","{ {name}}","\u007b{name}}","{\u007bname}}","\\u007b"]"#, [:],
            #"["{name}","}}","{ {name}}","\u007b{name}}","{\u007bname}}","\\u007b"]"#),
        Case(#"{"a":{"b":{}}}"#, [:], #"{"a":{"b":{}}}"#),
        Case(#"["\"{{name}}\"","\\{{name}}\\"]"#, ["name": .text("n")], #"["\"n\"","\\n\\"]"#),
        Case(#"["{{name}}}"]"#, ["name": .text("n")], #"["n}"]"#),
    ])
    func `a row is rendered`(_ example: Case) throws {
        let template = try template(example.template)
        var out = ByteBuffer(capacity: 16)
        out.append("before")
        let fault = template.render(batch(example.values), row: 0, into: &out, isJSON: isJSON)
        #expect(fault == nil)
        #expect(String(decoding: out.bytes, as: UTF8.self) == "before" + example.expected)
    }

    /// The row's value is JSON already, so a string is that string.
    @Test(arguments: [
        Case(#"["{{badge:json}}"]"#, ["badge": .text("Hello")], #"["Hello"]"#),
        Case(#"["{{badge:json}}"]"#, ["badge": .text("5")], #"["5"]"#),
        Case(#"["{{badge:json}}"]"#, ["badge": .text("a\"\\\n")], #"["a\"\\\n"]"#),
        Case(#"["{{badge:json}}"]"#, ["badge": .text("")], #"[""]"#),
        Case(#"["{{badge:json}}"]"#, ["badge": .json("5")], "[5]"),
        Case(#"["{{badge:json|3}}"]"#, ["badge": .text("")], #"[""]"#),
        Case(#"["{{badge:json|3}}"]"#, ["badge": .null], "[3]"),
        // Only a cell is empty without having been written.
        Case(#"["{{name|friend}}"]"#, ["name": .text("")], #"[""]"#),
    ])
    func `a string of NDJSON is a string`(_ example: Case) throws {
        let batch = batch(example.values)
        batch.hasJSONStrings = true
        var out = ByteBuffer()
        let fault = try template(example.template)
            .render(batch, row: 0, into: &out, isJSON: isJSON)
        #expect(fault == nil)
        #expect(String(decoding: out.bytes, as: UTF8.self) == example.expected)
    }

    @Test func `a fault of a row leaves nothing behind`() throws {
        let badge = try #require(Self.schema.slot(named: "badge"))
        let cases: [(String, [String: Value], RenderFault)] = [
            (#"["{{badge}}"]"#, [:], .missingValue(slot: badge)),
            (#"["{{badge}}"]"#, ["badge": .null], .missingValue(slot: badge)),
            (#"["{{badge:json}}"]"#, [:], .missingValue(slot: badge)),
            (#"["{{badge:json}}"]"#, ["badge": .text("gold")], .notJSON(slot: badge)),
            (#"["{{badge:json}}"]"#, ["badge": .text("")], .notJSON(slot: badge)),
            (#"["{{badge:json|3}}"]"#, ["badge": .text("x")], .notJSON(slot: badge)),
            (#"["{{name}} {{badge}}"]"#, ["name": .text("Ann")], .missingValue(slot: badge)),
        ]
        for (json, values, expected) in cases {
            let template = try template(json)
            var out = ByteBuffer()
            out.append("before")
            let fault = template.render(batch(values), row: 0, into: &out, isJSON: isJSON)
            #expect(fault == expected, "\(json)")
            #expect(String(decoding: out.bytes, as: UTF8.self) == "before")
        }
    }

    @Test(
        arguments: [
            (#"["{{name"]"#, .unclosedPlaceholder, "{{name", 2),
            (#"["{{"]"#, .unclosedPlaceholder, "{{", 2),
            (#"["{{name}","}}"]"#, .unclosedPlaceholder, "{{name}", 2),
            (#"["a {{name|b {{badge}}"]"#, .unclosedPlaceholder, "{{name|b {{badge}}", 4),
            (#"["{{}}"]"#, .emptyName, "{{}}", 2),
            (#"["{{  }}"]"#, .emptyName, "{{  }}", 2),
            (#"["{{|x}}"]"#, .emptyName, "{{|x}}", 2),
            (#"["{{:json}}"]"#, .emptyName, "{{:json}}", 2),
            (#"["{{a b}}"]"#, .invalidName, "{{a b}}", 2),
            (#"["{{name:text}}"]"#, .invalidName, "{{name:text}}", 2),
            (#"["{{{name}}}"]"#, .invalidName, "{{{name}}", 2),
            (#"["{{n\u0061me}}"]"#, .invalidName, #"{{n\u0061me}}"#, 2),
            (#"["{{badge:json}} "]"#, .jsonNotAlone, "{{badge:json}}", 2),
            (#"["x{{badge:json}}"]"#, .jsonNotAlone, "{{badge:json}}", 3),
            (#"["x{{badge:json|3}}"]"#, .jsonNotAlone, "{{badge:json|3}}", 3),
            (#"["{{badge:json|3}} "]"#, .jsonNotAlone, "{{badge:json|3}} ", 2),
            (#"{"{{badge:json}}":1}"#, .jsonAsKey, "{{badge:json}}", 2),
            (#"["{{badge:json|gold}}"]"#, .invalidDefault, "{{badge:json|gold}}", 2),
            (#"["{{badge:json|}}"]"#, .invalidDefault, "{{badge:json|}}", 2),
            (#"{"k":"{{other}}"}"#, .unknownColumn, "{{other}}", 6),
        ] as [(String, PayloadTemplateError.Code, String, Int)])
    func `a mistake in a template is named with its place`(
        json: String, code: PayloadTemplateError.Code, placeholder: String, offset: Int
    ) {
        let expected = PayloadTemplateError(code, placeholder: placeholder, offset: offset)
        #expect(throws: expected) { try template(json) }
        #expect(expected.description.contains(placeholder))
    }

    @Test func `the columns of a template are known before the schema`() throws {
        let json = #"{"a":"{{name}} {{other|x}} {{name}}","b":"{{n:json}}","{{k}}":"\u007b{no}}"}"#
        #expect(
            try PayloadTemplate.columnNames(inJSON: Array(json.utf8)) == [
                "name", "other", "n", "k",
            ])
        #expect(try PayloadTemplate.columnNames(inJSON: Array("{}".utf8)) == [])
        let ends = #"["{{ azAZ09_-. }}"]"#
        #expect(try PayloadTemplate.columnNames(inJSON: Array(ends.utf8)) == ["azAZ09_-."])
        #expect(throws: PayloadTemplateError.self) {
            try PayloadTemplate.columnNames(inJSON: Array(#""{{""#.utf8))
        }
    }
}
