import FanfareBase
import FanfareCore
import FanfareSimulator

extension Options {
    /// The provider simulator as a server: `simulate`.
    static let simulate: [OptionSpec] = [
        OptionSpec(
            "listen", .required(placeholder: "HOST:PORT", .listenAddress), .server,
            "Address to listen on; port 0 lets the system choose",
            default: "127.0.0.1:8443", example: "127.0.0.1:8443"),
        OptionSpec(
            "certificate", .required(placeholder: "FILE", .file), .server,
            "Certificate of the server, .pem", default: "self-signed", example: "server.pem",
            needs: ["key"]),
        OptionSpec(
            "key", .required(placeholder: "FILE", .file), .server,
            "Private key of the server's certificate, .pem", example: "server-key.pem",
            needs: ["certificate"]),
        OptionSpec(
            "write-ca", .required(placeholder: "FILE", .file), .server,
            "Write the self-signed certificate there, for --ca-file of send",
            example: "ca.pem", excludes: ["certificate"]),
        OptionSpec(
            "cleartext", .negatableFlag, .server,
            "HTTP/2 without TLS, from the first byte (prior knowledge)",
            excludes: ["certificate", "key", "write-ca"]),
        OptionSpec(
            "threads", .required(placeholder: "N", .count(1...1_024)), .server,
            "Threads that serve connections", default: "1", example: "2"),
        OptionSpec(
            "log", .required(placeholder: "FILE", .file), .server,
            "Write a line of JSON for each request; - is standard output",
            example: "requests.ndjson"),
        OptionSpec(
            "public-key", .required(placeholder: "FILE", .file), .checks,
            "Check provider tokens against this key, .pem",
            default: "any token of the right form passes", example: "public-key.pem"),
        OptionSpec(
            "anonymous", .negatableFlag, .checks,
            "Serve clients that have no credentials", excludes: ["public-key"]),
        OptionSpec(
            "topic", .repeated(placeholder: "TOPIC", .identifier), .checks,
            "Accept this topic and no other",
            default: "any topic", example: "com.example.app"),
        OptionSpec(
            "latency", .required(placeholder: "LATENCY", .latency), .answers,
            "How long an answer takes",
            detail: "A time (20ms), a range (20ms..80ms), or a distribution by its median and "
                + "99th percentile (lognormal:p50=40ms,p99=250ms).",
            default: "none", example: "20ms..80ms"),
        OptionSpec(
            "round-trip",
            .required(placeholder: "DURATION", .duration(allowsZero: true)),
            .answers,
            "How far away the server is",
            detail: "All that a client sends is taken in so much later: its handshakes, "
                + "its requests, and what its flow-control windows wait for.",
            default: "0s", example: "40ms"),
        OptionSpec(
            "knee", .required(placeholder: "N", .count(1...Limits.simulatorKneeMax)), .answers,
            "Requests answered at once, over all connections; the others wait",
            detail: "Up to N in flight an answer takes its latency, beyond that longer and longer: "
                + "in a second there are N divided by the latency.",
            default: "any number", example: "300", needs: ["latency"]),
        OptionSpec(
            "max-concurrent-streams", .required(placeholder: "N", .count(1...1_073_741_824)),
            .answers, "Requests in flight that a connection may have", default: "1000",
            example: "100"),
        OptionSpec(
            "fixed-stream-limit", .negatableFlag, .answers,
            "Keep that limit, instead of starting at 1 and following the answers"),
        OptionSpec(
            "scenario", .required(placeholder: "FILE", .file), .answers,
            "Rules for what to answer whom, as JSON", default: "accept what is valid",
            example: "scenario.json"),
    ]
}
