/// Every bound of the engine in one place, with the reason for each.
///
/// Memory is a function of these and of the windows, never of the input's length.
package enum Limits {
    /// Input bytes of a batch: 256 KiB are about 2,000 rows, a few milliseconds of work for a lane,
    /// so that hand-over (two locks) costs well under a nanosecond a row.
    package static let batchInputBytes = 256 * 1024

    /// Rows of a batch.
    ///
    /// A row with a 64-digit token has 65 bytes at least, so a batch is full of bytes before it is
    /// full of rows; its field table is 4,096 rows × 12 slots × 8 bytes = 384 KiB.
    package static let batchRows = 4096

    /// The longest row that is read.
    ///
    /// A payload has at most 5 KiB, so a row of 1 MiB is a mistake in the file (most often a quote
    /// that was never closed), and its outcome is `invalid`.
    package static let rowBytesMax = 1024 * 1024

    /// Batches there are, per lane and beyond: one being emptied and one waiting for each lane, one
    /// being filled, and one spare.
    package static func batchCount(lanes: Int) -> Int { 2 * lanes + 2 }

    /// The longest device token in bytes of text.
    ///
    /// 200 hex characters were announced in 2015, 160 are the longest seen in numbers; more than
    /// this is not a token.
    package static let tokenBytesMax = 400

    /// What `id` and the carried columns of one row may have together.
    ///
    /// They are kept with every request in flight, so they need a bound of their own.
    package static let carriedBytesMax = 16 * 1024

    /// The bytes of an answer's body that are looked at.
    ///
    /// APNs sends about 50; the rest of a long one (an HTML page of some proxy) is dropped.
    package static let responseBodyBytes = 1024

    /// The bytes of a reason that go to the report when the provider sent something unknown.
    package static let reasonBytesMax = 256
}

// MARK: Dispatch

extension Limits {
    /// Rows of one lane that may wait for their next attempt.
    ///
    /// At about 1 KiB each they are 16 MiB; when there are more, no new rows are taken up until
    /// some are through.
    package static let backingOffMax = 16 * 1024

    /// Requests in flight on one connection when the peer names no limit.
    ///
    /// More than APNs has ever advertised (1,500), so that it never decides there.
    package static let streamsPerConnection = 2000

    /// The highest `--connections`: beyond it descriptors and memory want a plan of their own.
    package static let connectionsMax = 1024
}

// MARK: TLS

extension Limits {
    /// The largest key, certificate or passphrase file that is read; with a chain they have some KiB.
    package static let credentialFileBytesMax = 1024 * 1024

    /// Ciphertext that a TLS session keeps when its owner stops reading.
    ///
    /// A few reads of a socket (64 KiB each). An owner that stops reading also stops its socket.
    package static let unreadCiphertextBytesMax = 256 * 1024

    /// Sessions kept for resumption per server name.
    ///
    /// A server hands out two tickets a connection and
    /// each is used once, so this serves that many connections that open together.
    package static let resumableSessionsPerName = 16

    /// Server names whose sessions are kept; a job talks to one or two.
    package static let resumableNames = 16
}

// MARK: Provider and report

extension Limits {
    /// The longest body that APNs takes for most push types.
    package static let payloadBytesMax = 4096

    /// The longest body that APNs takes for `voip`.
    package static let payloadBytesMaxVoIP = 5120

    /// The longest `apns-collapse-id` that APNs takes.
    package static let collapseIDBytesMax = 64

    /// How many combinations of outcome, status and unlisted reason are counted apart.
    ///
    /// A provider has a few dozen reasons; one that puts a request's id into them must not fill memory.
    package static let unlistedReasonsMax = 64
}

// MARK: - HTTP/2 sessions

extension Limits {
    /// What a server session takes from the system at a time.
    ///
    /// 64 KiB hold the blocks of about 60 requests in flight, so that a connection reaches its full
    /// width with few steps.
    package static let sessionSlabBytes = 64 * 1024

    /// All memory of nghttp2 in one server session.
    ///
    /// 1,000 requests in flight need about 1 MiB; beyond this bound a peer is making us hold
    /// things, and the session fails with `outOfMemory`.
    package static let sessionBytesMax = 64 * 1024 * 1024

    /// The requests a client session has slots for unless told otherwise: what APNs allows.
    package static let sessionStreams = 1024

    /// The largest sum of a message's header fields, counted as in RFC 9113 §6.5.2, in either
    /// direction.
    ///
    /// APNs takes 8,000 bytes.
    package static let headerListBytes = 32 * 1024

    /// The window for what the peer sends, of the connection and of each stream.
    ///
    /// Answers of 1,000 streams with a few hundred bytes fit many times over, so that none ever
    /// waits.
    package static let receiveWindowBytes: Int32 = 16 * 1024 * 1024

    /// The bytes of a GOAWAY's debug data that are kept.
    ///
    /// APNs sends a JSON object of about 60.
    package static let goAwayDebugBytes = 1024

    /// The bytes of a request's body that the server session keeps; APNs allows 5,120.
    package static let requestBodyBytes = 64 * 1024
}

// MARK: Prepared rows

