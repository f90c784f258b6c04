import FanfareBase
import Foundation
import Testing

@testable import Fanfare

/// The names that programs know settings by.
@Suite struct SettingTests {
    /// The members of a type's declaration and extensions, by its name.
    private static let members: [String: [String]] = {
        var members: [String: [String]] = [:]
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let url = walk?.nextObject() as? URL {
            guard url.pathExtension == "swift",
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            var types: [(name: String, indent: Int)] = []
            for line in text.split(separator: "\n") {
                let indent = line.prefix { $0 == " " }.count
                if line.hasSuffix("}"), indent == types.last?.indent { types.removeLast() }
                let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(
                    String.init)
                if let place = words.firstIndex(where: { declarations.contains($0) }),
                    line.hasSuffix("{"), place + 1 < words.count
                {
                    types.append((words[place + 1], indent))
                } else if let type = types.last, indent == type.indent + 4,
                    let place = words.firstIndex(where: { keywords.contains($0) }),
                    place + 1 < words.count
                {
                    members[type.name, default: []].append(words[place + 1])
                }
            }
        }
        return members
    }()

    private static let keywords = ["var", "let", "case", "func"]
    private static let declarations = ["struct", "enum", "class", "extension"]

    @Test(arguments: Setting.allCases)
    func `a setting is a member of a type`(setting: Setting) throws {
        let path = try #require(setting.rawValue.split { $0 == " " || $0 == "(" }.first)
        let names = path.split(separator: ".").suffix(2).map(String.init)
        try #require(names.count == 2)
        #expect(Self.members[names[0]]?.contains(names[1]) == true, "\(setting.rawValue)")
    }

    @Test func `a statement names settings as programs write them`() {
        let statement: Statement =
            """
            \(.resumes) needs a report; \(.reportPath, any: "FILE") names one, \
            \(.delivery, option: "at-least-once", member: ".atLeastOnce") sends again, \
            \(.mapping, of: "token", is: "device") reads on
            """
        #expect(
            statement.description
                == "ReportOptions.resumes needs a report; ReportOptions.path names one, "
                + "EngineOptions.delivery = .atLeastOnce sends again, "
                + #"RowOptions.mapping = ["token": "device"] reads on"#)
    }

    private enum Choice: String {
        case wholeFile = "whole-file"
    }

    @Test func `a value of a setting is its option's word, and the case of its type`() {
        let statement: Statement = "\(.quotes, Choice.wholeFile)"
        #expect(statement.text(.members) == "RowOptions.quotes = .wholeFile")
        #expect(statement.text(.options { "--\($0)" }) == "--quotes whole-file")
    }

    @Test func `a message can name whatever a job that is carried on must have kept`() {
        let names = JobFingerprint.settings(of: Configuration()).map(\.name)
        let worded = names.filter { JobFingerprint.settingNames[$0] == nil }
        #expect(worded == ["report-columns", "payload", "sqlite"])
    }

    @Test func `statements are equal if they say the same, however they were put together`() {
        let (one, two) = (1, "two")
        var parts: Statement = "a \(one) "
        parts += Statement(two) + " \(.topic)"
        parts += "" + ", \(parts)"
        #expect(parts == "a 1 two \(.topic), a 1 two \(.topic)")
        #expect(parts.pieces.count == 4 && Statement("").isEmpty && !parts.isEmpty)
        #expect(parts != "a 1 two \(.topic), a 1 two \(.pushType)")
    }
}
