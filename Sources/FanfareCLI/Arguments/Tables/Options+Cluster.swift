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
            "json", .flag, .output, "Answer status and list as JSON, for scripts")
        static let newSettings = Option(
            "new-settings", .flag, .general,
            "Let the first worker that joins after resume bring other lists or bounds",
            detail:
                "For --suppress, --until, --stop-if, --allow-host, --set and a description that were changed on all machines "
                + "while the job was stopped. Without it a worker with other ones is refused.")
        static let unfinished = Option(
            "unfinished", .flag, .general, "Have remove take out a job that is not finished, too",
            detail: "Then nothing tells any more which rows its workers were granted.")
        static let freeName = Option(
            "free-name", .flag, .general, "Have remove free the name of the job, too",
            detail:
                "Otherwise the name stays taken, so that a worker which is still started somewhere cannot begin the job anew "
                + "and send to everybody once more.")
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
        if plain.utf8.contains("password=".utf8) { return true }
        guard let (_, behind) = text.parts(at: "://") else { return false }
        let rest = behind.unicodeScalars[...]
        // libpq looks for the sign up to the first slash, also behind a question mark.
        let authority = rest.prefix { $0 != "/" }
        if let at = authority.lastIndex(of: "@") { return authority[..<at].contains(":") }
        return hasPasswordWithSlash(authority, rest[authority.endIndex...])
    }

    /// True if a slash or more in a password have the rest of it look like the path of an address, as in
    /// `me:pass/word@host/database`.
    ///
    /// libpq would take the beginning for host and port, and complain about them, with the password.
    private static func hasPasswordWithSlash(
        _ authority: Substring.UnicodeScalarView, _ path: Substring.UnicodeScalarView
    ) -> Bool {
        guard let at = path.lastIndex(of: "@") else { return false }
        let hosts = authority.split(separator: ",").map { host in
            host.lastIndex(of: "]").map { host[host.index(after: $0)...] } ?? host
        }
        let ports = hosts.compactMap { host in
            host.firstIndex(of: ":").map { host[host.index(after: $0)...] }
        }
        guard !ports.isEmpty else { return false }
        if !ports.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }) { return true }
        // A user's name in an option may have the sign; in a database's name it is written as %40.
        let options = path[..<at].firstIndex(of: "?").map { path[$0..<at] }
        return options.map { !$0.contains("=") } ?? true
    }
}
