import FanfareBase
import FanfarePostgres

extension FanfareError {
    /// The failure of the first words with a cluster's server, with a remedy.
    init(_ error: PostgresError) {
        switch error.kind {
        case .noLibrary:
            self.init(
                .configuration,
                "a job of several workers needs libpq, which is not installed (\(error.reason)); on Debian: "
                    + "apt-get install libpq5")
        case .connection where error.isRefusal:
            self.init(
                .configuration, "the cluster's server does not let us in: \(error.reason)")
        case .connection, .timeout, .warning:
            // It may be back soon: the exit code is one with which a worker is started again.
            self.init(.input, "the cluster's server cannot be used: \(error.reason)")
        case .statement:
            let isMissing = ["42P01", "3F000"].contains(error.state)
            self.init(
                .configuration,
                message: "the cluster's server cannot be used: \(error.reason)"
                    + (isMissing ? "; fanfare cluster init makes the tables" : ""))
        }
    }
}
