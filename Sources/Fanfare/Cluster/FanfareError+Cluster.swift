import FanfareBase
import FanfarePostgres

/// The work that words to a cluster's server are for.
enum ClusterWork: Sendable {
    /// Making the tables.
    case tables
    /// Removing a job.
    case removal
    /// Looking at jobs.
    case looking
    /// All else.
    case job
}

extension FanfareError {
    /// Returns the error of a worker whose server has no job of this name any more.
    /// - Parameters:
    ///   - job: The name.
    ///   - report: The report of a worker that comes back: it may also have come to the wrong place.
    /// - Returns: The error, with code `stopped`.
    static func jobIsLost(_ job: String, report: String? = nil) -> FanfareError {
        let fact =
            report.map {
                "the server does not know the job \(job), of which \($0) is a part. If its name is right, and so are server and "
                    + "database, then the job was lost or removed, or the server was restored or made anew: it"
            }
            ?? "the server does not know the job \(job) any more: it was lost, restored or made anew, and"
        return FanfareError(
            .stopped,
            message: fact
                + " would have rows sent that were sent already. Nothing more is sent; never just begin the job again. Restore a "
                + "backup of the server that has the job, pause the job, start all workers, and resume it; or begin another "
                + "job without those whom the reports of all workers name as reached")
    }

    /// The error of a worker whose job a person has removed from the server.
    static func jobIsRemoved(_ job: String) -> FanfareError {
        FanfareError(
            .stopped,
            "the job \(job) was removed from the server, and its name stays taken, so that no worker begins it anew: another "
                + "job needs another name; fanfare cluster remove with \(.freesName) frees this one"
        )
    }

    /// The failure of the first words with a cluster's server, with a remedy.
    /// - Parameters:
    ///   - error: The failure.
    ///   - work: The work that the words were for, which takes rights of its own.
    init(_ error: PostgresError, by work: ClusterWork = .job) {
        switch error.kind {
        case .noLibrary:
            self.init(
                .configuration,
                "a job of several workers needs libpq, which is not installed (\(error.reason)); on Debian: "
                    + "apt-get install libpq5")
        case .address:
            self.init(.configuration, "the cluster's server cannot be used: \(error.reason)")
        case .connection where error.isRefusal:
            self.init(
                .configuration, "the cluster's server does not let us in: \(error.reason)")
        case .connection, .timeout, .warning:
            // It may be back soon: the exit code is one with which a worker is started again.
            self.init(.input, "the cluster's server cannot be used: \(error.reason)")
        case .statement where !error.isRefusal:
            self.init(.input, "the cluster's server cannot be used: \(error.reason)")
        case .statement:
            let remedy =
                switch error.state {
                case "42P01", "3F000":
                    "; look at the names of server and database first: if they are right, fanfare cluster init makes "
                        + "the tables"
                case "42501":
                    switch work {
                    case .tables: "; it takes a user who may make schemas and roles"
                    case .removal: "; it takes the user who has made the tables, or a superuser"
                    case .looking: "; GRANT fanfare_viewer TO this user lets it look"
                    case .job: "; GRANT fanfare_worker TO this user lets it work"
                    }
                default: ""
                }
            self.init(
                .configuration,
                message: "the cluster's server cannot be used: \(error.reason)\(remedy)")
        }
    }
}
