import FanfareBase

/// Guesses the word that a mistyped word was meant to be.
package enum Suggestion {
    /// The candidates that are most likely meant, nearest first, at most three.
    package static func nearest(to word: String, among candidates: [String]) -> [String] {
        NearWords.nearest(to: word, among: candidates)
    }
}

extension [String] {
    /// The words as a list in a sentence: "a, b or c".
    func joined(last: String) -> String {
        guard let end = self.last, count > 1 else { return self.last ?? "" }
        return dropLast().joined(separator: ", ") + last + end
    }
}
