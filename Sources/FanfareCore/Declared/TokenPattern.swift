/// The shape of all tokens of a provider: `[0-9a-f]{1,64}`.
///
/// It has a small part of regular expressions: characters, classes, `.`, groups, `|`, `?`, `*`, `+`
/// and counts. The whole token has to fit. A check takes a time that is bounded by the product of
/// the lengths of token and shape, and no memory.
package struct TokenPattern: Equatable, Sendable {
    /// The places in the shape that a character of a token can be at, as bits.
    typealias Places = InlineArray<16, UInt64>

    /// The most places: counts are written out, so that `[a-z]{1,64}` has 64.
    static let placesMax = 16 * 64

    /// The shape as it was written.
    package let text: String
    private let placeCount: Int
    /// The places that a token can begin at.
    private let first: [UInt64]
    /// The places that a token can end at.
    private let last: [UInt64]
    /// The places that can come behind each one, all in one array.
    private let next: [UInt64]
    /// The places that take a byte, for each byte of ASCII.
    private let takers: [UInt64]
    private let isEmptyGood: Bool
    /// The same by length, if all characters are of one class: then there are no places to follow.
    private let run: TokenRun?

    /// Compiles a shape.
    /// - Parameter text: The shape.
    /// - Throws: The fault of the shape.
    package init(_ text: String) throws(TokenPatternFault) {
        var reader = TokenPatternReader(text)
        var automaton = TokenPatternAutomaton()
        let whole = try reader.read(into: &automaton)
        let words = (automaton.classes.count + 63) / 64
        self.text = text
        placeCount = automaton.classes.count
        isEmptyGood = whole.isNullable
        first = Self.bits(whole.first, words)
        last = Self.bits(whole.last, words)
        next = automaton.next.flatMap { Self.bits(Array($0), words) }
        var takers = [UInt64](repeating: 0, count: 128 * words)
        for (place, characters) in automaton.classes.enumerated() {
            for byte in 0..<128 where characters.contains(UInt8(byte)) {
                takers[byte * words + place / 64] |= 1 << UInt64(place % 64)
            }
        }
        self.takers = takers
        run = TokenRun(automaton.classes, first: first, last: last, next: next)
    }

    private static func bits(_ places: [Int], _ words: Int) -> [UInt64] {
        var bits = [UInt64](repeating: 0, count: words)
        for place in places { bits[place / 64] |= 1 << UInt64(place % 64) }
        return bits
    }

    /// True if a token has this shape.
    package func fits(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard !token.isEmpty else { return isEmptyGood }
        if let run, token.count <= TokenRun.lengthMax { return unsafe run.fits(token) }
        let words = first.count
        var here = Places(repeating: 0)
        for index in token.indices {
            let byte = unsafe Int(token[index])
            guard byte < 128 else { return false }
            var reached = Places(repeating: 0)
            if index == 0 {
                for word in 0..<words { reached[word] = first[word] }
            } else {
                for word in 0..<words {
                    var rest = here[word]
                    while rest != 0 {
                        let place = word * 64 + rest.trailingZeroBitCount
                        rest &= rest - 1
                        for other in 0..<words { reached[other] |= next[place * words + other] }
                    }
                }
            }
            var isAlive: UInt64 = 0
            for word in 0..<words {
                here[word] = reached[word] & takers[byte * words + word]
                isAlive |= here[word]
            }
            if isAlive == 0 { return false }
        }
        return (0..<words).contains { here[$0] & last[$0] != 0 }
    }
}

/// The shape of tokens whose characters are all of one class, as in `[A-Za-z0-9]{30}`: only their number counts.
private struct TokenRun: Equatable, Sendable {
    /// The length up to which lengths are known; tokens that are longer are rare.
    static let lengthMax = 1024
    /// The most places of a shape whose lengths are worked out.
    private static let placesMax = 128

    /// True for the bytes of the class.
    private let isGood: [Bool]
    /// True for the lengths of tokens, by length.
    private let lengths: [Bool]

