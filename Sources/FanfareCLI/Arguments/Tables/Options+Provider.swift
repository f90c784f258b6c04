import Fanfare
import FanfareSimulator

extension Options {
    /// Headers that rows share unless they bring their own: `send`, `check`.
    static let headerOptions = headerOptions(topic: "the row's topic, else the certificate's")

    /// The same with the topic's default in words.
    static func headerOptions(
        topic defaultText: String, priority: any AnyOption = priority
    ) -> [any AnyOption] {
        [topic.with { $0.defaultText = defaultText }, pushType, priority, expiration, collapseID]
    }

    static let topic = Option(
        "topic", .value(.identifier("TOPIC")), .headers,
        "The app's bundle id, with the suffix that the push type asks for",
        example: "com.example.app", brief: "The app's bundle id", common: true)
    static let pushType = Option(
        "push-type", .value(.identifier("TYPE")), .headers, "What kind of notification it is",
        detail: "One of alert, background, voip, complication, fileprovider, mdm, location, "
            + "liveactivity, pushtotalk, widgets, controls, or one that is newer.",
        default: "alert", example: "background")
    static let priority = Option(
        "priority", .value(.choice("high", "normal", "10", "5", "1")), .headers,
        "How urgent it is: high wakes a device, normal spares its battery",
        detail:
            "APNs has numbers: 10 at once, 5 when it costs little power, 1 without ever waking.",
        default: "the provider's, 10 of APNs", example: "normal")
    static let expiration = Option(
        "expiration", .value("TIME", ValueReader.expiration), .headers,
        "Until when the provider keeps what it cannot deliver",
        detail: "0 is one attempt and nothing kept; otherwise a time from now such as +1h, an "
            + "RFC 3339 time, or UNIX seconds.",
        default: "the provider's, up to 30 days", example: "+1h")
    static let collapseID = Option(
        "collapse-id", .value(.identifier("ID")), .headers,
        "A newer notification replaces the one with the same id", example: "score")

    /// The options for the provider and its credentials: `send`, `push`.
    static let providerOptions: [any AnyOption] = [
        provider, key, keyID, teamID, certificate, certificateKey, passphraseFile, environment,
        port, serviceAccount, accessTokenFile, metadataServer, project,
        endpoint, caFile, insecure, proxy, proxyCredentialsFile, noProxy, simulatorLatency,
        simulatorScenario,
    ]

    static let provider = Option(
        "provider", .value(.providers, or: ProviderChoices()), .provider,
        "Who gets the notifications; several with commas",
        detail:
            "apns, fcm, one of fanfare provider list, or a file that describes one. "
            + "Of several each takes its rows: those with its name, or ios, android and the like, in "
            + "a column provider, platform or os, or with a token of its kind. The simulator runs "
            + "inside this process and needs no account and no network: for trying things out. It "
            + "stands in for APNs; with apns,fcm,simulator for both.",
        default: "apns, or those whose credentials are given", example: "simulator",
        brief: "Who gets it: apns, fcm, simulator, or several", common: true)
    static let route = Option(
        "route", .values("WORD=PROVIDER", ValueReader.route), .rows,
        "Rows with this word in the column provider are for this provider",
        detail: "For words other than ios, apple, apns, android, fcm, gcm and firebase.",
        example: "iphone=apns")
    static let serviceAccount = Option(
        "service-account", .value(.file), .provider,
        "Key file of a Google service account, for FCM",
        detail:
            "The configuration of a workload identity that reads its token from a file will do, too.",
        example: "firebase.json",
        excludes: ["access-token-file", "provider=simulator"], common: true)
    static let accessTokenFile = Option(
        "access-token-file", .value(.file), .provider,
        "File in which another program keeps an access token, for FCM",
        detail: "It is read again when it changes: gcloud auth print-access-token > FILE.",
        example: "token.txt", endings: [], excludes: ["provider=simulator"])
    static let metadataServer = Option(
        "metadata-server", .flag, .provider,
        "Access tokens come from this machine of Google's cloud, for FCM",
        detail:
            "For programs on Compute Engine, Cloud Run and GKE: its metadata server gives them, and "
            + "names the project. The variable GCE_METADATA_HOST of the environment may name "
            + "another of its addresses.",
        excludes: ["service-account", "access-token-file", "provider=simulator"])
    static let project = Option(
        "project", .value(.identifier("PROJECT")), .provider,
        "Project of FCM, by its id or number",
        default: "the one of --service-account or --metadata-server",
        example: "my-app-1a2b3")
    static let key = Option(
        "key", .value(.file("FILE.p8")), .provider, "Signing key, for token authentication",
        example: "AuthKey_ABC123DEFG.p8", needs: ["team-id"], excludes: ["certificate"],
        brief: "Signing key of APNs, with --team-id",
        common: true)
    static let keyID = Option(
        "key-id", .value(.identifier("ID")), .provider, "Identifier of the key, ten characters",
        default: "the one in the name of --key, AuthKey_ABC123DEFG.p8", example: "ABC123DEFG",
        needs: ["key"])
    static let teamID = Option(
        "team-id", .value(.identifier("ID")), .provider, "Identifier of the team, ten characters",
        example: "DEF123GHIJ", needs: ["key"], common: true)
    static let certificate = Option(
        "certificate", .value(.file), .provider,
        "Client certificate, .p12 or .pem, for certificate authentication", example: "push.p12",
        endings: [".p12", ".pfx", ".pem"], brief: "Client certificate for APNs, .p12 or .pem",
        common: true)
    static let certificateKey = Option(
        "certificate-key", .value(.file), .provider, "Private key of a .pem certificate",
        default: "in the certificate's file", example: "push-key.pem", needs: ["certificate"])
    static let passphraseFile = Option(
        "passphrase-file", .value(.file), .provider,
        "File whose first line is the passphrase of certificate or key", example: "passphrase.txt",
        endings: [], needs: ["certificate"])
    static let environment = Option(
        "environment", .value(.choice(ProviderEnvironment.self), or: .production), .provider,
        "Which service of the provider",
        detail: "A token belongs to one of them and looks wrong in the other.",
        default: "production", example: "sandbox", excludes: ["endpoint", "provider=simulator"],
        brief: "production, or sandbox for development builds",
        common: true)
    static let port = Option(
        "port", .value(.choice("443", "2197")), .provider,
        "Port of the provider; 2197 is for networks that hold back 443", default: "443",
        example: "2197", excludes: ["endpoint", "provider=simulator"])
    static let endpoint = Option(
        "endpoint", .byRoute(ValueType("URL", ValueReader.endpoint)), .provider,
        "Another server than the provider's own",
        detail: "In the form https://host:port; http is for loopback addresses only. "
            + "fcm=https://host:port is for one provider of several.",
        example: "https://127.0.0.1:8443", excludes: ["provider=simulator"])
    static let caFile = Option(
        "ca-file", .value(.file), .provider, "Trust the certificates of this .pem file, too",
        example: "ca.pem")
    static let insecure = Option(
        "insecure", short: "k", .negatableFlag, .provider,
        "Trust any server; for an --endpoint on a loopback address only", needs: ["endpoint"],
        excludes: ["ca-file"], brief: "Trust any server on a loopback address")
    static let proxy = Option(
        "proxy", .value("URL", ValueReader.proxy), .provider,
        "Go through this HTTP proxy, with CONNECT",
        detail: "Without it https_proxy in the environment may name one, except for hosts in "
            + "no_proxy, loopback addresses and the simulator.",
        default: "https_proxy", example: "http://proxy.example:3128")
    static let proxyCredentialsFile = Option(
        "proxy-credentials-file", .value(.file), .provider,
        "File whose first line is user:password for the proxy", example: "proxy-password.txt",
        endings: [])
    static let noProxy = Option(
        "no-proxy", .flag, .provider, "Go directly; ignore a proxy of the environment",
        excludes: ["proxy", "proxy-credentials-file"])
    static let simulatorLatency = Option(
        "simulator-latency", .value(.latency, or: LatencyModel.none), .provider,
        "How long the simulator takes to answer",
        detail: "For example 20ms, 20ms..80ms, or lognormal:p50=40ms,p99=250ms.", default: "none",
        example: "20ms", needs: ["provider=simulator"])
    static let simulatorScenario = Option(
        "simulator-scenario", .value(.file), .provider, "Rules for the simulator's answers",
        default: "accept what is valid", example: "scenario.json", needs: ["provider=simulator"])
}

