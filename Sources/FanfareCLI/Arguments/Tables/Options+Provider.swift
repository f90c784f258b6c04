extension Options {
    /// Headers that rows share unless they bring their own: `send`, `check` (from rows), `push`
    /// (without).
    static func headers(fromRows: Bool) -> [OptionSpec] {
        headers(topic: fromRows ? "the row's topic, else the certificate's" : "the certificate's")
    }

    /// The same with the topic's default in words.
    static func headers(topic defaultText: String) -> [OptionSpec] {
        [topic(default: defaultText)] + otherHeaders
    }

    private static func topic(default defaultText: String) -> OptionSpec {
        OptionSpec(
            "topic", .required(placeholder: "TOPIC", .identifier), .headers,
            "The app's bundle id, with the suffix that the push type asks for",
            default: defaultText, example: "com.example.app", common: true)
    }

    private static let otherHeaders: [OptionSpec] = [
        OptionSpec(
            "push-type", .required(placeholder: "TYPE", .identifier), .headers,
            "What kind of notification it is",
            detail: "One of alert, background, voip, complication, fileprovider, mdm, location, "
                + "liveactivity, pushtotalk, widgets, controls, or one that is newer.",
            default: "alert",
            example: "background", common: true),
        OptionSpec(
            "priority", .choice("10", "5", "1"), .headers,
            "10 at once, 5 when it costs little power, 1 without ever waking",
            default: "the provider's, 10", example: "5"),
        OptionSpec(
            "expiration", .required(placeholder: "TIME", .expiration), .headers,
            "Until when the provider keeps what it cannot deliver",
            detail: "0 is one attempt and nothing kept; otherwise a time from now such as +1h, an "
                + "RFC 3339 time, or UNIX seconds.",
            default: "the provider's, up to 30 days", example: "+1h"),
        OptionSpec(
            "collapse-id", .required(placeholder: "ID", .identifier), .headers,
            "A newer notification replaces the one with the same id", example: "score"),
    ]

    /// Where it goes, and in whose name: `send`, `push`.
    static let provider: [OptionSpec] =
        [
            OptionSpec(
                "provider", .choice("apns", "simulator"), .provider,
                "Who gets the notifications",
                detail:
                    "The simulator runs inside this process and needs no account and no network: "
                    + "for trying things out.",
                default: "apns", example: "simulator", common: true),
            OptionSpec(
                "key", .required(placeholder: "FILE.p8", .file), .provider,
                "Signing key, for token authentication", example: "AuthKey_ABC123DEFG.p8",
                needs: ["team-id"], excludes: ["certificate"], common: true),
            OptionSpec(
                "key-id", .required(placeholder: "ID", .identifier), .provider,
                "Identifier of the key, ten characters",
                default: "the one in the name of --key, AuthKey_ABC123DEFG.p8",
                example: "ABC123DEFG", needs: ["key"], common: true),
            OptionSpec(
                "team-id", .required(placeholder: "ID", .identifier), .provider,
                "Identifier of the team, ten characters", example: "DEF123GHIJ", needs: ["key"],
                common: true),
            OptionSpec(
                "certificate", .required(placeholder: "FILE", .file), .provider,
                "Client certificate, .p12 or .pem, for certificate authentication",
                example: "push.p12", endings: [".p12", ".pfx", ".pem"], common: true),
            OptionSpec(
                "certificate-key", .required(placeholder: "FILE", .file), .provider,
                "Private key of a .pem certificate", default: "in the certificate's file",
                example: "push-key.pem", needs: ["certificate"]),
            OptionSpec(
                "passphrase-file", .required(placeholder: "FILE", .file), .provider,
                "File whose first line is the passphrase of certificate or key",
                example: "passphrase.txt", endings: [], needs: ["certificate"], common: true),
            OptionSpec(
                "environment", .choice("production", "sandbox"), .provider,
                "Which service of the provider",
                detail: "A token belongs to one of them and looks wrong in the other.",
                default: "production", example: "sandbox",
                excludes: ["endpoint", "provider=simulator"], common: true),
            OptionSpec(
                "port", .choice("443", "2197"), .provider,
                "Port of the provider; 2197 is for networks that hold back 443",
                default: "443", example: "2197", excludes: ["endpoint", "provider=simulator"]),
            OptionSpec(
                "endpoint", .required(placeholder: "URL", .endpoint), .provider,
                "Another server than the provider's own",
                detail: "In the form https://host:port; http is for loopback addresses only.",
                example: "https://127.0.0.1:8443", excludes: ["provider=simulator"]),
            OptionSpec(
                "ca-file", .required(placeholder: "FILE", .file), .provider,
                "Trust the certificates of this .pem file, too", example: "ca.pem"),
            OptionSpec(
                "insecure", .negatableFlag, .provider,
                "Trust any server; for an --endpoint on a loopback address only",
                needs: ["endpoint"], excludes: ["ca-file"]),
        ] + proxying + [
            OptionSpec(
                "simulator-latency", .required(placeholder: "LATENCY", .latency), .provider,
                "How long the simulator takes to answer",
                detail: "For example 20ms, 20ms..80ms, or lognormal:p50=40ms,p99=250ms.",
                default: "none", example: "20ms", needs: ["provider=simulator"]),
            OptionSpec(
                "simulator-scenario", .required(placeholder: "FILE", .file), .provider,
                "Rules for the simulator's answers", default: "accept what is valid",
                example: "scenario.json", needs: ["provider=simulator"]),
        ]

    /// The way to it through a proxy.
    private static let proxying: [OptionSpec] = [
        OptionSpec(
            "proxy", .required(placeholder: "URL", .proxy), .provider,
            "Go through this HTTP proxy, with CONNECT",
            detail: "Without it https_proxy in the environment may name one, except for hosts in "
                + "no_proxy, loopback addresses and the simulator.",
            default: "https_proxy", example: "http://proxy.example:3128"),
        OptionSpec(
            "proxy-credentials-file", .required(placeholder: "FILE", .file), .provider,
            "File whose first line is user:password for the proxy",
            example: "proxy-password.txt", endings: []),
        OptionSpec(
            "no-proxy", .flag, .provider,
            "Go directly; ignore a proxy of the environment",
            excludes: ["proxy", "proxy-credentials-file"]),
    ]
}
