/// The facts about the text of a query that SQLite does not tell.
package struct SQLiteText: Equatable, Sendable {
    /// True if its outermost level has an ORDER BY.
    package private(set) var hasOrder = false
    /// The first word whose value changes with time, if there is one.
    package private(set) var changing: String?

    private static let changing: Set<String> = [
        "random", "randomblob", "current_time", "current_date", "current_timestamp",
    ]

    /// Functions that without a parameter speak of now.
    private static let clocks: Set<String> = [
        "date", "time", "datetime", "julianday", "unixepoch", "strftime",
    ]

    /// Looks through a query for words, without those in quotes and comments.
    package init(_ query: String) {
        var rest = Array(query.utf8)[...]
        var depth = 0
        var previous = ""
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "("):
                depth += 1
                let next = rest.dropFirst().first { $0 > UInt8(ascii: " ") }
                if next == UInt8(ascii: ")"), Self.clocks.contains(previous) {
                    note(previous + "()")
                }
            case UInt8(ascii: ")"): depth -= 1
            case UInt8(ascii: "'"):
                if Self.skipQuoted(&rest, byte).lowercased() == "now" { note("'now'") }
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "`"):
                _ = Self.skipQuoted(&rest, byte)
                continue
            case UInt8(ascii: "["): rest = rest.drop { $0 != UInt8(ascii: "]") }
            case UInt8(ascii: "-") where rest.dropFirst().first == byte:
                rest = rest.drop { $0 != UInt8(ascii: "\n") }
                continue
            case UInt8(ascii: "/") where rest.dropFirst().first == UInt8(ascii: "*"):
                Self.skipComment(&rest)
                continue
            case let byte where Self.isWord(byte):
                let word = String(decoding: rest.prefix(while: Self.isWord), as: UTF8.self)
                    .lowercased()
                rest = rest.dropFirst(word.utf8.count)
                if Self.changing.contains(word) { note(word) }
                if depth == 0 && previous == "order" && word == "by" { hasOrder = true }
                previous = word
                continue
            default: break
            }
            rest = rest.dropFirst()
        }
    }

    private mutating func note(_ word: String) { changing = changing ?? word }

    private static func isWord(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "_") || byte >= 0x80
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    /// Skips a quoted text; a doubled quote ends one text and begins another, which comes to the
    /// same here.
    private static func skipQuoted(_ rest: inout ArraySlice<UInt8>, _ quote: UInt8) -> String {
        rest = rest.dropFirst()
        let text = rest.prefix { $0 != quote }
        rest = rest.dropFirst(text.count + 1)
        return String(decoding: text, as: UTF8.self)
    }

    private static func skipComment(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.dropFirst(2)
        while let byte = rest.first {
            rest = rest.dropFirst()
            guard byte == UInt8(ascii: "*"), rest.first == UInt8(ascii: "/") else { continue }
            rest = rest.dropFirst()
            return
        }
    }
}
