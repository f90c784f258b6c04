import FanfareBase
import FanfareCore
import FanfareSimulator

extension Options {
    /// The provider simulator as a server: `simulate`.
    enum Simulate {
        static let all: [any AnyOption] = [
            provider, listen, tlsCertificate, tlsKey, writeCA, writeServiceAccount, cleartext,
            lanes, log,
            publicKey, anonymous, topic, fcmProject, latency, roundTrip, knee,
            maxConcurrentStreams, fixedStreamLimit, fcmStreams, fcmQuota, fcmTokenLife,
            fcmExpiresIn, accessTokenLife, scenario,
        ]

        /// The options about APNs and FCM, which have no meaning for a provider that a file describes.
        static let builtIn: [any AnyOption] = [
            writeServiceAccount, publicKey, anonymous, topic, fcmProject, fixedStreamLimit,
            fcmStreams, fcmQuota, fcmTokenLife, fcmExpiresIn,
        ]

        static let provider = Option(
            "provider", .value(.providers, or: ProviderChoices()), .server,
            "Who is simulated: apns and fcm, or one that a file describes",
            detail: "It answers as the examples in the file do, in the file's version of HTTP.",
            default: "apns and fcm", example: "hms", brief: "Who is simulated")

        static let listen = Option(
            "listen", .value(.listenAddress, or: HostPort(host: "127.0.0.1", port: 8443)), .server,
            "Address to listen on; port 0 lets the system choose", default: "127.0.0.1:8443",
            example: "127.0.0.1:8443", brief: "Address to listen on; port 0: the system chooses")
        static let tlsCertificate = Option(
            "tls-certificate", .value(.file), .server, "Certificate of the server, .pem",
            default: "self-signed", example: "server.pem", needs: ["tls-key"])
        static let tlsKey = Option(
            "tls-key", .value(.file), .server, "Private key of that certificate, .pem",
            example: "server-key.pem", needs: ["tls-certificate"])
        static let writeCA = Option(
            "write-ca", .value(.file), .server,
            "Write the self-signed certificate there, for --ca-file of send", example: "ca.pem",
            excludes: ["tls-certificate"], brief: "Write the self-signed certificate there")
        static let writeServiceAccount = Option(
            "write-service-account", .value(.file), .server,
            "Write a service account for FCM there, for send",
            detail: "Its key is made at each start, and its tokens come from this server.",
            example: "service-account.json", brief: "Write a service account for FCM there")
        static let cleartext = Option(
            "cleartext", .negatableFlag, .server,
            "HTTP/2 without TLS, from the first byte (prior knowledge)",
            detail: "HTTP/1.1 for a provider that a file describes, unless it says h2.",
            excludes: ["tls-certificate", "tls-key", "write-ca"],
            brief: "HTTP/2 without TLS, from the first byte")
        static let lanes = Option(
            "lanes", .value(.count(1...1_024), or: 1), .server, "Threads that serve connections",
            default: "1", example: "2")
        static let log = Option(
            "log", .value(.output), .server,
            "Write a line of JSON for each request; - is standard output",
            example: "requests.ndjson", brief: "Write a line of JSON for each request")
        static let publicKey = Option(
            "public-key", .value(.file), .checks, "Check provider tokens against this key, .pem",
            default: "any token of the right form passes", example: "public-key.pem",
            brief: "Check provider tokens against this key, .pem")
        static let anonymous = Option(
            "anonymous", .negatableFlag, .checks, "Serve clients that have no credentials",
            excludes: ["public-key"])
        static let topic = Option(
            "topic", .values(.identifier("TOPIC")), .checks, "Accept this topic and no other",
            default: "any topic", example: "com.example.app")
        static let fcmProject = Option(
            "fcm-project", .value(.identifier("ID")), .checks,
            "Project of the service account, and the only one it may send for",
            default: FCMConfiguration().projectID, example: "my-project",
            needs: ["write-service-account"],
            brief: "Project of the service account, and no other")
        static let latency = Option(
            "latency", .value(.latency, or: LatencyModel.none), .answers,
            "How long an answer takes",
            detail: "A time (20ms), a range (20ms..80ms), or a distribution by its median and "
                + "99th percentile (lognormal:p50=40ms,p99=250ms).",
            default: "none", example: "20ms..80ms")
        static let roundTrip = Option(
            "round-trip", .value(.duration(allowsZero: true), or: .zero), .answers,
            "How far away the server is",
            detail: "All that a client sends is taken in so much later: its handshakes, "
                + "its requests, and what its flow-control windows wait for.",
            default: "0s", example: "40ms")
        static let knee = Option(
            "knee", .value(.count(1...Limits.simulatorKneeMax)), .answers,
            "Requests answered at once, over all connections; the others wait",
            detail: "Up to N in flight an answer takes its latency, beyond that longer and longer: "
                + "in a second there are N divided by the latency.",
            default: "any number", example: "300", needs: ["latency"],
            brief: "Requests answered at once; the others wait")
        static let maxConcurrentStreams = Option(
            "max-concurrent-streams", .value(.count(1...1_073_741_824)), .answers,
            "Requests in flight that a connection may have", default: "1000", example: "100")
        static let fixedStreamLimit = Option(
            "fixed-stream-limit", .negatableFlag, .answers,
            "Keep that limit, instead of starting at 1 and following the answers",
            brief: "Keep that limit from the first request on")
        static let fcmStreams = Option(
            "fcm-streams", .value(.count(1...1_073_741_824)), .answers,
            "Requests in flight on a connection, from its first one to FCM on",
            default: "\(FCMConfiguration().maxConcurrentStreams)", example: "20",
            brief: "Requests in flight on a connection to FCM")
        static let fcmQuota = Option(
            "fcm-quota", .value(.count(1...1_000_000_000)), .answers,
            "Messages that FCM takes in a minute",
            detail: "It is filled at once, a minute after the first request and each minute then.",
            default: "any number", example: "600k")
        static let fcmTokenLife = Option(
            "fcm-token-life", .value(.duration), .answers,
            "How long access tokens for FCM are good",
            default: "3599s", example: "30s", needs: ["write-service-account"])
        static let fcmExpiresIn = Option(
            "fcm-expires-in", .value(.duration), .answers,
            "How long clients are told that tokens are good",
            detail: "With more than the truth, tokens expire in the middle of requests.",
            default: "the truth", example: "3599s", needs: ["write-service-account"],
            brief: "How long clients are told that tokens are good")
        static let accessTokenLife = Option(
            "access-token-life", .value(.duration, or: .seconds(3599)), .answers,
            "How long access tokens of a provider are good that a file describes",
            default: "3599s", example: "30s", needs: ["provider"],
            brief: "How long access tokens are good")
        static let scenario = Option(
            "scenario", .value(.file), .answers, "Rules for what to answer whom, as JSON",
            default: "accept what is valid", example: "scenario.json")
    }
}
