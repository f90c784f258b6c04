/// The words that a shell may offer in a place that does not hold an option's name.
package enum Candidates: Sendable, Equatable {
    /// Nothing: only the user knows.
    case none
    case words([String])
    /// Files with one of these endings, or, where none has one, all files.
    case files(endings: [String])

    /// Rows of tokens, also compressed.
    static let rows = Candidates.files(
        endings: [".csv", ".tsv", ".ndjson", ".jsonl"].flatMap { [$0, "\($0).gz", "\($0).zst"] })
}

extension OptionSpec {
    /// The candidates for its value.
    package var candidates: Candidates {
        switch form {
        case .choice(let words): .words(words)
        case .file, .routeFile: .files(endings: fileEndings)
        case .text, .textOrFile, .keyedFiles, .sharedFile, .number, .count, .jsonObject, .list, nil:
            .none
        }
    }

    /// The endings that the table names, else that of the example.
    private var fileEndings: [String] {
        if let endings { return endings }
        guard let example, let point = example.lastIndex(of: ".") else { return [] }
        return [String(example[point...])]
    }

    /// The labels that it has on a command line: `--strict`, `--no-strict`, or `-h`.
    var labels: [String] {
        ["--\(name)"] + (negation.map { ["--\($0)"] } ?? []) + (short.map { ["-\($0)"] } ?? [])
    }
}

extension CommandSpec {
    /// The candidates for its arguments.
    var candidates: Candidates { positional?.candidates ?? .none }
}
