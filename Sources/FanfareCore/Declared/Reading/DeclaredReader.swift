import FanfareBase

/// A reader of descriptions: strict, and with all faults of a file at once.
///
/// It notes each fault with its line, its pointer and the remedy, and reads on; a value that could
/// not be read is nil meanwhile, and never used.
package struct DeclaredReader {
    var faults: [DeclaredFault] = []
    /// The offsets at which lines begin.
    private let lineStarts: [Int]
    /// Returns true if a text is one value of JSON.
    let isJSON: ([UInt8]) -> Bool

    // The names that other parts of a description refer to.
    var settings: [DeclaredSetting] = []
    /// The settings that are used somewhere.
    var usedSettings: Set<Int> = []
    var columns: [String] = []

    /// A value and its place, while it is read.
    struct Value {
        var json: PlacedJSON
        var pointer: JSONPointer

        init(_ json: PlacedJSON, _ pointer: JSONPointer) {
            self.json = json
            self.pointer = pointer
        }
    }

    /// The members of an object, by their keys.
    struct Members {
        var object: Value
        var values: [String: Value]

        subscript(key: String) -> Value? { values[key] }
    }

    /// The result of reading: a description, or its faults.
    package enum Result {
        case provider(DeclaredProvider)
        /// The faults in the order of the file, one at least.
        case faults([DeclaredFault])
    }

    /// Reads a description.
    /// - Parameters:
    ///   - json: The whole file.
    ///   - text: Its bytes, for the numbers of lines.
    ///   - isJSON: Returns true if a text is one value of JSON.
    /// - Returns: The description, or its faults.
    package static func read(
        _ json: PlacedJSON, text: [UInt8], isJSON: @escaping ([UInt8]) -> Bool
    ) -> Result {
        var reader = DeclaredReader(text: text, isJSON: isJSON)
        let provider = reader.provider(Value(json, JSONPointer()))
        if let provider, reader.faults.isEmpty { return .provider(provider) }
        precondition(!reader.faults.isEmpty, "BUG: a description is refused without a fault")
        return .faults(reader.faults.sorted { $0.place.line < $1.place.line })
    }

    private init(text: [UInt8], isJSON: @escaping ([UInt8]) -> Bool) {
        lineStarts = [0] + text.indices.filter { text[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
        self.isJSON = isJSON
    }

    // MARK: Faults

    func place(_ offset: Int, _ pointer: JSONPointer) -> DeclaredPlace {
        var (low, high) = (0, lineStarts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if lineStarts[middle] <= offset { low = middle } else { high = middle }
        }
        return DeclaredPlace(line: low + 1, pointer: pointer)
    }

    func place(_ value: Value) -> DeclaredPlace { place(value.json.offset, value.pointer) }

    /// Notes the fault of a value.
    mutating func fault(_ value: Value, _ text: String) {
        faults.append(DeclaredFault(place(value), text))
    }

    /// Notes that a value is of another kind than the one that is needed.
    mutating func wrongKind(_ value: Value, _ needed: String) {
        fault(value, "is \(value.json.kind), and has to be \(needed)")
    }

    // MARK: Objects and arrays

    /// Reads the members of an object of which all keys are known.
    mutating func members(
        _ value: Value?, _ known: [String], like example: String
    ) -> Members? {
        guard let value else { return nil }
        guard let members = value.json.members else {
            wrongKind(value, "an object: \(example)")
            return nil
        }
        var found = Members(object: value, values: [:])
        for member in members {
            let pointer = value.pointer.appending(member.key)
            let key = Value(PlacedJSON(.null, offset: member.keyOffset), pointer)
            guard known.contains(member.key) else {
                fault(
                    key,
                    "is not known here; "
                        + (NearWords.question(member.key.lowercased(), among: known)
                            ?? "known are \(known.joined(separator: ", "))"))
                continue
            }
            guard found.values[member.key] == nil else {
                fault(key, "comes twice; leave one of them out")
                continue
            }
            found.values[member.key] = Value(member.value, pointer)
        }
        return found
    }

    /// Reads all members of an object whose keys are names of the user's own.
    mutating func named(_ value: Value?, like example: String) -> [(name: String, value: Value)] {
        guard let value else { return [] }
        guard let members = value.json.members else {
            wrongKind(value, "an object: \(example)")
            return []
        }
        var found: [(name: String, value: Value)] = []
        for member in members {
            let pointer = value.pointer.appending(member.key)
            guard !found.contains(where: { $0.name == member.key }) else {
                fault(
                    Value(PlacedJSON(.null, offset: member.keyOffset), pointer),
                    "comes twice; leave one of them out")
                continue
            }
            found.append((member.key, Value(member.value, pointer)))
        }
        return found
    }

    /// Returns a member that has to be there.
    mutating func required(_ members: Members?, _ key: String, _ cure: String) -> Value? {
        guard let members else { return nil }
        if let value = members[key] { return value }
        let missing = Value(members.object.json, members.object.pointer.appending(key))
        fault(missing, "is missing; \(cure)")
        return nil
    }

    /// Reads the elements of an array; none for a missing value.
    mutating func elements(_ value: Value?, like example: String) -> [Value] {
        guard let value else { return [] }
        guard let elements = value.json.elements else {
            wrongKind(value, "an array: \(example)")
            return []
        }
        return elements.enumerated().map { index, element in
            Value(element, value.pointer.appending(String(index)))
        }
    }

    // MARK: Plain values

    mutating func text(_ value: Value?) -> String? {
        guard let value else { return nil }
        guard let text = value.json.text else {
            wrongKind(value, "a text")
            return nil
        }
        guard !text.isEmpty else {
            fault(value, "is empty; leave it out, or write something")
            return nil
        }
        return text
    }

    mutating func flag(_ value: Value?) -> Bool? {
        guard let value else { return nil }
        if case .bool(let flag) = value.json.content { return flag }
        wrongKind(value, "true or false")
        return nil
    }

    /// Reads a whole number within bounds.
    mutating func count(_ value: Value?, _ bounds: ClosedRange<Int>) -> Int? {
        guard let value else { return nil }
        guard case .number(let text) = value.json.content, let number = Int(text) else {
            wrongKind(value, "a whole number from \(bounds.lowerBound) to \(bounds.upperBound)")
            return nil
        }
        guard bounds.contains(number) else {
            fault(
                value,
                "is \(number); it may be \(bounds.lowerBound) to \(bounds.upperBound)")
            return nil
        }
        return number
    }

    /// Reads a word of a list.
    mutating func word<Word: RawRepresentable<String> & CaseIterable>(
        _ value: Value?, _: Word.Type
    ) -> Word? {
        word(value, among: Word.allCases.map { ($0.rawValue, $0) })
    }

    /// Reads a word of a list, and returns its meaning.
    mutating func word<Meaning>(
        _ value: Value?, among words: [(text: String, meaning: Meaning)]
    ) -> Meaning? {
        guard let value, let text = self.text(value) else { return nil }
        if let word = words.first(where: { $0.text == text }) { return word.meaning }
        let words = words.map(\.text)
        let question = NearWords.question(text.lowercased(), among: words)
        fault(
            value,
            "is '\(Self.shown(text))'; it may be \(words.joined(separator: ", "))"
                + (question.map { "; \($0)" } ?? ""))
        return nil
    }

    /// Reads a length of time: `"30s"`.
    mutating func duration(
        _ value: Value?, _ bounds: ClosedRange<Duration>, _ boundsText: String
    ) -> Duration? {
        guard let value else { return nil }
        guard let text = value.json.text, let duration = try? DurationText.read(text) else {
            fault(value, #"is no length of time; write a text with a unit: "30s", "500ms", "24h""#)
            return nil
        }
        guard bounds.contains(duration) else {
            fault(value, "is \(Self.shown(text)); it may be \(boundsText)")
            return nil
        }
        return duration
    }

    mutating func pointer(_ value: Value?) -> JSONPointer? {
        guard let value else { return nil }
        guard let text = value.json.text else {
            wrongKind(value, #"a JSON pointer: "/data/id""#)
            return nil
        }
        guard let pointer = JSONPointer(text) else {
            fault(
                value,
                "is '\(Self.shown(text))', which is no JSON pointer; write "
                    + (text.hasPrefix("/")
                        ? "~0 for ~ and ~1 for / in a key" : "/\(Self.shown(text))"))
            return nil
        }
        return pointer
    }

    /// Returns a piece of a file, as a message may show it.
    static func shown(_ text: String) -> String { TerminalText.shown(text, max: 60) }
}
