/// Every bound of the engine in one place, with the reason for each.
///
/// Memory is a function of these and of the windows, never of the input's length.
package enum Limits {
    /// Input bytes of a batch: 64 KiB are some 500 rows, a millisecond of work for a lane, so that
    /// hand-over costs a few nanoseconds a row.
    ///
    /// Four times as much would be handed over more cheaply, but would be out of the cache by then:
    /// 0.9 of the CPU time with 16 connections is what the smaller ones cost.
    package static let batchInputBytes = 64 * 1024

    /// Rows of a batch.
    ///
    /// A row with a 64-digit token has 65 bytes at least, so a batch is full of bytes before it is
    /// full of rows; its field table is 1,024 rows × 12 slots × 8 bytes = 96 KiB.
    package static let batchRows = 1024

    /// The longest row that is read.
    ///
    /// A payload has at most 5 KiB, so a row of 1 MiB is a mistake in the file (most often a quote
    /// that was never closed), and its outcome is `invalid`.
    package static let rowBytesMax = 1024 * 1024

    /// Batches there are, per lane and beyond: for each lane one being emptied, one waiting, and the halves
    /// of two that it keeps; one being filled, and one spare.
    package static func batchCount(lanes: Int) -> Int { 4 * lanes + 2 }

    /// Batches that a lane keeps at most while it looks for a good row behind a run of bad ones.
    ///
    /// Some 38,000 rows of 100 bytes, a tenth of a list of 400,000; with all their memory 16 MiB.
    package static let batchesAheadMax = 64

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

    /// The bytes of a provider's reason that are kept: the longest of APNs' has 27.
    package static let reasonBytesMax = 256
}

// MARK: TLS

extension Limits {
    /// The largest key, certificate or passphrase file that is read; with a chain they have some KiB.
    package static let credentialFileBytesMax = 1024 * 1024

    /// Ciphertext that a TLS session keeps when its owner stops reading.
    ///
    /// A few reads of a socket (64 KiB each). An owner that stops reading also stops its socket.
    package static let unreadCiphertextBytesMax = 256 * 1024

    /// Ciphertext that a TLS session makes without being told to, in answer to the peer alone.
    ///
    /// Some 300 changes of keys (27 bytes each) without data between them, or unsent. An honest peer
    /// changes them every few million records; BoringSSL takes 32.
    package static let unaskedCiphertextBytesMax = 8 * 1024

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

    /// How long the reader of an output may take nothing when a job is to end at once: less than a person
    /// waits before the next Ctrl-C.
    package static let readerLookMilliseconds: Int32 = 500
}

// MARK: Lanes

extension Limits {
    /// How long bytes may stay unacknowledged by the peer's TCP before the connection counts as dead.
    package static let unacknowledgedMax = Duration.seconds(20)

    /// How often a lane tells how far it is.
    package static let progressInterval = Duration.milliseconds(100)

    /// How much later than planned a turn comes if the process was stopped, or its machine asleep.
    ///
    /// Far more than a busy machine makes it wait, far less than any request may take.
    package static let standstill = Duration.milliseconds(250)
}

// MARK: Event loop

extension Limits {
    /// How late what waits for a moment may notice that the machine has slept.
    package static let clockLook = Duration.seconds(1)

    /// What one read takes from a socket.
    ///
    /// Four full TLS records; the buffer is shared by all connections of a loop, so it costs
    /// nothing per connection.
    package static let readBufferBytes = 64 * 1024

    /// What a connection copies when the kernel's send buffer is full.
    ///
    /// One TLS record: enough to be told of the next room, little enough that the copy is not felt.
    package static let pendingWriteBytes = 16 * 1024

    /// How long a connection is read whose writing has failed.
    ///
    /// All that can come has come: the kernel's buffer, 6 MiB at most, is a hundred reads of a loop that
    /// may be busy for some milliseconds between them.
    package static let readingAfterFailedWriteMax = Duration.seconds(5)

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

    /// By how much the marks grow at a time: 8,192 groups of 32 rows are 64 KiB for a quarter of a
    /// million rows, so that the disk is asked for room about once a second at full speed, and the
    /// marks take two or three times as much memory.
    ///
    /// With a check for each row they are 576 KiB.
    package static let checkpointStepGroups = 8192

    /// How far rows are reserved ahead with `--durability full`: one wait for the disk in 65,536 rows.
    ///
    /// After a loss of power the rows reserved and not sent are in doubt too, so not more.
    package static let reservationRows: UInt64 = 65_536

    /// The longest description of a job's inputs and settings in a checkpoint: names of 4,000 files.
    package static let fingerprintBytesMax = 1024 * 1024

    /// How much of a report is read at a time for its checksum; another number makes other checksums.
    package static let checksumReadBytes = 256 * 1024

    /// How much of the first input's beginning a checkpoint remembers.
    package static let inputHeadBytes = 4096
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
