import FanfareBase

/// Bounds of jobs whose rows name their hosts.
extension Limits {
    /// The connections of a job to all hosts together, if the configuration names no number.
    ///
    /// A host begins with one and gets up to four. They are half of the descriptors that a process usually may have.
    static let hostConnections = 512

    /// The requests in flight at one host, and so the connections, if the file does not say.
    ///
    /// A server that receives webhooks is mostly a small one.
    static let hostRequests = 4

    /// The time without an answer after which a host is given up, unless the job's patience is shorter, or another
    /// host needs its connection: see `hostPatienceWanted`.
    ///
    /// A host that takes longer than this has a row or two in doubt; the others fail unsent, and can be sent by a
    /// later run.
    ///
    /// It is also the longest wait that a host may ask for (`retry-after`): the job ends no sooner than the last of
    /// its waits, and one may follow another. A host that asks for more is given up, and its rows are for a later run.
    static let hostPatience = Duration.seconds(30)

    /// Failed dials in a row after which a host is given up that never took a connection.
    static let hostDials = 3

    /// The time for which a host that was given up is asked for nothing.
    static let hostRest = Duration.seconds(600)

    /// Returns the time for which a host is asked for nothing that was given up because others needed its place.
    ///
    /// It may have been slow for once: five seconds, and twice as long each time that it happens again.
    static func hostRest(timesGivenWay times: Int) -> Duration {
        min(.seconds(5) * (1 << min(times, 10)), hostRest)
    }

    /// Hosts that were given up, and are remembered though others have their place now.
    ///
    /// At some 300 bytes each they are a megabyte. When there are more, the oldest ones get another chance.
    static let hostsGivenUpMax = 4096

    /// The time for which the connections to a host stay open that has no rows: servers close them after a
    /// minute or so.
    static let hostIdleTime = Duration.seconds(20)

    /// The rows of a host in memory; the others wait in a file.
    static let hostBatchRows = 32

    /// Their bytes.
    ///
    /// A batch has room for as many bytes without escapes: with its fields it has 20 KiB. 512 hosts at work have
    /// mostly two, which are 20 MiB for a job; `hostsSittingOutMax` has those of the others.
    static let hostBatchBytes = 8 * 1024

    /// Rows of one host that may wait for their next attempt before no new ones are taken up.
    static let hostBackingOffMax = 64

    /// The rounds of handing out rows and having hosts take them, before other lanes of the thread are due.
    static let hostRounds = 4

    /// The bytes kept of the reason why a host was given up.
    static let hostFaultBytes = 256
}
