import Foundation
import Testing

/// Options that a command declares: each one is read, for an option without an effect misleads.
@Suite struct OptionUseTests {
    private static let tables = "Sources/FanfareCLI/Arguments/Tables/"

    @Test func `each option is read outside of the tables`() throws {
        var declared: [(name: String, place: String)] = []
        var rest = ""
        for file in try Tree.swift(in: "Sources/FanfareCLI") {
            let isTable = file.path.hasPrefix(Self.tables + "Options")
            for (number, line) in file.code {
                if !isTable {
                    rest += line + "\n"
                } else if let name = Self.declaredOption(in: line) {
                    declared.append((name, "\(file.path):\(number)"))
                }
            }
        }
        #expect(declared.count > 150)
        // Members: what stands behind a dot.
        let names = Set(
            rest.split { !($0.isLetter || $0.isNumber || $0 == "." || $0 == "_") }.flatMap {
                $0.split(separator: ".", omittingEmptySubsequences: false).dropFirst()
                    .map(String.init)
            })
        for (name, place) in declared where !names.contains(name) {
            Issue.record("\(place): no command reads \(name) (CONTRIBUTING: An option)")
        }
    }

    /// Returns the name in a line such as `static let rate = Option(`.
    private static func declaredOption(in line: String) -> String? {
        let words = line.split(separator: " ")
        guard words.count >= 5, words[0] == "static", words[1] == "let", words[3] == "=",
            words[4].hasPrefix("Option(")
        else { return nil }
        return String(words[2])
    }
}
