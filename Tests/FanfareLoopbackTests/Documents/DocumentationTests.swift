import Foundation
import Testing

/// Every command in README and guides is run as it stands there, in the order in which it stands there.
///
/// `DocumentBlock` says what fenced blocks can be, `DocumentStage` what the commands meet.
@Suite struct DocumentationTests {
    @Test(arguments: Documents.withCommands)
    func `the commands of a document work`(document: String) throws {
        let stage = try DocumentStage()
        for block in try Documents.blocks(of: document) { try stage.play(block) }
    }

    /// Commands that need rights, a network, a toolchain or a machine of their own.
    private static let notRun = [
        "make", "sudo", "docker", "systemctl", "systemd-run", "journalctl", "alias",
    ]

    @Test(arguments: Documents.names)
    func `only what no test can run is left out`(document: String) throws {
        for block in try Documents.blocks(of: document) {
            let isLeftOut = block.words.contains("not-run")
            for line in block.lines {
                // A comment, or the rest of a command.
                guard let word = line.split(separator: " ").first, line.first != " ", word != "#"
                else { continue }
                if isLeftOut {
                    // Or they are about a database server of the reader's.
                    #expect(
                        Self.notRun.contains(String(word)) || line.contains("postgresql://"),
                        "\(block.place): \(line)")
                } else if block.language != "sh" {
                    #expect(
                        word != "fanfare" && !Self.notRun.contains(String(word)),
                        "\(block.place): a command in a block that is not 'sh'")
                }
            }
        }
    }

    /// A reader searches for the words of a message; those of libraries are as they are.
    @Test func `the messages of the guide to troubles are those of the code`() throws {
        let guide = try String(
            contentsOf: Documents.root.appending(path: "docs/guides/troubleshooting.md"),
            encoding: .utf8)
        let messages =
            guide.matches(of: #/(?m)^\| `([a-z][^`|]*)` \|/#).map { String($0.1) }
            + guide.matches(of: #/(?m)^- `([a-z][^`]*)`:/#).map { String($0.1) }
        #expect(messages.count >= 14)
        var code = ""
        let sources = Documents.root.appending(path: "Sources")
        let walk = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        while let file = walk?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            code += try String(contentsOf: file, encoding: .utf8)
        }
        for message in messages
        where !["connection refused", "certificate has expired"].contains(message) {
            #expect(code.contains(message), "no code says '\(message)'")
        }
    }

    @Test func `blocks are found with what belongs to them`() throws {
        let text = """
            # A
            <!-- run first: touch a -->
            ```sh exit=0|5
            b \\
                c
            ```

            1. Nested:

               ```json x.json
               { "a":
                   1 }
               ```
            ```text output
            d … e
            ```
            """
        let blocks = DocumentBlock.all(in: text, of: "a.md")
        try #require(blocks.count == 3)
        #expect(blocks[0].before == [.init(command: "touch a", isLeftRunning: false)])
        #expect(blocks[0].exitCodes == [0, 5])
        #expect(blocks[0].text == "b \\\n    c\n" && blocks[0].line == 3)
        #expect(blocks[1].words == ["x.json"] && blocks[1].before.isEmpty)
        #expect(blocks[1].text == "{ \"a\":\n    1 }\n")
        #expect(blocks[2].language == "text" && blocks[2].words == ["output"])
    }
}
