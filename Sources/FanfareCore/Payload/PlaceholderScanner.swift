import FanfareBase

/// A scanner that finds the placeholders in the text of a template.
///
/// The grammar of a placeholder is here and nowhere else:
/// ```
/// {{name}}  {{ name }}  {{name|default}}  {{|…}} is an error
/// "{{name:json}}"  "{{name:json|default}}"           only as a whole string
/// ```
/// It works on the JSON text as it stands. So a brace that is written `\u007b` is no part of a placeholder,
/// which is the way to send `{{` as text, and the default of a text is a part of a JSON string already.
struct PlaceholderScanner {
    struct Placeholder {
        var name: String
        var isJSON: Bool
        /// The default's range in the template's text; nil if there is none, empty for `{{name|}}`.
        var defaultText: Range<Int>?
        /// The part that is replaced: the placeholder, with its quotes if `isJSON`.
        var replaced: Range<Int>
        /// The placeholder alone, for messages.
        var written: Range<Int>
    }

    let json: [UInt8]
    private var at = 0
    /// The inside of the string that `at` is in.
    private var string: Range<Int>?

    /// - json: valid JSON without white space between tokens
    init(_ json: [UInt8]) {
        self.json = json
    }

    /// Returns the next placeholder; nil at the end.
    mutating func next() throws(PayloadTemplateError) -> Placeholder? {
        while at < json.count {
            guard let string else {
                if json[at] == UInt8(ascii: "\"") { string = at + 1..<stringEnd(at + 1) }
                at += 1
                continue
            }
            if at == string.upperBound {
                self.string = nil
                at += 1
            } else if json[at] == UInt8(ascii: "\\") {
                at += 2
            } else if isPair(UInt8(ascii: "{"), at) {
                let placeholder = try placeholder(in: string)
                at = placeholder.written.upperBound
                return placeholder
            } else {
                at += 1
            }
        }
        return nil
    }

    private func stringEnd(_ start: Int) -> Int {
        var at = start
        while json[at] != UInt8(ascii: "\"") {
            at += json[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        return at
    }

    private func isPair(_ byte: UInt8, _ at: Int) -> Bool {
        at + 1 < json.count && json[at] == byte && json[at + 1] == byte
    }

    private func placeholder(in string: Range<Int>) throws(PayloadTemplateError) -> Placeholder {
        let start = at
        let inside = start + 2..<string.upperBound
        guard let close = inside.first(where: { isPair(UInt8(ascii: "}"), $0) }) else {
            throw error(.unclosedPlaceholder, start..<string.upperBound)
        }
        let bar = json[inside.lowerBound..<close].firstIndex(of: UInt8(ascii: "|"))
        var name = json[inside.lowerBound..<(bar ?? close)].trimmed
        let isJSON = name.hasSuffix(":json")
        if isJSON { name = name.dropLast(5).trimmed }
        // A JSON default may end with braces of its own, so it goes to the end of the string.
        let end = isJSON && bar != nil ? string.upperBound : close + 2
        let written = start..<end
        if name.isEmpty { throw error(.emptyName, written) }
        guard name.allSatisfy(\.isNameByte) else { throw error(.invalidName, written) }
        if isJSON {
            guard written == string, isPair(UInt8(ascii: "}"), end - 2) else {
                throw error(.jsonNotAlone, written)
            }
            let after = string.upperBound + 1
            if after < json.count, json[after] == UInt8(ascii: ":") {
                throw error(.jsonAsKey, written)
            }
        } else if bar.map({ bar in (bar..<close).contains { isPair(UInt8(ascii: "{"), $0) } })
            == true
        {
            // `{{a|b {{c}}`: more likely forgotten braces than a default with braces.
            throw error(.unclosedPlaceholder, written)
        }
        return Placeholder(
            name: String(decoding: name, as: UTF8.self), isJSON: isJSON,
            defaultText: bar.map { $0 + 1..<end - 2 },
            replaced: isJSON ? start - 1..<end + 1 : written, written: written)
    }

    func error(_ code: PayloadTemplateError.Code, _ written: Range<Int>) -> PayloadTemplateError {
        PayloadTemplateError(
            code, placeholder: String(decoding: json[written], as: UTF8.self),
            offset: written.lowerBound)
    }
}

extension ArraySlice<UInt8> {
    fileprivate var trimmed: ArraySlice<UInt8> {
        var slice = self
        while slice.first == UInt8(ascii: " ") { slice = slice.dropFirst() }
        while slice.last == UInt8(ascii: " ") { slice = slice.dropLast() }
        return slice
    }

    fileprivate func hasSuffix(_ text: StaticString) -> Bool {
        suffix(text.utf8CodeUnitCount).elementsEqual("\(text)".utf8)
    }
}

extension UInt8 {
    /// True if the name of a placeholder may have the byte; letters beyond ASCII are let through as
    /// the bytes of their UTF-8.
    var isNameByte: Bool { isLetterOrDigit || "_-.".utf8.contains(self) || self >= 0x80 }
}
