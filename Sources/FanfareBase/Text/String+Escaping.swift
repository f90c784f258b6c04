/// Text that goes into a language with quotes, or comes out of one.
///
/// All of it looks at bytes. Swift's own functions for text look at graphemes, and to them a quote before U+0301, behind
/// U+0600 or beside others of their kind is part of another character, so that it would not be found, and would end
/// what it should stand in. In UTF-8 a byte of ASCII is nothing but that character (RFC 3629 §3).
extension String {
    /// Returns the text with another one in place of each of some characters.
    /// - Parameter escapes: The characters, which are ASCII, and what stands in their place.
    /// - Returns: The text.
    package func escaping(_ escapes: KeyValuePairs<Unicode.Scalar, String>) -> String {
        precondition(escapes.allSatisfy { $0.key.isASCII }, "BUG: what is escaped is ASCII")
        var text: [UInt8] = []
        text.reserveCapacity(utf8.count)
        for byte in utf8 {
            if let escape = escapes.first(where: { UInt32(byte) == $0.key.value }) {
                text += escape.value.utf8
            } else {
                text.append(byte)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the text between two quotes, with each of its own quotes doubled, as SQL and CSV have it.
    package func quoted(doubling quote: Unicode.Scalar) -> String {
        let mark = String(quote)
        return mark + escaping([quote: mark + mark]) + mark
    }

    /// The text between single quotes of a POSIX shell, of which none may stand between two others.
    package var singleQuoted: String { "'" + escaping(["'": "'\\''"]) + "'" }
}

extension String {
    /// The place behind the last slash, where the name begins in a path; the beginning if there is none.
    package var nameIndex: String.Index {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { utf8.index(after: $0) } ?? startIndex
    }
}
