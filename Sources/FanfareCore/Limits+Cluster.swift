import FanfareBase

/// Jobs that several workers share.
extension Limits {
    /// Workers of one job: a beat brings a counter for each of them, some 40 bytes, so 40 KiB a second and worker.
    package static let clusterWorkersMax = 1024

    /// Workers that are read: those that say anew what they hold come in beyond the bound of those that join.
    package static let clusterWorkersRead = 2 * clusterWorkersMax

    /// The highest row, byte offset or number of a session: 281 TB.
    ///
    /// The sum of all workers' has 60 bits.
    package static let clusterCountMax: UInt64 = 1 << 48

    /// The highest rate of a job: those of 2,048 workers have 61 bits together.
    ///
    /// In millionths of a start per second.
    package static let clusterRateMax = paceCountMax * ShareRule.unitsPerStart

    /// The entries of an array of the server's: the outcomes of each route.
    package static let clusterArrayMax = 1024

    /// Jobs that a list shows: a person finds more by their names.
    package static let clusterJobsListed = 1_000

    /// Bytes of a name in the tables that people see.
    package static let clusterNameMax = 200
    package static let clusterPathMax = 4096
    package static let clusterReasonMax = 400

    /// The rows from one cut to the next: some 3 MB, whose checksum takes a millisecond.
    package static let clusterCutRows: UInt64 = 32_768

    /// Rows that a reader gets at once.
    package static let clusterHandOutRows: UInt64 = 4_096

    /// Cuts that a worker looks up at once, and keeps: those of a whole range.
    package static let clusterCutsKept = 32

    /// The time between two looks of a thread at what others have changed without a word.
    package static let clusterLook = Duration.milliseconds(100)

    /// The time between two times at which the disk confirms a worker's report, and the least one: with a pace that
    /// happens before each word about lines, some four times a second.
    package static let clusterSync = Duration.milliseconds(500)
    package static let clusterSyncMin = Duration.milliseconds(100)

    /// The time of a request from which on the log calls a server far: two round trips of half a second.
    ///
    /// Five times as long, and a worker's patience ends between two beats.
    package static let clusterFarStep = Duration.seconds(1)

    /// Ranges and grants that a survey lists: with 256 ranges cut ahead all that is of use, and some 100 KiB.
    package static let clusterSurveyMax = 1024

    /// The least and the greatest time over which a worker counts the rows that it gets through in a second.
    package static let clusterMeasureMin = Duration.milliseconds(25)
    package static let clusterMeasureMax = Duration.seconds(1)

    /// The time over which a worker counts the rows that a route of several gets through: longer than slow answers.
    package static let clusterRouteMeasure = Duration.seconds(2)

    /// The rows that a route of several may have in hand: eight seconds of its own work, twice what lanes have of a whole
    /// job, and half of the least that lanes have.
    package static let clusterRouteSeconds: UInt64 = 8
    package static let clusterRouteRowsMin: UInt64 = 1_024

    /// Rows in hand that wait for providers which take none.
    ///
    /// Those that go back when a worker leaves lie between others, so each is an interval of its own. Each request of
    /// each worker reads these until another one has the rows: some 20 bytes each.
    package static let clusterRowsBehindMax: UInt64 = 1 << 14

    /// Rows of grants that are open because some of their rows wait, with those that have their lines: a worker that is
    /// lost for good leaves as many in doubt.
    package static let clusterUnsettledMax: UInt64 = 1 << 18

    /// Routes whose providers' `retry-after` all workers keep: a job has fewer.
    package static let clusterHoldsMax = 64

    /// The longest time for which a provider's `retry-after` holds all rows of its route.
    ///
    /// The row itself waits longer.
    package static let retryHoldMax = Duration.seconds(60)

    /// The least difference by which a provider's time is made longer for all.
    package static let clusterHoldSlack = Duration.milliseconds(250)

    /// The jobs of reports that are told apart, however many files they have: with more nothing new is learned.
    package static let reportJobsMax = 256

    /// The characters of a job's settings that a worker reads, which is refused: some forty checksums with their names.
    package static let clusterSettingsMax = 4_096

    /// Pairs of reports with the same rows that are named: a person who has seen so many knows what is wrong.
    package static let reportOverlapsMax = 8

    /// Verdicts and orders of a worker that wait for the engine: more than one is rare, and the first one counts.
    package static let clusterDecisionsMax = 8
}