/// The providers that receive the notifications.
package struct ProviderChoices: Sendable, Equatable {
    /// The built-in providers that were named, in the order of all of them.
    var providers: [Provider] = []
    /// Names and paths of descriptions, in the order in which they were given.
    var described: [String] = []
    /// True if the simulator stands in for them.
    var isSimulated = false

    /// The word for the simulator.
    static let simulator = "simulator"
    /// All words.
    static let words = Provider.allCases.map(\.rawValue) + [simulator]

    /// True if a word is the name of a description that comes with Fanfare, or the path of a file.
    static func isDescription(_ word: String) -> Bool {
        word.contains("/") || word.contains(".") || ShippedProvider(named: word) != nil
    }

    /// The fault of a word that names no provider.
    static func fault(_ word: String) -> ValueFault {
        let names = words + ShippedProvider.all.map(\.name)
        return ValueFault(
            "is none of \(words.joined(last: " and ")), and fanfare provider list does not have it; a "
                + "file is named with its path, which has a / or a . in it",
            example: Suggestion.nearest(to: word, among: names).first ?? "./provider.json")
    }
}

extension ValueType where Value == ProviderChoices {
    /// Names of providers between commas.
    static var providers: ValueType {
        ValueType(
            (ProviderChoices.words + ["NAME", "FILE"]).joined(separator: "|"),
            form: .choice(ProviderChoices.words + ShippedProvider.all.map(\.name))
        ) { text throws(ValueFault) in
            var choices = ProviderChoices()
            var named = Set<String>()
            for word in try ValueReader.list(text) {
                if ProviderChoices.isDescription(word) {
                    if !choices.described.contains(word) { choices.described.append(word) }
                } else if ProviderChoices.words.contains(word) {
                    named.insert(word)
                } else {
                    throw ProviderChoices.fault(word)
                }
            }
            choices.providers = Provider.allCases.filter { named.contains($0.rawValue) }
            choices.isSimulated = named.contains(ProviderChoices.simulator)
            return choices
        }
    }
}

extension ValueReader {
    /// A word and the provider that it names: `iphone=apns`.
    static func route(_ text: String) throws(ValueFault) -> (word: String, provider: Provider) {
        let (word, name) = try pair(text, allowsEmptyValue: false)
        // A file may describe one of any name; the job says whether it has it.
        let provider = Provider(rawValue: name) ?? .declared(name)
        return (word, provider)
    }
}
