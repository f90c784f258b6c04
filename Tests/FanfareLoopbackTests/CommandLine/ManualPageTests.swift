import FanfareCLI
import FanfareTestSupport
import Foundation
import Testing

/// The manual page, as mandoc sees it.
@Suite(
    .enabled(
        if: Executable.path("mandoc") != nil
            || ProcessInfo.processInfo.environment["FANFARE_REQUIRE_SERVERS"] == "1",
        "mandoc is not installed; FANFARE_REQUIRE_SERVERS=1 makes that a failure"))
struct ManualPageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func mandoc(_ page: String, _ arguments: String...) throws -> (Int32?, String) {
        try folder.write(page, to: "fanfare.1")
        let process = try ChildProcess(
            Executable.path("mandoc") ?? "mandoc", arguments + ["fanfare.1"],
            output: folder.path("out"), errors: folder.path("out"), directory: folder.path)
        return (process.waitUntilExit(), folder.text(of: "out"))
    }

    @Test func `mandoc finds nothing to complain about`() throws {
        let (status, output) = try mandoc(ManualPage.text(), "-Tlint", "-Wall")
        #expect(status == 0)
        #expect(output == "")
    }

    @Test func `what is shown has every option and example as they are typed`() throws {
        let (status, output) = try mandoc(ManualPage.text(), "-Tascii", "-Owidth=100")
        #expect(status == 0)
        // Bold is a letter, a backspace and the letter again.
        let shown = output.replacing(/.\u{8}/, with: "")
        for command in Commands.all {
            for option in command.options {
                #expect(shown.contains("--\(option.name)"), "\(command.name)")
                if let placeholder = option.placeholder {
                    #expect(shown.contains("--\(option.name) \(placeholder)"))
                }
            }
            for example in command.examples {
                let last = try #require(example.words.last)
                #expect(shown.contains(last), "\(last)")
            }
        }
        #expect(shown.contains("--title 'Hi {{name|there}}'"))
    }

    @Test func `no text of the tables is taken for a request`() throws {
        let hostile = #".so /etc/passwd 'br \fBbold\n "quoted" \" Xo . ' -- --x ~ ^ ` é Ar ( ] ,"#
        let command = CommandSpec(
            "try", hostile, usage: [hostile],
            positional: PositionalSpec(hostile, noun: "a word", countMin: 0, hostile),
            options: [
                Option("text", .value(.text(hostile)), .general, hostile),
                Option("flag", .flag, .general, "'br is the first word of it"),
            ], examples: [ExampleSpec(hostile, ".so", "\\fB", "'x'", hostile)],
            run: { _ in 0 })
        let (_, warnings) = try mandoc(ManualPage.text([command]), "-Tlint", "-Wwarning")
        #expect(warnings == "")
        try? FileManager.default.removeItem(atPath: folder.path("out"))
        let (status, output) = try mandoc(ManualPage.text([command]), "-Tutf8", "-Owidth=500")
        #expect(status == 0)
        let shown = output.replacing(/.\u{8}/, with: "")
        #expect(shown.contains("--text \(hostile)"))
        #expect(shown.contains("'br is the first word of it."))
        #expect(shown.contains(#"fanfare .so"#))
    }

    @Test func `the command prints it`() throws {
        let result = try CommandLineTool().run("man")
        result.expect(0)
        #expect(result.output == ManualPage.text())
    }
}
