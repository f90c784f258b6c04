/// Options of other tools, with the names that they have here.
///
/// People type the options that they know from curl, oha, k6, rclone, h2load and other senders of
/// notifications. Words close to one of our own names are not listed here: `Suggestion` finds them.
package enum ForeignWords {
    /// The advice about a word.
    private struct Answer {
        /// The option that the command must have; nil for an answer that fits every command.
        var option: String?
        /// The option to write, with its value; nil for the option alone.
        var advice: String?
    }

    /// Returns the replacement for an option that a command does not have.
    /// - Parameters:
    ///   - name: The option without its dashes.
    ///   - command: The command that received it.
    /// - Returns: The end of a sentence; nil for an unknown word.
    package static func advice(on name: String, for command: CommandSpec) -> String? {
        let fitting = (answers[name] ?? []).first { answer in
            answer.option.map { command.option(named: $0) != nil } ?? true
        }
        guard let fitting else { return nil }
        return fitting.advice ?? fitting.option.map { "did you mean --\($0)?" }
    }

    /// All words, for those who look through them.
    package static var all: [String] { answers.keys.sorted() }

    private static let answers = renamed.merging(explained) { first, _ in first }

    /// Words for one option, the likeliest first.
    private static let renamed: [String: [Answer]] = [
        "app-id": ["topic"], "auth-key": ["key"], "apns-key": ["key"],
        "batch": ["in-flight", "streams"],
        "bearer": ["access-token-file"], "blocklist": ["suppress"], "bundle": ["topic"],
        "bundle-id": ["topic"], "cacert": ["ca-file"], "cert": ["certificate", "tls-certificate"],
        "certificate": ["tls-certificate"],
        "channels": ["connections"], "clients": ["connections"],
        "concurrency": ["in-flight", "connections"],
        "continue": ["resume"], "credentials": ["service-account", "key"], "csv": ["report"],
        "data-raw": ["body"], "dedup": ["deduplicate"], "dedupe": ["deduplicate"],
        "exclude": ["suppress"], "filter": ["where", "select"], "head": ["limit"],
        "force": ["overwrite"], "google-credentials": ["service-account"],
        "host": ["endpoint"], "http2": ["http"], "input-format": ["format"],
        "insecure-skip-tls-verify": ["insecure"], "key": ["tls-key"],
        "key-file": ["key", "tls-key"],
        "json": ["summary", "payload-json"], "limit-rate": ["rate"],
        "max-retries": ["max-attempts"], "max-transfer": ["limit"], "n": ["limit", "count"],
        "o": ["output", "report", "summary"], "out": ["output", "report", "summary"],
        "output": ["report", "summary"], "p8": ["key"], "parallel": ["connections"],
        "qps": ["rate"], "requests": ["count"],
        "retries": ["max-attempts"],
        "retry": ["max-attempts"], "rps": ["rate"], "schedule": ["window"], "server": ["endpoint"],
        "select": ["where"], "server-key": ["service-account"],
        "silent": ["content-available", "quiet"], "skip-duplicates": ["deduplicate"],
        "team": ["team-id"], "text": ["alert"], "threads": ["lanes"], "throttle": ["rate"],
        "time": ["duration"], "token-key": ["key"], "topic-id": ["topic"], "tps": ["rate"],
        "transfers": ["connections"], "unique": ["deduplicate"], "unsubscribed": ["suppress"],
        "url": ["endpoint"], "users": ["in-flight"], "vus": ["in-flight"], "warmup": ["warm-up"],
        "workers": ["lanes"], "y": ["yes"],
    ].mapValues { names in names.map { Answer(option: $0) } }

    /// Words that stand for more than an option.
    private static let explained: [String: [Answer]] = [
        "android": [Answer(option: "provider", advice: "write --provider fcm")],
        "apns": [Answer(option: "provider", advice: "write --provider apns")],
        "debug": [
            Answer(option: "log-level", advice: "write --log FILE --log-level debug"),
            Answer(option: "verbose"),
        ],
        "development": [Answer(option: "environment", advice: "write --environment sandbox")],
        "dry-run": [Answer(advice: "'fanfare check' does all that send does up to the network")],
        "format": [Answer(option: "output-format")],
        "fcm": [Answer(option: "provider", advice: "write --provider fcm")],
        "ios": [Answer(option: "provider", advice: "write --provider apns")],
        "method": [
            Answer(option: "payload", advice: "'fanfare bench' tests services by any method")
        ],
        "no-verify": [
            Answer(
                option: "insecure",
                advice: "--insecure is for loopback addresses, and --ca-file for all others")
        ],
        "p12": [Answer(option: "certificate")],
        "pem": [Answer(option: "certificate")],
        "prod": [
            Answer(option: "environment", advice: "write --environment production, the default")
        ],
        "production": [
            Answer(option: "environment", advice: "write --environment production, the default")
        ],
        "quiet-hours": [
            Answer(
                option: "window",
                advice: "--window names the hours to send in; for quiet hours from 20:00 to 09:00 "
                    + "write --window 09:00-20:00")
        ],
        "sandbox": [Answer(option: "environment", advice: "write --environment sandbox")],
        "test": [
            Answer(
                option: "seed-list",
                advice: "--seed-list sends to a few first, and 'fanfare check' to none"),
            Answer(advice: "'fanfare check' does all that send does up to the network"),
        ],
        "token": [
            Answer(option: "map", advice: "tokens are rows; 'fanfare push TOKEN' sends to one")
        ],
        "tokens": [
            Answer(
                option: "map",
                advice: "files of tokens stand behind the command: fanfare send rows.csv")
        ],
        "input": [
            Answer(
                option: "map",
                advice: "files of rows stand behind the command: fanfare send rows.csv")
        ],
        "file": [
            Answer(
                option: "map",
                advice: "files of rows stand behind the command: fanfare send rows.csv")
        ],
    ]
}
