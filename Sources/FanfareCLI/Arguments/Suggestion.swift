import FanfareBase

/// Guesses what a mistyped word was meant to be.
package enum Suggestion {
    /// The candidates that are most likely meant, nearest first, at most three.
    package static func nearest(to word: String, among candidates: [String]) -> [String] {
        NearWords.nearest(to: word, among: candidates)
    }

    /// Our options for one that other tools have, the likeliest first.
    package static func foreign(_ name: String) -> [String] { words[name] ?? [] }

    private static let words: [String: [String]] = [
        "out": ["output", "report", "json"], "output": ["report", "json"],
        "o": ["output", "report", "json"], "bundle-id": ["topic"], "bundle": ["topic"],
        "app-id": ["topic"], "p8": ["key"], "auth-key": ["key"], "token-key": ["key"],
        "cert": ["certificate"], "sandbox": ["environment"], "production": ["environment"],
        "development": ["environment"], "qps": ["rate"], "rps": ["rate"], "tps": ["rate"],
        "throttle": ["rate"], "concurrency": ["in-flight", "connections"], "workers": ["lanes"],
        "threads": ["lanes"], "text": ["alert"],
        "silent": ["content-available"],
        "url": ["endpoint"], "server": ["endpoint"], "host": ["endpoint"],
        "retries": ["max-attempts"],
        "exclude": ["suppress"], "blocklist": ["suppress"], "unique": ["deduplicate"],
        "quiet-hours": ["window"], "force": ["overwrite"], "continue": ["resume"],
    ]
}

extension [String] {
    /// The words as a list in a sentence: "a, b or c".
    func joined(last: String) -> String {
        guard let end = self.last, count > 1 else { return self.last ?? "" }
        return dropLast().joined(separator: ", ") + last + end
    }
}
