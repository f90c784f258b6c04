import FanfareBase
import FanfareCore

/// A writer of HTML that is well-formed XML too, so that any parser can check it.
///
/// Text and values of attributes are escaped; names are ours and are not. The caller keeps to
/// elements that may stand where they are put.
///
/// It is not for the path of a row.
struct Markup: ~Copyable {
    /// One attribute; its value may be a text from anywhere.
    struct Attribute {
        fileprivate let name: StaticString
        fileprivate let value: String

        /// Makes an attribute with a value.
        init(_ name: StaticString, _ value: String) {
            self.name = name
            self.value = value
        }

        /// Returns the attribute by which the style sheet selects.
        static func style(_ classes: String) -> Attribute { Attribute("class", classes) }
    }

    private var buffer = ByteBuffer(capacity: 64 * 1024)
    private var open: [StaticString] = []
    private var ids = 0

    /// Creates a document of nothing.
    init() {}

    /// The bytes so far.
    var count: Int { buffer.count }

    /// Returns a name that no other element of the document has.
    mutating func nextID() -> String {
        ids += 1
        return "i\(ids)"
    }

    /// Writes an element around the output of a function.
    mutating func element(
        _ name: StaticString, _ attributes: Attribute..., content: (inout Markup) -> Void
    ) {
        write(tag: name, attributes)
        buffer.append(">")
        open.append(name)
        content(&self)
        precondition(open.popLast()?.description == name.description, "BUG: elements overlap")
        buffer.append("</")
        buffer.append(name)
        buffer.append(">")
    }

    /// Writes an element that holds a text.
    mutating func element(
        _ name: StaticString, _ attributes: Attribute..., text: String
    ) {
        write(tag: name, attributes)
        buffer.append(">")
        write(text)
        buffer.append("</")
        buffer.append(name)
        buffer.append(">")
    }

    /// Writes an element that holds nothing.
    mutating func empty(_ name: StaticString, _ attributes: Attribute...) {
        write(tag: name, attributes)
        buffer.append("/>")
    }

    /// Writes text between elements.
    mutating func text(_ text: String) { write(text) }

    /// Writes text that is markup already, and ours: the document's type, the style sheet.
    mutating func fixed(_ markup: StaticString) { buffer.append(markup) }

    /// Ends a line, for readers of the source.
    mutating func line() { buffer.append("\n") }

    /// Gives the document out.
    consuming func finish() -> [UInt8] {
        precondition(open.isEmpty, "BUG: an element is open")
        return unsafe Array(buffer.bytes)
    }

    private mutating func write(tag name: StaticString, _ attributes: [Attribute]) {
        buffer.append("<")
        buffer.append(name)
        for attribute in attributes {
            buffer.append(" ")
            buffer.append(attribute.name)
            buffer.append("=\"")
            write(attribute.value)
            buffer.append("\"")
        }
    }

    /// Escapes for text and attributes alike.
    ///
    /// Characters that a parser would not take, or that would turn the text around them, become
    /// U+FFFD: control and formatting characters, and those that XML has no place for.
    private mutating func write(_ text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": buffer.append("&amp;")
            case "<": buffer.append("&lt;")
            case ">": buffer.append("&gt;")
            case "\"": buffer.append("&quot;")
            case "\n", "\t": buffer.append(" ")
            default:
                if scalar.isASCII && scalar.value >= 0x20 && scalar.value != 0x7F {
                    buffer.append(UInt8(truncatingIfNeeded: scalar.value))
                } else {
                    buffer.append(Self.isFit(scalar) ? String(scalar) : "\u{FFFD}")
                }
            }
        }
    }

    private static func isFit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        // They join the parts of emoji and of some scripts' letters.
        case .format where scalar == "\u{200C}" || scalar == "\u{200D}": true
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        // U+FFFE and U+FFFF are not characters of XML 1.0, §2.2; nor are the others of their kind
        // of any use.
        default: scalar.value & 0xFFFE != 0xFFFE
        }
    }
}
