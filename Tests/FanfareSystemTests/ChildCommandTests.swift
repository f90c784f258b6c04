import FanfareTestSupport
import Foundation
import Testing

@testable import FanfareSystem

/// Commands of the shell, run as the end of a job runs them.
@Suite struct ChildCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func ending(
        of command: String, input: [UInt8] = [], variables: [String: String?] = [:]
    ) throws -> ChildCommand.Ending {
        let child = try ChildCommand(
            "cd \(folder.url.path); \(command)", input: input, variables: variables)
        child.waitForEnd()
        return child.reap()
    }

    @Test(arguments: [0, 1, 3, 255] as [Int32])
    func `the exit code is the command's`(code: Int32) throws {
        #expect(try ending(of: "exit \(code)") == .exited(code))
    }

    @Test func `a signal that ends it is told`() throws {
        #expect(try ending(of: "kill -9 $$") == .killed(signal: 9))
    }

    @Test func `it reads its input to the end, whatever the length`() throws {
        // More than a pipe holds.
        let input = [UInt8](repeating: UInt8(ascii: "x"), count: 300_000)
        #expect(try ending(of: "wc -c > count", input: input) == .exited(0))
        #expect(folder.text(of: "count").filter { !$0.isWhitespace } == "300000")
        #expect(try ending(of: "true", input: input) == .exited(0))
    }

    @Test func `variables are set, replaced and taken away`() throws {
        let variables: [String: String?] = ["FANFARE_A": "a b'c", "HOME": "/none", "PATH": nil]
        #expect(
            try ending(
                of: "echo \"$FANFARE_A|$HOME\" > said; env | /bin/grep -c ^PATH= >> said; true",
                variables: variables) == .exited(0))
        #expect(folder.text(of: "said").hasPrefix("a b'c|/none\n"))
    }

    @Test func `it has a group of its own, which is ended as a whole`() throws {
        let child = try ChildCommand(
            "cd \(folder.url.path); sleep 300 & echo $! > sleeper; wait", input: [], variables: [:])
        let isUp = Poll.until(seconds: 30) { folder.text(of: "sleeper").hasSuffix("\n") }
        try #require(isUp)
        child.end(atOnce: false)
        child.waitForEnd()
        #expect(child.reap() == .killed(signal: 15))
        let sleeper = folder.text(of: "sleeper").filter(\.isNumber)
        // It is gone, or waits for its new parent to hear of it.
        let isGone = Poll.until(seconds: 30) {
            let state =
                (try? String(contentsOfFile: "/proc/\(sleeper)/stat", encoding: .utf8)) ?? ""
            return state.isEmpty || state.contains(") Z ")
        }
        #expect(isGone)
    }
}
