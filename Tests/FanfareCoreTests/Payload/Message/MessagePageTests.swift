import FanfareCore
import Foundation
import Testing

/// The page about messages shows the table that translates them.
@Suite struct MessagePageTests {
    @Test func `it shows the mapping as it is`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/messages.md"), encoding: .utf8)
        let begin = try #require(text.range(of: "<!-- table of messages: begin -->\n"))
        let end = try #require(text.range(of: "<!-- table of messages: end -->"))
        let shown = String(text[begin.upperBound..<end.lowerBound])
        #expect(
            shown == MessageMapping.markdownTable,
            "put this between the markers:\n\(MessageMapping.markdownTable)")
    }

    @Test func `the table has each field at each provider once`() {
        for field in MessageField.allCases {
            for provider in ProviderKind.allCases {
                let rows = MessageMapping.table.filter {
                    $0.field == field && $0.provider == provider
                }
                #expect(rows.count == 1, "\(field) at \(provider)")
                // A field that is lost is explained.
                #expect(rows.allSatisfy { !$0.targets.isEmpty || !$0.remark.isEmpty })
            }
        }
        #expect(
            MessageMapping.table.count
                == MessageField.allCases.count * ProviderKind.allCases.count)
    }
}

extension MessageMapping {
    /// The table as the page shows it, ending with a line end.
    static var markdownTable: String {
        let providers = ProviderKind.allCases
        var text = "| field | what it is | \(providers.map(\.title).joined(separator: " | ")) |\n"
        text += "| --- | --- |" + providers.map { _ in " --- |" }.joined() + "\n"
        for field in MessageField.allCases {
            let cells = providers.map { of(field, $0).cell }
            text +=
                "| `\(field.rawValue)` | \(field.meaning) | \(cells.joined(separator: " | ")) |\n"
        }
        return text
    }

    private var cell: String {
        if targets.isEmpty { return "– (\(remark))" }
        let places = targets.map(\.words).joined(separator: ", ")
        return remark.isEmpty ? places : "\(places); \(remark)"
    }
}

extension MessageTarget {
    fileprivate var words: String {
        let name =
            switch place {
            case .pointer(let pointer): "`\(pointer)`"
            case .header(let header): "header `\(header)`"
            }
        let value =
            switch form {
            case .text, .number, .seconds: ""
            case .mark(let json): " = `\(json)`"
            case .duration: " as `3600s`"
            case .moment: " as the moment that is `ttl` after the start of the job"
            case .words(let high, let normal): " = `\(high)` or `\(normal)`"
            }
        return name + value + (fallback.map { ", `\($0)` by itself" } ?? "")
            + (wantsText ? " beside a title or a body" : "")
    }
}
