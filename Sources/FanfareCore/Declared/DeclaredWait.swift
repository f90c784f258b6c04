import FanfareBase

/// The place in an answer's body where a service says how long to wait.
package struct DeclaredWait: Equatable, Sendable {
    /// The unit of the number that stands there.
    package enum Unit: String, CaseIterable, Sendable {
        case seconds
        case milliseconds
    }

    package var at: JSONPointer
    package var unit: Unit

    package init(at: JSONPointer, unit: Unit) {
        self.at = at
        self.unit = unit
    }

    /// Returns the wait that an answer asks for.
    /// - Parameter value: The answer, or the row's part of it.
    /// - Returns: The wait, no longer than one of `retry-after` may be; nil if no number of zero or more stands
    ///   there.
    package func wait(in value: PlacedJSON?) -> Duration? {
        let word = value.flatMap { at.find(in: $0) }?.word ?? ""
        guard word.utf8.allSatisfy({ Self.characters.contains($0) }), let number = Double(word),
            number >= 0
        else { return nil }
        let milliseconds = unit == .seconds ? number * 1000 : number
        let longest = Double(RetryAfter.secondsMax * 1000)
        return .milliseconds(Int64(min(milliseconds, longest).rounded(.up)))
    }

    /// Those of a number in JSON: `Double` would take `inf` and `0x10` as well.
    private static let characters = Set("0123456789.eE+-".utf8)
}
