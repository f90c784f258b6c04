import FanfareBase

/// Bounds that several parts of the engine share.
extension Limits {
    /// Input bytes of a batch: 64 KiB are some 500 rows, a millisecond of work for a lane, so that
    /// hand-over costs a few nanoseconds a row.
    ///
    /// Four times as much would be handed over more cheaply, but would be out of the cache by then:
    /// the smaller batches take 0.9 of the CPU time with 16 connections.
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

    /// The bytes of a provider's reason that are kept: the longest of APNs' has 27.
    package static let reasonBytesMax = 256
}

// MARK: Provider and report

extension Limits {
    /// The longest body that APNs takes for most push types.
    package static let payloadBytesMax = 4096

    /// The longest body that APNs takes for `voip`.
    package static let payloadBytesMaxVoIP = 5120

    /// The longest `apns-collapse-id` that APNs takes.
    package static let collapseIDBytesMax = 64

    /// The most combinations of outcome, status and unlisted reason that are counted apart.
    ///
    /// A provider has a few dozen reasons; one that puts a request's id into them must not fill memory.
    package static let unlistedReasonsMax = 64
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

// MARK: Report

extension Limits {
    /// Report bytes that a lane collects before it hands them to the writer: some 500 lines, one
    /// system call.
    package static let reportBlockBytes = 64 * 1024
}

// MARK: Input

extension Limits {
    /// The longest delay until a reader that waits for a pipe notices that the job has ended.
    package static let cancellationCheckMilliseconds: Int32 = 100
}

// MARK: Configuration

extension Limits {
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

    /// The longest description of a job's inputs and settings in a checkpoint: names of 4,000 files.
    package static let fingerprintBytesMax = 1024 * 1024

    /// The number of bytes at the beginning of the first input that a checkpoint remembers.
    package static let inputHeadBytes = 4096
}

// MARK: - Compression

extension Limits {
    /// Compressed bytes that are read at once: one zstd block with its header, and plenty for zlib.
    package static let compressedReadBytes = 128 * 1024
}

// MARK: Files

extension Limits {
    /// The longest wait for another process's lock on a database.
    package static let sqlitePatienceMilliseconds: Int32 = 5000

    /// The shortest part of a report: a block of lines (64 KiB), its last line and a header fit.
    package static let reportSplitBytesMin = 100_000

    /// The memory of one set of tokens.
    ///
    /// 14.2 million at 16 bytes, filled to 85 %. It is taken as it is needed: 10 million are 190 to
    /// 215 MB.
    package static let tokenSetBytesMax = 256 * 1024 * 1024

    /// The payloads that a rehearsal may show: 100 of 5 KiB for each worker.
    package static let samplesMax = 100
}
