extension String {
    /// Returns the texts before and behind the first separator; nil without one.
    package func parts(at separator: String) -> (String, String)? {
        guard let place = indices.first(where: { self[$0...].hasPrefix(separator) }) else {
            return nil
        }
        return (String(self[..<place]), String(self[place...].dropFirst(separator.count)))
    }
}
