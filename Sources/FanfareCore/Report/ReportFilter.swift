/// The choice of lines of a report, or of rows: `outcome=failed,unknown,status=429`.
///
/// Alternatives stand between commas, and the filter wants a line that fits one of them. An
/// alternative without a column of its own belongs to the one before. `*` stands for any text; a
/// value in double quotes is taken as it stands. `<`, `<=`, `>` and `>=` compare numbers and times.
package struct ReportFilter: Equatable, Sendable {
    /// One column, and the wanted value.
    package struct Alternative: Equatable, Sendable {
        package var column: String
        /// True if the filter excludes these values.
        package var isNegated: Bool
        package var patterns: [Pattern]
    }

    /// A text with gaps for any text, or a bound on numbers or times.
    package struct Pattern: Equatable, Sendable {
        /// The texts between the gaps; one piece means that there is none.
        private let pieces: [[UInt8]]
        /// The bound that is compared instead; `nil` for a text.
        private let bound: FilterBound?

        /// A text in which `*` stands for any text.
        package init(_ text: String) { self.init(Array(text.utf8), hasGaps: true) }

        fileprivate init(_ bound: FilterBound) {
            self.bound = bound
            pieces = [[]]
        }

        fileprivate init(_ text: [UInt8], hasGaps: Bool) {
            bound = nil
            pieces =
                hasGaps
                ? text.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false)
                    .map(Array.init) : [text]
        }

        /// True if a value fits.
        /// - Complexity: the product of the lengths at worst.
        package func matches(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
            if let bound { return unsafe bound.matches(value) }
            guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
                return unsafe value.elementsEqual(pieces[0])
            }
            guard value.count >= first.count + last.count,
                unsafe value.starts(with: first),
                unsafe value.suffix(last.count).elementsEqual(last)
            else { return false }
            var start = first.count
            let end = value.count - last.count
            for piece in pieces[1..<pieces.count - 1] {
                while true {
                    guard start + piece.count <= end else { return false }
                    if unsafe value[start..<start + piece.count].elementsEqual(piece) { break }
                    start += 1
                }
                start += piece.count
            }
            return true
        }
    }

    package private(set) var alternatives: [Alternative] = []

    /// The fault in the text of a filter, as a verb phrase that follows it.
    package struct Fault: Error, Equatable, Sendable {
        package let problem: String
    }

    /// Reads a filter.
    package init(_ text: String) throws(Fault) {
        var rest = Array(text.utf8)[...]
        repeat {
            let term = try Self.term(&rest)
            let pattern = try Self.pattern(term)
            if let column = term.column {
                alternatives.append(
                    Alternative(column: column, isNegated: term.isNegated, patterns: [pattern]))
            } else if alternatives.isEmpty {
                throw Fault(problem: "does not begin with a column and an equals sign")
            } else {
                alternatives[alternatives.count - 1].patterns.append(pattern)
            }
        } while rest.popFirst() != nil
    }

    private struct Term {
        var column: String?
        var isNegated = false
        /// The side of the value that is wanted; `nil` for equal texts.
        var relation: FilterBound.Relation?
        var value: [UInt8] = []
        var isQuoted = false
    }

    private static func pattern(_ term: Term) throws(Fault) -> Pattern {
        guard let relation = term.relation else {
            return Pattern(term.value, hasGaps: !term.isQuoted)
        }
        guard let bound = FilterBound(relation, term.value) else {
            throw Fault(problem: "compares with what is neither a number nor a time")
        }
        return Pattern(bound)
    }

    /// Takes a column and the sign behind it, if there are any before the next comma.
    private static func takeColumn(
        _ rest: inout ArraySlice<UInt8>, into term: inout Term
    ) throws(Fault) {
        let text = rest.prefix { $0 != UInt8(ascii: ",") }
        guard let place = text.firstIndex(where: { "=<>".utf8.contains($0) }) else { return }
        var name = text[..<place]
        let isEqual = text[place] == UInt8(ascii: "=")
        if isEqual, name.last == UInt8(ascii: "!") {
            term.isNegated = true
            name.removeLast()
        }
        guard !name.isEmpty else { throw Fault(problem: "has no column before an equals sign") }
        term.column = String(decoding: name, as: UTF8.self)
        rest = rest[(place + 1)...]
        guard !isEqual else { return }
        let isBelow = text[place] == UInt8(ascii: "<")
        let takesEqual = rest.first == UInt8(ascii: "=")
        if takesEqual { rest.removeFirst() }
        term.relation = isBelow ? (takesEqual ? .atMost : .below) : takesEqual ? .atLeast : .above
    }

    /// Takes what stands before the next comma, which stays.
    private static func term(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> Term {
        let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
        var term = Term()
        if rest.first != quote { try takeColumn(&rest, into: &term) }
        guard rest.first == quote else {
            term.value = Array(rest.prefix { $0 != comma })
            rest = rest.dropFirst(term.value.count)
            return term
        }
        term.isQuoted = true
        rest.removeFirst()
        while let byte = rest.popFirst() {
            if byte != quote {
                term.value.append(byte)
            } else if rest.first == quote {
                term.value.append(quote)
                rest.removeFirst()
            } else if rest.isEmpty || rest.first == comma {
                return term
            } else {
                throw Fault(problem: "has something behind a closing quote")
            }
        }
        throw Fault(problem: "has a quote that is never closed")
    }
}
