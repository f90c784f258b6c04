import Foundation

/// The repository's files.
enum Tree {
    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    struct File {
        var path: String
        var lines: [(number: Int, text: String)]

        /// Functions with a body of their own lines: from `func` to the brace in the same column.
        var functions: [(line: Int, lineCount: Int)] {
            lines.compactMap { number, text in
                guard text.contains("func ") || text.trimmed.hasPrefix("init("),
                    !text.trimmed.hasPrefix("//"), !text.hasSuffix("}")
                else { return nil }
                let end = text.prefix { $0 == " " } + "}"
                let rest = lines[number...].prefix { !$0.text.hasPrefix(end) }
                return (number, rest.count + 2)
            }
        }

        /// The lines of Swift without comments and without what stands in string literals.
        var code: [(number: Int, text: String)] {
            var stripper = LiteralStripper()
            return lines.map { ($0.number, stripper.strip($0.text)) }
        }
    }

    static func swift(in folders: String...) throws -> [File] {
        try text().filter { file in
            file.path.hasSuffix(".swift") && folders.contains { file.path.hasPrefix("\($0)/") }
        }
    }

    /// All text files but for generated data and what is hidden.
    static func text() throws -> [File] { try files.get() }

    // Read once, for all tests.
    private static let files = Result { try read() }

    private static func read() throws -> [File] {
        var files: [File] = []
        let skipped = ["bench-data", "Fixtures", "Corpus", "FailCases", "Results"]
        let walk = FileManager.default.enumerator(
            at: root, includingPropertiesForKeys: [.isRegularFileKey],
            options: [.skipsHiddenFiles])
        while let url = walk?.nextObject() as? URL {
            if skipped.contains(url.lastPathComponent) { walk?.skipDescendants() }
            guard try url.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true,
                let text = try? String(contentsOf: url, encoding: .utf8)
            else { continue }
            let path = String(url.path.dropFirst(root.path.count).drop { $0 == "/" })
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            if lines.last?.isEmpty == true { lines.removeLast() }
            files.append(
                File(path: path, lines: lines.enumerated().map { ($0 + 1, String($1)) }))
        }
        return files
    }
}

/// Takes comments and the text of literals out of Swift, line by line.
private struct LiteralStripper {
    private static let quote = UInt8(ascii: "\"")
    private static let hash = UInt8(ascii: "#")

    /// The end of the literal of several lines that we are in.
    private var end: [UInt8] = []

    mutating func strip(_ line: String) -> String {
        var rest = Array(line.utf8)[...]
        var code: [UInt8] = []
        while let byte = rest.first {
            if !end.isEmpty {
                guard Self.drop(&rest, through: end) else { break }
                end = []
            } else if byte == UInt8(ascii: "/"), rest.starts(with: "//".utf8) {
                break
            } else if byte == Self.quote || byte == Self.hash, let literal = Self.literal(rest) {
                code += "\"\"".utf8
                rest = rest.dropFirst(literal.opening)
                if literal.isLong {
                    end = literal.end
                } else if !Self.drop(&rest, through: literal.end) {
                    break
                }
            } else {
                code.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: code, as: UTF8.self)
    }

    /// A literal that begins here: how long its opening is, and what ends it.
    private static func literal(
        _ text: ArraySlice<UInt8>
    ) -> (opening: Int, end: [UInt8], isLong: Bool)? {
        let hashes = text.prefix { $0 == hash }
        let quotes = text.dropFirst(hashes.count).prefix(3).prefix { $0 == quote }
        guard !quotes.isEmpty else { return nil }
        // Two of them are a literal without text.
        let count = quotes.count == 3 ? 3 : 1
        return (hashes.count + count, [UInt8](repeating: quote, count: count) + hashes, count == 3)
    }

    private static func drop(_ text: inout ArraySlice<UInt8>, through end: [UInt8]) -> Bool {
        while !text.isEmpty {
            if text.starts(with: end) {
                text = text.dropFirst(end.count)
                return true
            }
            // An escaped character ends no literal, unless it is a raw one.
            let isEscape = text.first == UInt8(ascii: "\\") && end.last != hash
            text = text.dropFirst(isEscape ? 2 : 1)
        }
        return false
    }
}

extension String {
    var trimmed: Substring { drop { $0 == " " } }
}
