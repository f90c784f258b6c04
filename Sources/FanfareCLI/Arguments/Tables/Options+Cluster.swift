import Fanfare
import FanfareBase

extension Options {
    /// Sharing a job with other machines: `send`.
    static let clusterOptions: [any AnyOption] = [cluster, clusterJob, workerName]

    static let cluster = Option(
        "cluster", .value("SERVER", ValueReader.clusterServer), .cluster,
        "The PostgreSQL server over which several machines share the job",
        detail:
            "The same command on each machine, at any time: each sends a part of the rows, and none is sent by two. "
            + "fanfare cluster init makes the tables. A password belongs into ~/.pgpass, PGPASSFILE or a service.",
        example: "postgresql://db.example/push", needs: ["job"])
    static let clusterJob = Option(
        "job", .value(ValueReader.label("NAME", bytesMax: Limits.jobNameBytesMax)), .cluster,
        "The name under which the machines find each other", example: "july",
        needs: ["cluster"])
    static let workerName = Option(
        "worker", .value(ValueReader.label("NAME", bytesMax: Limits.jobNameBytesMax)), .cluster,
        "The name of this machine's part, for people", default: "the machine's name",
        example: "web3",
        needs: ["cluster"])

    /// Options of `cluster`.
    enum Cluster {
        static let job = Option(
            "job", .value(ValueReader.label("NAME", bytesMax: Limits.jobNameBytesMax)), .general,
            "The name of the job that the machines share", example: "july")
        static let json = Option(
            "json", .flag, .output, "Answer status with a JSON object, for scripts")
        static let print = Option(
            "print", .flag, .output, "Show the SQL of init, and touch nothing")
    }
}

extension ValueReader {
    /// A server as libpq takes it, without a password: others see it in the list of processes.
    static func clusterServer(_ text: String) throws(ValueFault) -> String {
        let isAddress =
            text.hasPrefix("postgresql://") || text.hasPrefix("postgres://")
            || text.contains("=")
        guard isAddress else {
            throw ValueFault(
                "is no PostgreSQL server: write postgresql://HOST/DATABASE, or host=... dbname=...")
        }
        guard !hasPassword(text) else {
            throw ValueFault(
                "has a password in it, where others can see it; put it into ~/.pgpass, or into a file that "
                    + "PGPASSFILE names", isSecret: true)
        }
        return text
    }

    private static func hasPassword(_ text: String) -> Bool {
        // libpq takes blanks around the sign, and percent-encoded names in a URI.
        let plain = (percentDecoded(text) ?? text).lowercased().filter { !$0.isWhitespace }
        if plain.contains("password=") { return true }
        guard let scheme = text.firstRange(of: "://") else { return false }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return false }
        return authority[..<at].contains(":")
    }
}
