import Foundation
import Testing

/// A new state or action breaks the build wherever it has to be decided about (STYLE: State machines).
@Suite struct StateTests {
    /// The last word of a state's or an action's name.
    private static let endings = ["State", "Phase", "Action", "Event", "Progress"]
    /// Those that have another name.
    private static let others = [
        "AttemptEnd", "AttemptCause", "Past", "Order", "ConnectionFailure", "Retry", "Verdict",
    ]
    /// Switches with a `default:`, by file and the first words of their line.
    ///
    /// The list gets shorter only.
    private static let known: Set<String> = [
        "Sources/Fanfare/Engine/Complaints.swift: switch attempt.ending",
        "Sources/Fanfare/Engine/ProviderWatch.swift: switch attempt.ending",
    ]

    /// An enumeration of states or actions, and its cases.
    private struct Machine {
        var name: String
        var cases: Set<String>
    }

    @Test func `a switch over states or actions has no default`() throws {
        let machines = try Self.machines()
        #expect(machines.count >= 25, "the names of states have changed")
        var found: Set<String> = []
        for file in try Tree.swift(in: "Sources") {
            for (line, subject, names) in Self.defaults(file) {
                let machine = machines.first { names.isSubset(of: $0.cases) }
                guard let machine else { continue }
                let words = subject.split(separator: " ").prefix(2).joined(separator: " ")
                let place = "\(file.path): \(words)"
                found.insert(place)
                #expect(
                    Self.known.contains(place),
                    "\(file.path):\(line): default over \(machine.name) (STYLE: State machines)")
            }
        }
        for place in Self.known.subtracting(found).sorted() {
            Issue.record("\(place): has no default any more; take it out of the list")
        }
    }

    private static func machines() throws -> [Machine] {
        try Tree.swift(in: "Sources").flatMap { file -> [Machine] in
            guard file.lines.contains(where: { $0.text.contains("enum ") }) else { return [] }
            let code = file.code
            return code.indices.compactMap { index -> Machine? in
                let text = code[index].text
                guard let match = text.firstMatch(of: /\benum (\w+)/) else { return nil }
                let name = String(match.1)
                guard endings.contains(where: name.hasSuffix) || others.contains(name) else {
                    return nil
                }
                let end = text.prefix { $0 == " " } + "}"
                let body = code[(index + 1)...].prefix { !$0.text.hasPrefix(end) }
                let inside = text.prefix { $0 == " " } + "    case "
                let cases = body.filter { $0.text.hasPrefix(inside) }
                    .flatMap { parts(ofCase: $0.text.trimmed).map(String.init) }
                return cases.isEmpty ? nil : Machine(name: name, cases: Set(cases))
            }
        }
    }

    /// The texts between the commas of a case, up to its colon, without those in parentheses:
    /// `case open(since: Instant, Int), closed` has `open` and `closed`, `case .a(let b), .c: d()` has `.a`
    /// and `.c`.
    private static func parts(ofCase line: Substring) -> [Substring] {
        var depth = 0
        var words = ""
        for character in line.dropFirst("case ".count) {
            if character == ":" && depth == 0 { break }
            if character == "(" { depth += 1 }
            if depth == 0 { words.append(character) }
            if character == ")" { depth -= 1 }
        }
        return words.split(separator: ",").map { part in
            part.trimmingPrefix(" ").trimmingPrefix("let ").prefix { $0 != " " }
        }
    }

    /// The switches over an enumeration that have a `default:`, and the names of their other cases.
    private static func defaults(
        _ file: Tree.File
    ) -> [(line: Int, subject: String, names: Set<String>)] {
        guard file.lines.contains(where: { $0.text.trimmed.hasPrefix("default:") }) else {
            return []
        }
        let code = file.code
        return code.indices.compactMap { index in
            guard code[index].text.trimmed.hasPrefix("default:") else { return nil }
            let margin = code[index].text.prefix { $0 == " " }
            var names: Set<String> = []
            // The formatter puts `switch`, `case` and `default` below each other.
            for (_, text) in code[..<index].reversed() {
                guard text.hasPrefix(margin), !text.dropFirst(margin.count).hasPrefix(" ") else {
                    continue
                }
                if let subject = text.range(of: "switch ") {
                    guard !names.isEmpty else { return nil }
                    return (code[index].number, String(text[subject.lowerBound...]), names)
                }
                guard text.trimmed.hasPrefix("case ") else { continue }
                let parts = parts(ofCase: text.trimmed)
                guard parts.allSatisfy({ $0.hasPrefix(".") }) else { return nil }
                names.formUnion(parts.map { String($0.dropFirst()) })
            }
            return nil
        }
    }
}
