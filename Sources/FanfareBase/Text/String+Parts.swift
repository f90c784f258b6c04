extension String {
    /// Returns the texts before and behind the first separator; nil without one.
    ///
    /// It looks at bytes, as `escaping(_:)` does: a mark behind the separator belongs to what follows.
    package func parts(at separator: String) -> (String, String)? {
        guard let place = utf8.firstRange(of: separator.utf8) else { return nil }
        return (String(self[..<place.lowerBound]), String(self[place.upperBound...]))
    }
}
