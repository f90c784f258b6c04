import FanfareBase
import FanfareCore

extension Options {
    /// The options that a rehearsal computes the duration from: `check`.
    static let planOptions: [any AnyOption] = [provider, rate, ramp, connections]

    /// The number of payloads that a rehearsal shows, or the share of rows that it looks at: `check`.
    static let sample = Option(
        "sample", .value("N|PERCENT", form: .count, ValueReader.checkSample), .output,
        "Show the payloads of the first N rows that could be sent",
        detail:
            "Of several providers N rows of each. With a percent sign it is the --sample of send: "
            + "only that share of the rows is looked at.",
        default: "none", example: "3", brief: "Show the payloads of the first N good rows",
        common: true)

    /// The page about a check: `check`.
    static let checkHTML = html.with {
        $0.summary = "Where a page about the check goes; - is standard output"
        $0.detail =
            "One file that needs no network: the first notifications as a phone shows "
            + "them, the rows nearest to the limits, and those that are invalid."
        $0.example = "check.html"
        $0.brief = "Where a page goes, with the first notifications"
    }

    /// The credentials that are read and tried out; with `--online` rows are asked about with them: `check`.
    static let checkedCredentials: [any AnyOption] = [
        key, keyID, teamID, certificate, certificateKey, passphraseFile, serviceAccount,
        accessTokenFile, project,
    ]

    /// The providers to ask about rows, and the way there: `check`.
    static let onlineOptions: [any AnyOption] =
        [online]
        + ([
            metadataServer, endpoint, caFile, insecure,
            proxy, proxyCredentialsFile, noProxy, simulatorLatency, simulatorScenario,
            unregistered, resume,
        ] as [any AnyOption]).map(\.online)

    static let online = Option(
        "online", .negatableFlag, .provider, "Ask FCM about each row, and deliver nothing",
        detail:
            "So dead tokens are found before anything is sent, and no payload is needed. Rows for "
            + "APNs, which cannot be asked, are checked as without.",
        excludes: ["sample", "no-validate", "window"], common: true)
}

extension AnyOption {
    /// The option where it is of use with `--online` alone.
    fileprivate var online: any AnyOption {
        var spec = spec
        spec.needs.append(Options.online.name)
        return spec
    }
}
