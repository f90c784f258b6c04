/// A reader of the text of a shape.
///
/// ```
/// shape    = sequence *( "|" sequence )
/// sequence = *( item [ "?" / "*" / "+" / "{" n "}" / "{" n ",}" / "{" n "," m "}" ] )
/// item     = character / "." / "[" … "]" / "(" shape ")" / "(?:" shape ")" / escape
/// ```
struct TokenPatternReader {
    /// A part as it was written, which counts write out several times.
    private indirect enum Node {
        case characters(CharacterClass)
        case sequence([Node])
        case choice([Node])
        /// A node at most `most` times; nil for any number of times.
        case repeated(Node, least: Int, most: Int?)
    }

    /// The greatest depth of groups in each other.
    private static let depthMax = 32

    private let bytes: [UInt8]
    private var at = 0
    private var depth = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Reads the whole shape, and puts its places into an automaton.
    mutating func read(
        into automaton: inout TokenPatternAutomaton
    ) throws(TokenPatternFault) -> TokenPatternAutomaton.Part {
        guard !bytes.isEmpty else {
            throw TokenPatternFault("is empty; write what a token looks like: [0-9a-f]{64}")
        }
        guard bytes.allSatisfy({ 0x20...0x7E ~= $0 }) else {
            throw TokenPatternFault("has a character beyond ASCII; tokens have none")
        }
        let node = try choice()
        guard at == bytes.count else {
            throw fault("has a ) without its (; write \\) for the character")
        }
        return try build(node, &automaton)
    }

    private func fault(_ text: String) -> TokenPatternFault { TokenPatternFault(text) }

    private var byte: UInt8? { at < bytes.count ? bytes[at] : nil }

    private mutating func takes(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        at += 1
        return true
    }

    // MARK: Grammar

    private mutating func choice() throws(TokenPatternFault) -> Node {
        var choices = [try sequence()]
        while takes("|") { choices.append(try sequence()) }
        return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence() throws(TokenPatternFault) -> Node {
        var items: [Node] = []
        while let byte, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            let item = try item()
            items.append(try counted(item))
        }
        return .sequence(items)
    }

