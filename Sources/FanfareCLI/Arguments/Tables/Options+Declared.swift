extension Options {
    /// Trying out the description of a provider: `provider try`.
    enum Declared {
        static let all: [any AnyOption] = [row, set, secret, answer, status]

        /// The options for settings that a description leaves to its users: `send`, `check`.
        static let settings: [any AnyOption] = [
            set.with { spec in
                spec.summary = "A setting of a provider that a file describes"
                spec.detail = "Of several providers ntfy.url=URL is for one."
            },
            secret.with { spec in
                spec.summary = "The file with a secret setting of such a provider"
                spec.detail = "Of several providers webhook.key=@FILE is for one."
            },
            allowHost, allowPrivateHosts,
        ]

        static let allowHost = Option(
            "allow-host", .values("HOST", ValueReader.allowedHost), .provider,
            "A host that the URLs of rows may name, in place of those in the provider's file",
            detail:
                ".example.org stands for all hosts below it, * for any host. A port may follow, or :*; "
                + "else it is the usual one.",
            example: "hooks.example.org", needs: ["provider"])
        static let allowPrivateHosts = Option(
            "allow-private-hosts", .flag, .provider,
            "Let the URLs of rows lead to this machine and into private networks",
            detail: "Otherwise such addresses are refused, also if a name leads to them.",
            needs: ["provider"])

        static let row = Option(
            "row", .values(.jsonObject), .rows, "A row, as a JSON object with its columns",
            detail: "Several rows share a request, if the description has batches.",
            example: #"{"token":"a1","title":"Hi"}"#)
        static let pushRow = Option(
            "row", .value(.jsonObject), .payload,
            "The columns besides the token, for a provider that a file describes",
            example: #"{"title":"Hi"}"#, needs: ["provider"],
            brief: "Columns for a provider that a file describes")
        static let set = Option(
            "set", .values(.pair("NAME=VALUE", allowsEmptyValue: false)), .provider,
            "The value of a setting", example: "region=eu")
        static let secret = Option(
            "secret", .values("NAME=@FILE", ValueReader.secretFile), .provider,
            "The file with a secret setting",
            detail: "Secrets are shown as dots, and so is a signature whose secret is missing.",
            example: "key=@key.txt")
        static let answer = Option(
            "answer", .value(.file), .provider, "File with an answer, to say what it means",
            detail: "Its body, or with status line and header fields, as curl -i prints one. - is "
                + "standard input.",
            example: "answer.json", needs: ["row"])
        static let status = Option(
            "status", .value(.count(200...599)), .provider, "The status of the answer",
            default: "that in the file, else 200", example: "400", needs: ["answer"])
    }
}
