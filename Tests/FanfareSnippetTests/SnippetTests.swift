import Fanfare
import FanfareSimulator
import Foundation
import Testing

/// The documents and the files of snippets say the same.
@Suite struct SnippetTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The lines between markers, without what they are indented by.
    private func snippets() throws -> Set<String> {
        var snippets: Set<String> = []
        for file in ["Snippets", "ServiceSnippets"] {
            var lines: [Substring]?
            var indent = 0
            for line in try Self.text("Tests/FanfareSnippetTests/\(file).swift").split(
                separator: "\n", omittingEmptySubsequences: false)
            {
                if line.hasSuffix("// snippet: begin") {
                    lines = []
                    indent = line.prefix { $0 == " " }.count
                } else if line.hasSuffix("// snippet: end") {
                    snippets.insert(lines?.joined(separator: "\n") ?? "")
                    lines = nil
                } else {
                    lines?.append(line.dropFirst(indent))
                }
            }
        }
        return snippets
    }

    /// The blocks of Swift in a text.
    private func blocks(_ text: String) -> [String] {
        var blocks: [String] = []
        var lines: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```swift" {
                lines = []
            } else if line == "```", let block = lines {
                blocks.append(block.joined(separator: "\n"))
                lines = nil
            } else {
                lines?.append(line)
            }
        }
        return blocks
    }

    private static func files(in folder: String, _ ending: String) -> [String] {
        let names = FileManager.default.enumerator(atPath: root.appending(path: folder).path)
        return (names?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(ending) }
            .map { "\(folder)/\($0)" }
    }

    @Test func `each block of Swift in a document is compiled`() throws {
        let snippets = try snippets()
        var documented: Set<String> = []
        for file in ["README.md", "docs/library.md"]
            + Self.files(in: "Sources/Fanfare/Fanfare.docc", ".md")
        {
            for block in blocks(try Self.text(file)) {
                let code = block.replacing(/^import Fanfare\n\n/, with: "")
                #expect(snippets.contains(code), "\(file):\n\(code)")
                documented.insert(code)
            }
        }
        for file in Self.files(in: "Sources/Fanfare", ".swift")
            + Self.files(in: "Sources/FanfareFoundation", ".swift")
            + ["Sources/FanfareSimulator/Simulator.swift"]
        {
            let comments = try Self.text(file).split(separator: "\n").compactMap { line in
                line.firstMatch(of: /^ *\/\/\/ ?(.*)$/)?.1
            }
            for code in blocks(comments.joined(separator: "\n")) {
                #expect(snippets.contains(code), "\(file):\n\(code)")
                documented.insert(code)
            }
        }
        #expect(snippets.subtracting(documented).isEmpty)
    }

    @Test func `each public type is in a group of the catalogue`() throws {
        let topics = try Self.text("Sources/Fanfare/Fanfare.docc/Fanfare.md")
        for file in Self.files(in: "Sources/Fanfare", ".swift") {
            for line in try Self.text(file).split(separator: "\n")
            where line.hasPrefix("public ") {
                guard
                    let name = line.firstMatch(
                        of: /^public (?:final )?(?:class|struct|enum|protocol) (\w+)/)?.1
                else { continue }
                #expect(topics.contains("- ``\(name)``"), "\(file): \(name)")
            }
        }
    }
}
