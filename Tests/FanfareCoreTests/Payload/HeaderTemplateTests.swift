import FanfareBase
import FanfareCore
import Testing

@Suite struct HeaderTemplateTests {
    private let rows = PayloadTemplateTests()

    private func render(
        _ text: String, _ values: [String: PayloadTemplateTests.Value]
    ) throws -> (text: String, fault: RenderFault?) {
        let template = try HeaderTemplate(text, schema: PayloadTemplateTests.schema)
        var out = ByteBuffer(capacity: 16)
        out.append("before ")
        let fault = template.render(rows.batch(values), row: 0, into: &out)
        return (String(decoding: out.bytes, as: UTF8.self), fault)
    }

    @Test(arguments: [
        ("order", "order"), ("", ""), ("{{name}}", "a\"b\\c"), ("o-{{name}}.", "o-a\"b\\c."),
        ("{{badge}}{{name}}", "7a\"b\\c"), ("{{user.name|none \"here\"\\}}!", "none \"here\"\\!"),
        ("{{a-b_C9|x}}", "x"), ("\u{E9}\t{{badge}}\u{1F389}", "\u{E9}\t7\u{1F389}"),
    ])
    func `values stand as they are`(text: String, expected: String) throws {
        let found = try render(
            text, ["name": .text("a\"b\\c"), "badge": .json("7"), "a-b_C9": .text("")])
        #expect(found.text == "before " + expected)
        #expect(found.fault == nil)
    }

    @Test func `a value that is missing leaves nothing behind`() throws {
        let slot = try #require(PayloadTemplateTests.schema.slot(named: "name"))
        let found = try render("{{badge}}-{{name}}", ["badge": .json("7"), "name": .null])
        #expect(found.text == "before ")
        #expect(found.fault == .missingValue(slot: slot))
    }

    @Test func `mistakes are faults of the template`() throws {
        func code(_ text: String) -> PayloadTemplateError.Code? {
            do throws(PayloadTemplateError) {
                _ = try HeaderTemplate(text, schema: PayloadTemplateTests.schema)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code("{{name") == .unclosedPlaceholder)
        #expect(code("{{badge:json}}") == .jsonNotAlone)
        #expect(code("{{other}}") == .unknownColumn)
        #expect(try HeaderTemplate.columnNames(in: "{{b}}-{{a|x}}-{{b}}") == ["b", "a"])
        #expect(try HeaderTemplate.columnNames(in: "none") == [])
    }
}
