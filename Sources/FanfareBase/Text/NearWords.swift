/// A search for the words that a mistyped one may stand for.
package enum NearWords {
    /// Returns the candidates that are most likely meant, nearest first, at most three.
    ///
    /// A word is near when it differs by at most a third of its letters (one at least, three at
    /// most), or when it was cut short.
    package static func nearest(to word: String, among candidates: [String]) -> [String] {
        let limit = min(3, max(1, word.utf8.count / 3))
        var found: [(distance: Int, name: String)] = []
        for candidate in candidates {
            let distance = distance(from: word, to: candidate)
            if distance <= limit {
                found.append((distance, candidate))
            } else if word.utf8.count >= 3 && candidate.hasPrefix(word) {
                found.append((limit + 1, candidate))
            }
        }
        guard let best = found.map(\.distance).min() else { return [] }
        return found.filter { $0.distance == best }.prefix(3).map(\.name)
    }

    /// Returns the question whether the nearest of the candidates were meant; nil without near ones.
    package static func question(_ word: String, among candidates: [String]) -> String? {
        let near = nearest(to: word, among: candidates)
        return near.isEmpty ? nil : "did you mean \(near.joined(separator: " or "))?"
    }

    /// Returns the optimal string alignment distance: insertions, deletions, replacements and swaps
    /// of neighbors, in bytes.
    ///
    /// - Complexity: the product of the lengths, in two rows and the one before them.
    package static func distance(from left: String, to right: String) -> Int {
        let left = Array(left.utf8)
        let right = Array(right.utf8)
        var before = [Int](repeating: 0, count: right.count + 1)
        var above = Array(0...right.count)
        for row in 1..<(left.count + 1) {
            var current = [row] + [Int](repeating: 0, count: right.count)
            for column in 1..<(right.count + 1) {
                let isSame = left[row - 1] == right[column - 1]
                var best = min(above[column] + 1, current[column - 1] + 1)
                best = min(best, above[column - 1] + (isSame ? 0 : 1))
                if row > 1 && column > 1 && left[row - 1] == right[column - 2]
                    && left[row - 2] == right[column - 1]
                {
                    best = min(best, before[column - 2] + 1)
                }
                current[column] = best
            }
            before = above
            above = current
        }
        return above[right.count]
    }
}