    private mutating func item() throws(TokenPatternFault) -> Node {
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "("): return try group()
        case UInt8(ascii: "["): return .characters(try bracket())
        case UInt8(ascii: "."): return .characters(.any)
        case UInt8(ascii: "\\"): return .characters(try escape())
        case UInt8(ascii: "^"), UInt8(ascii: "$"):
            throw fault("has \(Self.shown(byte)); leave it out, the whole token has to fit")
        case UInt8(ascii: "?"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "{"):
            throw fault(
                "has \(Self.shown(byte)) with nothing before it to repeat; write \\\(Self.shown(byte)) for the character"
            )
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
            throw fault(
                "has a lone \(Self.shown(byte)); write \\\(Self.shown(byte)) for the character")
        default: return .characters(CharacterClass(byte...byte))
        }
    }

    private mutating func group() throws(TokenPatternFault) -> Node {
        if takes("?"), !takes(":") {
            throw fault("has (?, which is not known here; groups are (…) and (?:…)")
        }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw fault("has groups more than \(Self.depthMax) deep; write it with fewer")
        }
        let node = try choice()
        guard takes(")") else { throw fault("has a ( without its ); close it, or write \\(") }
        return node
    }

    private static func shown(_ byte: UInt8) -> String { String(UnicodeScalar(byte)) }

    // MARK: Characters

    private mutating func escape() throws(TokenPatternFault) -> CharacterClass {
        guard let byte else { throw fault("ends with a \\; write \\\\ for the character") }
        at += 1
        switch byte {
        case UInt8(ascii: "d"): return .digits
        case UInt8(ascii: "w"): return .wordCharacters
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "A")...UInt8(ascii: "Z"):
            throw fault(
                "has \\\(Self.shown(byte)), which is not known here; of letters there are \\d and \\w"
            )
        default: return CharacterClass(byte...byte)
        }
    }

    private mutating func bracket() throws(TokenPatternFault) -> CharacterClass {
        let isInverted = takes("^")
        var characters = CharacterClass()
        var isFirst = true
        while let byte {
            at += 1
            if byte == UInt8(ascii: "]") && !isFirst {
                let all = isInverted ? characters.inverted : characters
                guard !all.isEmpty else { throw fault("has a class that takes no character") }
                return all
            }
            isFirst = false
            guard byte != UInt8(ascii: "[") || self.byte != UInt8(ascii: ":") else {
                throw fault("has [:, which is not known here; write the characters: [0-9A-Za-z]")
            }
            if byte == UInt8(ascii: "\\"),
                [UInt8(ascii: "d"), UInt8(ascii: "w")].contains(self.byte)
            {
                characters.formUnion(try escape())
                continue
            }
            let low = try literal(byte)
            guard self.byte == UInt8(ascii: "-"), at + 1 < bytes.count,
                bytes[at + 1] != UInt8(ascii: "]")
            else {
                characters.insert(low...low)
                continue
            }
            at += 2
            let high = try literal(bytes[at - 1])
            guard low <= high else {
                throw fault(
                    "has the range \(Self.shown(low))-\(Self.shown(high)), which is backwards; turn it around"
                )
            }
            characters.insert(low...high)
        }
        throw fault("has a [ without its ]; close it, or write \\[")
    }

    /// Returns a character of a class, which was taken; behind a backslash it takes the next one.
    private mutating func literal(_ byte: UInt8) throws(TokenPatternFault) -> UInt8 {
        guard byte == UInt8(ascii: "\\") else { return byte }
        guard let escaped = self.byte else { throw fault("has a [ without its ]; close it") }
        guard !(escaped | 0x20 >= 0x61 && escaped | 0x20 <= 0x7A || 0x30...0x39 ~= escaped) else {
            throw fault(
                "has \\\(Self.shown(escaped)) in a class; of letters there are \\d and \\w, alone")
        }
        at += 1
        return escaped
    }

    // MARK: Counts

    private mutating func counted(_ node: Node) throws(TokenPatternFault) -> Node {
        var least = 1
        var most: Int? = 1
        if takes("?") {
            least = 0
        } else if takes("*") {
            (least, most) = (0, nil)
        } else if takes("+") {
            most = nil
        } else if takes("{") {
            (least, most) = try bounds()
        } else {
            return node
        }
        guard
            byte != UInt8(ascii: "?") && byte != UInt8(ascii: "*") && byte != UInt8(ascii: "+")
                && byte != UInt8(ascii: "{")
        else { throw fault("has two counts one behind the other; put the first one into a group") }
        return .repeated(node, least: least, most: most)
    }

    private mutating func bounds() throws(TokenPatternFault) -> (Int, Int?) {
        let least = number()
        var most = least
        if takes(",") { most = number() }
        let hasComma = bytes[at - 1] == UInt8(ascii: ",")
        guard let least, takes("}"), most != nil || hasComma else {
            throw fault("has a count that is none; counts are {3}, {3,} and {3,5}")
        }
        guard least <= TokenPattern.placesMax, most ?? 0 <= TokenPattern.placesMax else {
            throw Self.tooLarge
        }
        guard least <= most ?? least else {
            throw fault("has the count {\(least),\(most ?? 0)}, which is backwards; turn it around")
        }
        guard most != 0 else { throw fault("has the count {0}; leave out what is not there") }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let byte, 0x30...0x39 ~= byte {
            // More than this is too large in any case.
            value = min((value ?? 0) * 10 + Int(byte - 0x30), 1_000_000)
            at += 1
        }
        return value
    }

    // MARK: Places

    private static let tooLarge = TokenPatternFault(
        "is too large: with counts written out it may have \(TokenPattern.placesMax) characters; "
            + "write + in place of a large count")

    private func build(
        _ node: Node, _ automaton: inout TokenPatternAutomaton
    ) throws(TokenPatternFault) -> TokenPatternAutomaton.Part {
        switch node {
        case .characters(let characters):
            guard let part = automaton.add(characters) else { throw Self.tooLarge }
            return part
        case .sequence(let nodes):
            var whole = TokenPatternAutomaton.Part.empty
            for node in nodes { whole = automaton.join(whole, try build(node, &automaton)) }
            return whole
        case .choice(let nodes):
            var whole = TokenPatternAutomaton.Part(isNullable: false, first: [], last: [])
            for node in nodes {
                let part = try build(node, &automaton)
                whole.isNullable = whole.isNullable || part.isNullable
                whole.first += part.first
                whole.last += part.last
            }
            return whole
        case .repeated(let node, let least, let most):
            return try build(node, least: least, most: most, &automaton)
        }
    }

    /// Builds a part so many times; if there is no end to them, the last one may come again.
    private func build(
        _ node: Node, least: Int, most: Int?, _ automaton: inout TokenPatternAutomaton
    ) throws(TokenPatternFault) -> TokenPatternAutomaton.Part {
        var whole = TokenPatternAutomaton.Part.empty
        for count in 1...max(most ?? least, 1) {
            var part = try build(node, &automaton)
            // A group that takes nothing would be written out without an end in sight.
            guard !part.first.isEmpty else { throw TokenPatternFault("repeats what is empty") }
            if most == nil, count == max(least, 1) { automaton.loop(part) }
            if count > least { part.isNullable = true }
            whole = automaton.join(whole, part)
        }
        return whole
    }
}
