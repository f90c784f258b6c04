import Fanfare
import FanfareCore
import FanfareJSON

/// The rows of `push` for a provider that a file describes: a token each, and the columns of `--row`.
struct DescribedPush {
    /// A line of NDJSON for each token.
    let lines: String

    /// The rows, if the provider is described by a file; `nil` for built-in providers.
    /// - Parameters:
    ///   - configuration: With the job's routes.
    ///   - arguments: Of `push`.
    /// - Throws: `CommandError` about what does not go together.
    init?(_ configuration: Configuration, _ arguments: ParsedArguments) throws(CommandError) {
        guard let route = configuration.routes.first(where: { $0.declared != nil }),
            let provider = route.declared?.file.provider
        else {
            guard arguments.has(Options.Declared.pushRow.spec) else { return nil }
            throw arguments.fault(
                Options.Declared.pushRow,
                "goes with a provider that a file describes; --provider names it")
        }
        guard configuration.routes.count == 1 else {
            throw arguments.fault(
                Options.provider,
                "\(provider.name) is described by a file, and has columns that the others do "
                    + "not have; name it alone")
        }
        // A body may have secrets anywhere.
        guard !arguments[Options.verbose] else {
            throw arguments.fault(
                Options.verbose,
                "is for apns and fcm; fanfare provider try shows the request, with dots in place "
                    + "of secrets")
        }
        let column = provider.columns[provider.token.column]
        let given = try Self.columns(arguments)
        guard !given.contains(where: { $0.key == column }) else {
            throw arguments.fault(
                Options.Declared.pushRow,
                "has the column \(column.quotedForMessage), which the tokens are for")
        }
        lines = arguments.positionals.map { token in
            let member = PlacedJSON.Member(
                key: column, keyOffset: 0, value: PlacedJSON(.text(token)))
            let row = PlacedJSON(.object([member] + given))
            return String(decoding: row.json, as: UTF8.self) + "\n"
        }.joined()
    }

    private static func columns(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> [PlacedJSON.Member] {
        guard let text = arguments[Options.Declared.pushRow] else { return [] }
        do throws(JSONError) {
            return try PlacedJSONParser().file(Array(text.utf8)).members ?? []
        } catch {
            throw arguments.fault(Options.Declared.pushRow, "\(error)")
        }
    }
}
