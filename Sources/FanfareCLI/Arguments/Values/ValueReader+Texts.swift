import FanfareBase
import FanfareSystem

/// The files of payloads, one for each value of a column: `locale:de=de.json,*=en.json`.
package struct PayloadsByColumn: Sendable, Equatable {
    let column: String
    let files: [(value: String, path: String)]

    package static func == (left: PayloadsByColumn, right: PayloadsByColumn) -> Bool {
        left.column == right.column && left.files.elementsEqual(right.files, by: ==)
    }
}

/// The file of a variant and its share of the tokens: `A=a.json:50%`.
package struct PayloadVariant: Sendable, Equatable {
    let name: String
    let path: String
    /// In percent; `nil` for an equal part of what the others leave.
    let percent: Double?
}

extension ValueReader {
    /// Reads `COLUMN:VALUE=FILE,…`.
    package static func payloadsByColumn(_ text: String) throws(ValueFault) -> PayloadsByColumn {
        let example = "locale:de=de.json,*=en.json"
        guard let (column, rest) = text.parts(at: ":"), !column.isEmpty else {
            throw ValueFault("does not begin with a column and a colon", example: example)
        }
        var files: [(value: String, path: String)] = []
        for part in rest.split(separator: ",", omittingEmptySubsequences: false) {
            guard let (value, path) = String(part).parts(at: "="), !path.isEmpty else {
                throw ValueFault("has a part that is not VALUE=FILE", example: example)
            }
            guard !files.contains(where: { $0.value == value }) else {
                throw ValueFault("names the value \(value.quotedForMessage) twice")
            }
            files.append((value, path))
        }
        return PayloadsByColumn(column: column, files: files)
    }

    /// Reads `NAME=FILE` or `NAME=FILE:SHARE%`.
    package static func payloadVariant(_ text: String) throws(ValueFault) -> PayloadVariant {
        let example = "A=a.json:50%"
        guard let (name, rest) = text.parts(at: "="), !name.isEmpty, !rest.isEmpty else {
            throw ValueFault("is not NAME=FILE:SHARE%", example: example)
        }
        guard name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
            throw ValueFault("has a control character in its name", example: example)
        }
        guard let (path, share) = shared(rest) else {
            if let bare = bareShare(rest) {
                throw ValueFault("has a share without its %", example: "\(name)=\(bare)%")
            }
            return PayloadVariant(name: name, path: rest, percent: nil)
        }
        guard !path.isEmpty else { throw ValueFault("names no file", example: example) }
        let percent = try percent(share) * 100
        guard percent > 0 else { throw ValueFault("is the share of no row", example: example) }
        guard percent <= 100 else { throw ValueFault("is more than all rows", example: example) }
        return PayloadVariant(name: name, path: path, percent: percent)
    }

    /// Returns a path with a number behind it that is probably meant as a share; `nil` for other text.
    ///
    /// A file may have such a name: it is that if there is no other way to read it.
    private static func bareShare(_ text: String) -> String? {
        guard let colon = text.lastIndex(of: ":"), colon > text.startIndex else { return nil }
        let digits = text[text.index(after: colon)...]
        let isNumber =
            !digits.isEmpty && digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2E }
        return isNumber && !FileDescriptor.exists(text) ? text : nil
    }

    /// Splits a path from the share behind it; `nil` if there is none.
    static func shared(_ text: String) -> (path: String, share: String)? {
        guard text.hasSuffix("%"), let colon = text.lastIndex(of: ":") else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

extension ValueReader {
    /// Reads the body of a request; one that begins with `@` is taken for curl's way to name a file.
    static func requestBody(_ text: String) throws(ValueFault) -> String {
        guard !text.hasPrefix("@") else {
            throw ValueFault("is no file here: --body-file FILE reads one")
        }
        return text
    }
}

extension ValueType where Value == String {
    /// The body of a request, even an empty one.
    static var requestBody: ValueType { ValueType("TEXT", ValueReader.requestBody) }
}
