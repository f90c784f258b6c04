import Fanfare
import Foundation
import Testing

@Suite struct OwnInputTests {
    @Test func `a report never replaces the rows that it is about`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).csv")
        let rows = "token\n00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0\n"
        try rows.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = Configuration()
        configuration.inputs = [.file(file.path)]
        configuration.payload = .template(json: Array(#"{"aps":{}}"#.utf8), name: "template")
        configuration.report.path = file.path
        configuration.report.overwrites = true

        let error = #expect(throws: FanfareError.self) { _ = try Rehearsal(configuration) }
        #expect(error?.code == .configuration)
        #expect(try String(contentsOf: file, encoding: .utf8) == rows)
    }
}
