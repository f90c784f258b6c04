import Fanfare
import FanfareBase
import FanfareSimulator

/// The form of an option's value as text, and the function that reads it.
package struct ValueType<Value: Sendable>: Sendable {
    /// The placeholder of the value in help.
    let placeholder: String
    let form: ValueForm
    /// Reads a value, or throws the fault in its text.
    let read: @Sendable (String) throws(ValueFault) -> Value

    init(
        _ placeholder: String, form: ValueForm = .text,
        _ read: @escaping @Sendable (String) throws(ValueFault) -> Value
    ) {
        self.placeholder = placeholder
        self.form = form
        self.read = read
    }

    /// The same without the static type of its values.
    var erased: ValueType<any Sendable> {
        let read = read
        return ValueType<any Sendable>(placeholder, form: form) { text throws(ValueFault) in
            try read(text)
        }
    }
}

extension ValueType: Equatable {
    /// True if two types look the same to the user.
    package static func == (left: ValueType, right: ValueType) -> Bool {
        left.placeholder == right.placeholder && left.form == right.form
    }
}

/// The form of a value for code that does not read it: a shell, a file of options.
package enum ValueForm: Sendable, Equatable {
    case text
    /// The path of a file, or `-` where the option says so.
    case file
    /// Text, or the path of a file behind an `@`.
    case textOrFile
    /// The path of a file, maybe with the name of a provider before it: `fcm=message.json`.
    case routeFile
    /// Paths of files behind a column, each with a value before it: `locale:de=de.json,*=en.json`.
    case keyedFiles
    /// The path of a file between a name and a share: `A=a.json:50%`.
    case sharedFile
    /// A number, which a file of options may hold as one.
    case number
    /// A number that such a file is also written with.
    case count
    /// A JSON object, which a file of options may hold as one.
    case jsonObject
    /// Words between commas, which a file of options may hold as an array.
    case list
    /// One of these words.
    case choice([String])
}

extension ValueForm {
    /// Returns the parts of a value, with a mark for those that are paths; `nil` for a value without a path.
    private func parts(of text: String) -> [(text: String, isPath: Bool)]? {
        switch self {
        case .file: return [(text, true)]
        case .textOrFile:
            return text.hasPrefix("@") ? [("@", false), (String(text.dropFirst()), true)] : nil
        case .routeFile:
            let (_, lead, rest) = RouteLead.split(text)
            return [(lead, false), (rest, true)]
        case .keyedFiles:
            guard let (column, rest) = text.parts(at: ":") else { return nil }
            var parts: [(text: String, isPath: Bool)] = [(column + ":", false)]
            for (index, part) in rest.split(separator: ",").enumerated() {
                guard let (key, path) = String(part).parts(at: "=") else { return nil }
                parts += [((index > 0 ? "," : "") + key + "=", false), (path, true)]
            }
            return parts
        case .sharedFile:
            guard let (name, rest) = text.parts(at: "=") else { return nil }
            guard let (path, share) = ValueReader.shared(rest) else {
                return [(name + "=", false), (rest, true)]
            }
            return [(name + "=", false), (path, true), (":" + share, false)]
        case .text, .number, .count, .jsonObject, .list, .choice: return nil
        }
    }

    /// Returns the paths in a value; none for one without a path.
    func paths(in text: String) -> [String] {
        parts(of: text)?.filter(\.isPath).map(\.text) ?? []
    }

    /// Returns a value with other paths; `nil` for one without a path.
    func replacingPaths(in text: String, _ path: (String) -> String) -> String? {
        parts(of: text)?.map { $0.isPath ? path($0.text) : $0.text }.joined()
    }
}

extension ValueType where Value == String {
    /// Any text, even none: the title of a notification may be empty.
    static var text: ValueType { text("TEXT") }

    /// The same under another name.
    package static func text(_ placeholder: String) -> ValueType { ValueType(placeholder) { $0 } }

    /// The path of a file that is read, or written.
    static var file: ValueType { file("FILE") }

    /// The same under another name.
    package static func file(_ placeholder: String) -> ValueType {
        ValueType(placeholder, form: .file, ValueReader.identifier)
    }

    /// The path of a file that is written; `-` is standard output, by any of its names.
    static var output: ValueType { ValueType("FILE", form: .file, ValueReader.output) }

