import Fanfare
import Foundation
import Testing

// The lines between the markers are compiled here, and stand as they are in the README.
private func example() throws {
    // example: begin
    var configuration = Configuration()
    configuration.inputs = [.file("rows.csv")]
    configuration.payload = .template(
        json: Array(#"{"aps":{"alert":"Hi {{name}}"}}"#.utf8), name: "template")
    configuration.provider.credentials = .token(
        keyFile: "AuthKey.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    configuration.provider.topic = "com.example.app"

    let result = try Job(configuration).run()
    print(result.outcomes["accepted", default: 0], "of", result.rowsRead)
    // example: end
}

@Suite struct ExampleTests {
    @Test(arguments: ["README.md", "Sources/Fanfare/Fanfare.docc/Fanfare.md"])
    func `the example of the documents compiles`(_ document: String) throws {
        let file = URL(filePath: #filePath)
        let root = file.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let lines = try String(contentsOf: file, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false)
        let begin = try #require(lines.firstIndex { $0.hasSuffix("// example: begin") })
        let end = try #require(lines.firstIndex { $0.hasSuffix("// example: end") })
        let code = lines[begin + 1..<end].map { $0.dropFirst(4) }.joined(separator: "\n")
        let text = try String(contentsOf: root.appending(path: document), encoding: .utf8)
        #expect(text.contains("```swift\nimport Fanfare\n\n\(code)\n```"))
    }

    @Test func `the example says what is missing when it is run as it is`() {
        #expect(throws: FanfareError.self) { try example() }
    }
}
