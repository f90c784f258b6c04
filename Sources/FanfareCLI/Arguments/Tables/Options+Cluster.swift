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

/// A job on a server.
struct ClusterJobAddress: Equatable, Sendable {
    let server: String
    let job: String
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

    /// A server with the name of a job behind it.
    static func clusterJob(_ text: String) throws(ValueFault) -> ClusterJobAddress {
        // The parameters of an address stay with the server.
        let parameters =
            text.contains("://") ? text.firstIndex(of: "?") ?? text.endIndex : text.endIndex
        guard let slash = text[..<parameters].lastIndex(of: "/") else {
            throw ValueFault("names no job behind the database")
        }
        let job = String(text[text.index(after: slash)..<parameters])
        let server = text[..<slash] + text[parameters...]
        let isURI = text.contains("://")
        // An address without a job ends in its database.
        let lacksDatabase = isURI && server.split(separator: "/").count < 3
        guard !job.isEmpty, !job.contains("="), !lacksDatabase else {
            throw ValueFault("names no job behind the database")
        }
        return ClusterJobAddress(server: try clusterServer(String(server)), job: job)
    }

    private static func hasPassword(_ text: String) -> Bool {
        if text.lowercased().contains("password=") { return true }
        guard let scheme = text.firstRange(of: "://") else { return false }
        let rest = text[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let at = authority.lastIndex(of: "@") else { return false }
        return authority[..<at].contains(":")
    }
}