    /// A JSON object; only its first character is looked at here.
    static var jsonObject: ValueType {
        ValueType("JSON", form: .jsonObject, ValueReader.jsonObject)
    }

    /// Text that says something.
    static func identifier(_ placeholder: String) -> ValueType {
        ValueType(placeholder, ValueReader.identifier)
    }

    /// One of some words, which are also the placeholder.
    package static func choice(_ words: String...) -> ValueType {
        ValueType(words.joined(separator: "|"), form: .choice(words)) { text throws(ValueFault) in
            try ValueReader.choice(text, of: words)
        }
    }
}

extension ValueType where Value: RawRepresentable<String> {
    /// The word of one of some values; all words are also the placeholder.
    /// - Parameters:
    ///   - values: The values.
    ///   - placeholder: Another placeholder.
    ///   - others: Names that others give them, in lower case.
    /// - Returns: The type.
    static func choice(
        _ values: [Value], placeholder: String? = nil, others: [String: Value] = [:]
    ) -> ValueType {
        let words = values.map(\.rawValue)
        return ValueType(placeholder ?? words.joined(separator: "|"), form: .choice(words)) {
            text throws(ValueFault) in
            if let value = values.first(where: { $0.rawValue == text }) { return value }
            if let value = others[text.lowercased()] { return value }
            throw ValueReader.fault(text, noneOf: words)
        }
    }
}

extension ValueType where Value: CaseIterable & RawRepresentable<String> {
    /// A word of an enumeration.
    static func choice(
        _: Value.Type, placeholder: String? = nil, others: [String: Value] = [:]
    ) -> ValueType {
        choice(Array(Value.allCases), placeholder: placeholder, others: others)
    }
}

extension ValueType where Value == RowEncoding {
    /// An encoding, by its name here or one that iconv, Python and others know.
    static var encoding: ValueType {
        choice(
            RowEncoding.self,
            others: [
                "utf8": .utf8, "utf-8": .utf8, "utf16": .utf16, "utf-16": .utf16,
                "utf16le": .utf16LittleEndian, "utf-16le": .utf16LittleEndian,
                "utf16be": .utf16BigEndian, "utf-16be": .utf16BigEndian,
                "latin1": .latin1, "latin-1": .latin1, "iso-8859-1": .latin1,
                "iso8859-1": .latin1,
                "cp1252": .windows1252, "windows1252": .windows1252,
                "windows-1252": .windows1252,
            ])
    }
}

extension ValueType where Value == Int {
    /// A whole number within bounds: `12`, `1_000`, `90k`, `1.5m`.
    static func count(_ bounds: ClosedRange<Int>) -> ValueType {
        ValueType("N", form: .count) { text throws(ValueFault) in
            try ValueReader.count(text, in: bounds)
        }
    }
}

extension ValueType where Value == Duration {
    /// A length of time: `20ms`, `1.5s`.
    static var duration: ValueType { duration(allowsZero: false) }

    static func duration(allowsZero: Bool) -> ValueType {
        ValueType("DURATION") { text throws(ValueFault) in
            try ValueReader.duration(text, allowsZero: allowsZero)
        }
    }
}

extension ValueType where Value == LatencyModel {
    /// A length of time, a range of them, or a distribution.
    static var latency: ValueType { ValueType("LATENCY", ValueReader.latency) }
}

extension ValueType where Value == Double {
    /// A share between 0 and 1: `1%`, `0.5%`.
    static var percent: ValueType { ValueType("PERCENT", ValueReader.percent) }
}

extension ValueType where Value == [String] {
    /// Words between commas.
    static var list: ValueType { ValueType("LIST", form: .list, ValueReader.list) }
}

extension ValueType where Value == HostPort {
    /// `127.0.0.1:8443`; port 0 lets the system choose.
    static var listenAddress: ValueType {
        ValueType("HOST:PORT") { text throws(ValueFault) in
            try ValueReader.hostPort(text, allowsPortZero: true)
        }
    }
}

extension ValueType where Value == (key: String, value: String) {
    /// `key=value`.
    static func pair(_ placeholder: String, allowsEmptyValue: Bool) -> ValueType {
        ValueType(placeholder) { text throws(ValueFault) in
            try ValueReader.pair(text, allowsEmptyValue: allowsEmptyValue)
        }
    }
}
