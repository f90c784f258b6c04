import FanfareBase

/// Guesses the word that a mistyped word was meant to be.
package enum Suggestion {
    /// The candidates that are most likely meant, nearest first, at most three.
    package static func nearest(to word: String, among candidates: [String]) -> [String] {
        NearWords.nearest(to: word, among: candidates)
    }

    /// Returns the question whether the nearest of the candidates were meant; `nil` without near ones.
    static func question(_ word: String, among candidates: [String]) -> String? {
        question(nearest(to: word, among: candidates))
    }

    /// Returns the question whether these words were meant; `nil` without any.
    static func question(_ near: [String]) -> String? {
        near.isEmpty ? nil : "did you mean \(near.joined(last: " or "))?"
    }
}

extension [String] {
    /// The words as a list in a sentence: "a, b or c".
    func joined(last: String) -> String {
        guard let end = self.last, count > 1 else { return self.last ?? "" }
        return dropLast().joined(separator: ", ") + last + end
    }
}