    /// Returns the rule of a shape; nil if its characters are of several classes, or too many.
    /// - Parameters:
    ///   - classes: The class of each place.
    ///   - first: The places that a token can begin at, as bits.
    ///   - last: The places that it can end at.
    ///   - next: The places that can come behind each one, all in one array.
    init?(_ classes: [CharacterClass], first: [UInt64], last: [UInt64], next: [UInt64]) {
        guard let one = classes.first, classes.count <= Self.placesMax,
            classes.allSatisfy({ $0 == one })
        else { return nil }
        isGood = (0..<256).map { $0 < 128 && one.contains(UInt8($0)) }
        var lengths = [Bool](repeating: false, count: Self.lengthMax + 1)
        var here = first
        for length in 1...Self.lengthMax {
            lengths[length] = zip(here, last).contains { $0 & $1 != 0 }
            var reached = [UInt64](repeating: 0, count: here.count)
            for place in classes.indices where here[place / 64] >> UInt64(place % 64) & 1 == 1 {
                for word in here.indices { reached[word] |= next[place * here.count + word] }
            }
            here = reached
        }
        self.lengths = lengths
    }

    func fits(_ token: UnsafeBufferPointer<UInt8>) -> Bool {
        guard lengths[token.count] else { return false }
        return unsafe isGood.withUnsafeBufferPointer { isGood in
            var areGood = true
            for index in token.indices { unsafe areGood = areGood && isGood[Int(token[index])] }
            return areGood
        }
    }
}

/// The reason why a shape cannot be used.
package struct TokenPatternFault: Error, Equatable, Sendable {
    /// The fault and the remedy: a phrase that follows the shape.
    package var text: String

    init(_ text: String) { self.text = text }
}

/// Some characters of ASCII.
struct CharacterClass: Equatable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init() {}

    init(_ characters: ClosedRange<UInt8>...) {
        for range in characters { insert(range) }
    }

    /// The characters of `.`: all but control characters.
    static let any = CharacterClass(0x20...0x7E)
    static let digits = CharacterClass(0x30...0x39)
    static let wordCharacters = CharacterClass(
        0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range where byte < 128 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    mutating func formUnion(_ other: CharacterClass) {
        low |= other.low
        high |= other.high
    }

    /// The characters of `any` that are not in it.
    var inverted: CharacterClass {
        var other = CharacterClass()
        other.low = Self.any.low & ~low
        other.high = Self.any.high & ~high
        return other
    }

    var isEmpty: Bool { low | high == 0 }

    func contains(_ byte: UInt8) -> Bool {
        byte < 64 ? low >> UInt64(byte) & 1 == 1 : high >> UInt64(byte & 63) & 1 == 1
    }
}

/// The places of a shape, while it is read: one for each character or class, and which may follow which.
///
/// Glushkov's construction, which has no steps without a character.
struct TokenPatternAutomaton {
    /// A part of the shape that was read.
    struct Part {
        var isNullable: Bool
        var first: [Int]
        var last: [Int]

        /// A part that takes no character.
        static let empty = Part(isNullable: true, first: [], last: [])
    }

    private(set) var classes: [CharacterClass] = []
    private(set) var next: [Set<Int>] = []

    /// Adds a place; nil if there are too many.
    mutating func add(_ characters: CharacterClass) -> Part? {
        guard classes.count < TokenPattern.placesMax else { return nil }
        classes.append(characters)
        next.append([])
        return Part(
            isNullable: false, first: [classes.count - 1], last: [classes.count - 1])
    }

    /// Lets a part come behind another one.
    mutating func join(_ left: Part, _ right: Part) -> Part {
        for place in left.last { next[place].formUnion(right.first) }
        return Part(
            isNullable: left.isNullable && right.isNullable,
            first: left.first + (left.isNullable ? right.first : []),
            last: right.last + (right.isNullable ? left.last : []))
    }

    /// Lets a part come again and again.
    mutating func loop(_ part: Part) {
        for place in part.last { next[place].formUnion(part.first) }
    }
}
