import Foundation

/// A fenced block of a document, with what its info string says.
///
/// ```
/// ```sh                      run, and has to end with 0
/// ```sh exit=3               has to end with 3; with exit=0|5 either will do
/// ```sh background           a server: started, and left to run
/// ```sh not-run              needs what a test has not; see `DocumentationTests`
/// ```text output             lines that the block before has said, … stands for anything
/// ```json payload.json       a file of this name for the blocks that follow
/// ```
/// A comment `<!-- run first: COMMAND -->` is for what a reader does by hand, and
/// `<!-- leave running: COMMAND -->` for what runs meanwhile.
struct DocumentBlock {
    let document: String
    let line: Int
    let language: String
    /// The words of the info string behind the language.
    let words: [String]
    let text: String
    /// The preparations before it.
    let before: [Preparation]

    struct Preparation: Equatable {
        let command: String
        let isLeftRunning: Bool
    }

    var lines: [Substring] { text.split(separator: "\n") }
    var place: String { "\(document):\(line)" }

    /// The exit codes that are right.
    var exitCodes: [Int32] {
        guard let word = words.first(where: { $0.hasPrefix("exit=") }) else { return [0] }
        return word.dropFirst("exit=".count).split(separator: "|").compactMap { Int32($0) }
    }

    /// All blocks of a document, in order.
    static func all(in text: String, of document: String) -> [DocumentBlock] {
        var blocks: [DocumentBlock] = []
        var before: [Preparation] = []
        var open: (line: Int, indent: Int, info: [String], text: [Substring])?
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let content = line.drop { $0 == " " }
            if var block = open {
                guard content == "```" else {
                    block.text.append(line.dropFirst(min(block.indent, line.count - content.count)))
                    open = block
                    continue
                }
                blocks.append(
                    DocumentBlock(
                        document: document, line: block.line, language: block.info.first ?? "",
                        words: Array(block.info.dropFirst()),
                        text: block.text.map { $0 + "\n" }.joined(), before: before))
                before = []
                open = nil
            } else if content.hasPrefix("```") {
                let info = content.dropFirst(3).split(separator: " ").map(String.init)
                open = (index + 1, line.count - content.count, info, [])
            } else if let match = content.wholeMatch(of: /<!-- (run first|leave running): (.*) -->/)
            {
                before.append(
                    Preparation(
                        command: String(match.2), isLeftRunning: match.1 == "leave running"))
            }
        }
        return blocks
    }
}

/// README and guides, as they are in the repository.
enum Documents {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The paths of README and of all that is below `docs`.
    static let names: [String] = {
        let walk = FileManager.default.enumerator(atPath: root.appending(path: "docs").path)
        let below = (walk?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".md") }
        return ["README.md"] + below.map { "docs/\($0)" }.sorted()
    }()

    static func blocks(of name: String) throws -> [DocumentBlock] {
        let text = try String(contentsOf: root.appending(path: name), encoding: .utf8)
        return DocumentBlock.all(in: text, of: name)
    }

    /// Those that have something to run.
    static let withCommands = names.filter { name in
        (try? blocks(of: name))?.contains { $0.language == "sh" && !$0.words.contains("not-run") }
            ?? true
    }
}