extension Limits {
    /// What a place for a prepared row keeps allocated.
    ///
    /// Payload and header of APNs fit.
    package static let preparedRowBytesKept = 8 * 1024
}

// MARK: Guards

extension Limits {
    /// The outcomes over which `--stop-if` watches a share.
    ///
    /// Enough that chance plays no part: if half of the tokens are bad, more than 55 % of a thousand
    /// are once in a thousand lists (three standard deviations of 1.6 %).
    package static let guardedOutcomes: UInt64 = 1000

    /// The fewest outcomes that a share of a short job is taken of.
    ///
    /// Below that there is nothing to be saved: with 50 % a job of 50 rows is never stopped.
    package static let guardedOutcomesMin: UInt64 = 100
}

// MARK: Rows to try again

extension Limits {
    /// The longest row that is sent when rows are kept for `--retry-rows`.
    ///
    /// It is kept with its request in flight. A payload has at most 5 KiB, which in CSV is 10 KiB at
    /// the worst (every byte a quote), so this leaves as much again for other columns five times.
    package static let retryRowBytesMax = 64 * 1024
}

// MARK: Report

extension Limits {
    /// Report bytes that a lane collects before it hands them to the writer: some 500 lines, one
    /// system call.
    package static let reportBlockBytes = 64 * 1024

    /// How long a finished row may wait for its line to be written.
    ///
    /// What waits when the process is killed is in doubt for the next run.
    package static let reportDelay = Duration.milliseconds(100)

    /// Blocks on the way to the writer before the lanes stop starting requests.
    ///
    /// What is in flight then still finds room, so the bound is this plus the lines of the requests
    /// in flight.
    package static func reportBlockCount(lanes: Int) -> Int { 4 * lanes + 4 }

    /// Places in the writer's queue: far more than blocks that requests in flight could fill.
    package static let reportQueueMax = 64 * 1024
}

// MARK: Input

extension Limits {
    /// What is read at once while an input's format and header are looked for.
    package static let headReadBytes = 64 * 1024

    /// How long a reader that waits for a pipe may not notice that the job has ended.
    package static let cancellationCheckMilliseconds: Int32 = 100
}

// MARK: Lanes

extension Limits {
    /// How long bytes may stay unacknowledged by the peer's TCP before the connection counts as dead.
    package static let unacknowledgedMax = Duration.seconds(20)

    /// How often a lane tells how far it is.
    package static let progressInterval = Duration.milliseconds(100)
}

// MARK: Event loop

extension Limits {
    /// What one read takes from a socket.
    ///
    /// Four full TLS records; the buffer is shared by all connections of a loop, so it costs
    /// nothing per connection.
    package static let readBufferBytes = 64 * 1024

    /// What a connection copies when the kernel's send buffer is full.
    ///
    /// One TLS record: enough to be told of the next room, little enough that the copy is not felt.
    package static let pendingWriteBytes = 16 * 1024

    /// Connections that may wait to be accepted.
    ///
    /// The kernel lowers it to its own maximum.
    package static let listenBacklog = 1024
}

// MARK: Configuration

extension Limits {
    /// The largest payload template.
    ///
    /// A payload has at most 5 KiB, so this is a wrong file.
    package static let templateBytesMax = 1024 * 1024

    /// The highest `--streams`.
    ///
    /// A session has a slot of about 1 KiB for each from the beginning, so more would be memory for
    /// requests that no server takes on one connection.
    package static let streamsMax = 64 * 1024

    /// The most lanes: threads far beyond the cores of any machine.
    package static let lanesMax = 1024

    /// The highest `--max-attempts`.
    ///
    /// With back-off to a minute this is most of a day for one row.
    package static let attemptsMax = 1000
}

// MARK: Checkpoint

extension Limits {
    /// Rows of a job that can be resumed: 2³³ take a bit each, 1 GiB of addresses.
    package static let checkpointRowsMax: UInt64 = 1 << 33

    /// By how much the marks grow at a time: 128 KiB are a million rows, so that the disk is asked
    /// for room once in some ten seconds at full speed.
    package static let checkpointStepBytes = 128 * 1024

    /// How far rows are reserved ahead with `--durability full`: one wait for the disk in 65,536 rows.
    ///
    /// After a loss of power the rows reserved and not sent are in doubt too, so not more.
    package static let reservationRows: UInt64 = 65_536

    /// The longest description of a job's inputs and settings in a checkpoint: names of 4,000 files.
    package static let fingerprintBytesMax = 1024 * 1024

    /// How much of the first input's beginning a checkpoint remembers.
    package static let inputHeadBytes = 4096
}

// MARK: What a peer may do to a client session

extension Limits {
    /// Answers to PING and SETTINGS that may wait to be written.
    ///
    /// At 17 bytes each they are 17 KB. A peer that sends more without fetching them is flooding us;
    /// nghttp2 has the same bound.
    package static let unsentAcknowledgementsMax = 1000

    /// Entries of one SETTINGS frame; there are seven kinds, and nghttp2 has the same bound.
    package static let settingsEntriesMax = 32

