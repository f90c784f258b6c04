import Foundation
import Testing

/// `make test` insists on all servers, so the script that it runs first has to install them all.
@Suite struct SetupTests {
    private static let script = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "dev/setup")

    @Test(arguments: ServerProcess.Program.allCases)
    func `the set-up installs each server that the tests talk to`(
        program: ServerProcess.Program
    ) throws {
        let script = try String(contentsOf: Self.script, encoding: .utf8)
        #expect(script.contains("command -v \(program.rawValue) ;;"))
    }
}
