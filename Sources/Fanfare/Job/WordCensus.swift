import FanfareBase
import FanfareCore

/// The words in rows of several providers that name none.
///
/// For the reader's thread alone, and for the one that asks after that thread has been joined.
final class WordCensus: @unchecked Sendable {
    var words = RouteWords()

    /// The facts about them that people should know.
    /// - Parameters:
    ///   - column: The column of providers; `nil` if it is not known.
    ///   - providers: The job's providers, in order.
    /// - Returns: Sentences; none if all words were known.
    func hints(column: String?, providers: [String]) -> [Statement] {
        let place =
            column.map { "column '\(TerminalText.shown($0, max: 32))'" } ?? "the provider's column"
        var hints: [Statement] = []
        if let list = Self.list(words.decided) {
            let isMixed = words.decided.words.contains { $0.route == nil }
            let only = isMixed ? nil : words.decided.words.first
            let advice: Statement =
                only.map { Self.advice($0, providers) }
                ?? "Tokens of several providers have the same word, so they may be about something else"
            hints.append(
                "words in \(place) that name no provider, so that the token decided: \(list). "
                    + advice)
        }
        if let list = Self.list(words.turnedAway), let first = words.turnedAway.words.first {
            hints.append(
                "words in \(place) that name no provider, so that the row is invalid: \(list). "
                    + Self.advice(first, providers))
        }
        return hints
    }

    /// The provider of a word is that of its tokens; without them only a person knows it.
    private static func advice(_ word: UnknownWords.Word, _ providers: [String]) -> Statement {
        let provider = word.route.map { providers[$0] } ?? "PROVIDER"
        return "\(.routeWords, ofFound: word.text, is: provider) says whose rows they are"
    }

    /// The most frequent words with the numbers of their rows; `nil` if there are none.
    private static func list(_ unknown: UnknownWords) -> String? {
        let shown = unknown.words.prefix(shownMax)
        guard !shown.isEmpty else { return nil }
        let rest = unknown.rowCount - shown.reduce(0) { $0 + $1.count }
        let more = rest == 0 ? "" : " and others (\(NumberText.grouped(rest)))"
        return shown.map { "'\($0.text)' (\(NumberText.grouped($0.count)))" }
            .joined(separator: ", ") + more
    }

    private static let shownMax = 5
}