    /// CONTINUATION frames of one field block.
    ///
    /// With HEADERS they hold 144 KiB, far more than a header list may have; nghttp2 has the same
    /// bound.
    package static let continuationsMax = 8

    /// Frames of one answer that bring neither content nor an end: informational answers and empty
    /// DATA.
    ///
    /// An honest peer sends one or two.
    package static let emptyFramesMax: UInt16 = 1000
}

// MARK: Retries and connections

extension Limits {
    /// Retries that a lane may make before it has earned any: a job of a few rows has to be able to
    /// try again, and 50 requests harm nobody.
    package static let retryBudgetFloor: Int64 = 50

    /// Retries that a lane can save up.
    ///
    /// No more rows can wait at once, so more could not be spent in one outage.
    package static let retryBudgetMax = Int64(backingOffMax)

    /// One more retry is allowed after each of these, whatever the budget says: ten a second, as in
    /// Finagle.
    package static let retryTrickle = Duration.milliseconds(100)

    /// The least wait after `TooManyRequests` without a `retry-after`.
    ///
    /// It doubles with each attempt: 5, 10, 20 and 40 seconds for five attempts. Senders report
    /// seconds to minutes.
    package static let deviceRetryDelay = Duration.seconds(5)

    /// The most that it grows to.
    package static let deviceRetryDelayMax = Duration.seconds(300)

    /// How long a peer may be silent, with requests outstanding, before it is asked for a sign of
    /// life.
    ///
    /// Slow answers take seconds; asking after one second has closed healthy connections elsewhere.
    package static let silenceBeforePing = Duration.seconds(10)

    /// How long it has for that: several retransmissions on the slowest network.
    ///
    /// Together with the silence before it 20 s, less than the time for an attempt.
    package static let pingPatience = Duration.seconds(10)

    /// How long a peer may allow no stream at all while rows wait.
    package static let noStreamsMax = Duration.seconds(30)

    /// When a connection makes room for another one, at the latest.
    ///
    /// Long enough that setting one up (a few milliseconds of CPU) does not show, short enough to
    /// follow changes of DNS.
    package static let connectionAgeMax = Duration.seconds(3600)

    /// The age at which a provider token is left alone: APNs takes it for 60 minutes.
    ///
    /// With the jitter of a tenth connections go between 45 and 50 minutes.
    package static let providerTokenAgeMax = Duration.seconds(50 * 60)

    /// The age beyond which nothing is sent with a token: five minutes for clocks that differ.
    package static let providerTokenAgeEnd = Duration.seconds(55 * 60)

    /// How long no connection is opened after `TooManyProviderTokenUpdates`.
    package static let tokenUpdatePause = Duration.seconds(10)

    /// Dials of a lane are earned: one for each of these, or by answers.
    ///
    /// 50 a second are a handshake's worth of CPU in the hundredths; clients without a limit have been
    /// seen to dial 23,000 times a second.
    package static let dialInterval = Duration.milliseconds(20)

    /// The answers that earn a lane a dial.
    ///
    /// Load balancers close a connection every 1,000 to 10,000 requests, which is fine; a server that
    /// closes after each one has to do with `dialInterval`.
    package static let answersPerDial = 100

    /// The time from one attempt to connect to the next address. RFC 8305 §5
    package static let connectionAttemptDelay = Duration.milliseconds(250)
}

// MARK: - Compression

extension Limits {
    /// Compressed bytes that are read at once: one zstd block with its header, and plenty for zlib.
    package static let compressedReadBytes = 128 * 1024

    /// The largest window of a zstd frame, as a power of two: 128 MiB.
    ///
    /// What `zstd -d` takes without being told more, so level 22 is read and `--long=31` is not. Level
    /// 3 needs 2 MiB, level 19 8 MiB. gzip's window has 32 KiB always.
    package static let zstdWindowLogMax = 27
}

// MARK: Pace

extension Limits {
    /// The most attempts of a rate, and of a burst: far beyond any machine.
    ///
    /// With `pacePeriodMax` it keeps the pacer's arithmetic within 128 bits: 2³⁰ permits, each of
    /// 2⁴⁷ ns × twice 2⁴⁷ ns, are 2¹²⁵ units.
    package static let paceCountMax: Int64 = 1_000_000_000

    /// The longest time of a rate, and the longest rise to it.
    package static let pacePeriodMax = Duration.seconds(24 * 3600)

    /// How much of the rate can be made up for after a delay, if `--burst` does not say.
    ///
    /// A start is late when the lane was busy, or the system had something else to run. Timers have
    /// whole milliseconds, and several runnable threads on a core wait some 10 ms for each other, so
    /// that a pace without room for 20 ms falls behind on a machine with other work. For the
    /// provider it is a fiftieth of a second's requests at once.
    package static let paceSlack = Duration.milliseconds(20)

    /// The least time between two questions of a lane that was left short of permits.
    ///
    /// 250 wake-ups a second instead of one for each request, and a fifth of what can be made up for.
    package static let paceInterval = Duration.milliseconds(4)

    /// The permits that a lane takes at once: one lock in 64 requests, and at 10,000 a second 6 ms of
    /// the rate that others do without for the length of a turn.
    package static let permitsPerLease = 64
}
