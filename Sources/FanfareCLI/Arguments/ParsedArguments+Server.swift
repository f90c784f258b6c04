extension ParsedArguments {
    /// Takes the URL of `fanfare bench URL` for the options that it stands for.
    ///
    /// Without a path that is `--endpoint` alone, so that notifications are sent. With one, be it a slash,
    /// it is `--path` as well, as other load generators have it.
    mutating func takeServer() throws(UsageError) {
        guard command.positional?.isServer == true, let url = positionals.first else { return }
        guard positionals.count == 1 else {
            throw error("\(positionals.count) servers; a load test is of one")
        }
        guard !has(Options.endpoint) else {
            throw error(Options.endpoint, "names another server; write one of them")
        }
        positionals = []
        let (server, path) = Self.parts(of: url)
        try take(server, for: Options.endpoint.spec)
        guard let path else { return }
        guard !has(Options.Bench.path) else {
            throw error(Options.Bench.path, "names another path than the URL; write one of them")
        }
        try take(path, for: Options.Bench.path.spec)
    }

    private mutating func take(_ text: String, for option: OptionSpec) throws(UsageError) {
        guard let type = option.type else { preconditionFailure("BUG: a flag stands for a URL") }
        do throws(ValueFault) {
            append(try GivenValue(text, type), to: option)
        } catch {
            throw .faultyValue(text, of: option, in: command, error)
        }
    }

    /// Returns a URL up to its path, and the path with its query; a part behind # never goes to a
    /// server.
    private static func parts(of url: String) -> (server: String, path: String?) {
        let whole = url.prefix { $0 != "#" }
        let begin = whole.firstRange(of: "://")?.upperBound ?? whole.startIndex
        guard let end = whole[begin...].firstIndex(where: { $0 == "/" || $0 == "?" }) else {
            return (String(whole), nil)
        }
        let path = whole[end...]
        return (String(whole[..<end]), path.hasPrefix("?") ? "/" + path : String(path))
    }
}
