import FanfareBase
import FanfareCore

/// The engine's connection to the world: bytes out, batches in, report blocks out.
///
/// The lane implements it with sockets and queues, the simulation with pipes in memory. An
/// implementation must not call back into the engine before it has returned.
protocol LaneEnvironment: AnyObject {
    /// The engine's clock.
    var now: Instant { get }

    /// The nanoseconds that the lane has slept so far: the time between turns in which nothing
    /// happened.
    var idleNanoseconds: Int64 { get }

    /// True if any lane of the job has had a connection: then the address is right.
    var isReached: Bool { get }

    /// The time of the provider's last answer to another lane of the job, to a tenth of a second.
    ///
    /// It is `nil` if this lane was answered later than all others, or none was.
    var lastAnswerElsewhere: Instant? { get }

    /// The time of the last answer that another route's provider gave the job; `nil` if none did.
    ///
    /// While rows go to another provider this one is not given up: that would stop them, too.
    var lastAnswerOfOtherRoutes: Instant? { get }

    /// Starts a connection; `transportOpened` or `transportClosed` follow.
    func openTransport(_ connection: Int)

    /// Returns the time at which the way of a connection that was opened began, with the look-up of its name; `nil`
    /// as long as that waits behind those of others.
    func beginning(of connection: Int) -> Instant?

    /// Ends a connection, after it has sent the bytes that it has taken; it makes no more calls
    /// then.
    func closeTransport(_ connection: Int)

    /// Sends as much as the transport takes now; when that is not all, `transportWritable` follows.
    func send(_ bytes: UnsafeBufferPointer<UInt8>, on connection: Int) -> Int

    /// True if something has arrived on a connection that the engine has not been told: bytes, or the end.
    ///
    /// A call about it follows.
    func hasUnread(on connection: Int) -> Bool

    /// The next batch of rows, or `nil` when there is none now.
    func nextBatch() -> RowBatch?

    /// Returns true if there is a batch to take, which another lane may take first.
    func hasBatch(now: Instant) -> Bool

    /// True if `nextBatch` will never again return one.
    var isInputExhausted: Bool { get }

    /// True if no batch comes for a good while, until a window opens; a turn follows when it does.
    var isInputAsleep: Bool { get }

    /// Gives a batch back; rows that are left in it come again, where `RowBatch.closes` says so.
    func recycle(_ batch: RowBatch)

    /// Leaves a batch, and the rows in it, to the lane that asks first.
    func handBack(_ batch: RowBatch)

    /// Lets one batch more be on its way, because the lane keeps some.
    func lendBatch()

    /// Takes a batch for good that was lent; it has no rows left.
    func discard(_ batch: RowBatch)

    /// An empty report block.
    func emptyBlock() -> ReportBlock

    /// Hands a block to the writer.
    func submit(_ block: ReportBlock)

    /// True if the writer is so far behind that no new requests should start; a turn follows when
    /// it has caught up.
    var isReportBehind: Bool { get }

    /// Returns true if another lane of the job has got a verdict on a row: answers that take nothing do not count.
    func hasAnotherBeenJudged(within time: Duration) -> Bool

    /// Tells the other lanes of the route what this one knows, and asks for leave to start requests.
    func leave(after news: RouteProof.News, now: Instant) -> RouteProof.Leave

    /// Takes the first request of the route; returns the time until which it keeps the others back, or `nil`
    /// if another lane was first.
    func claimFirstRequest(now: Instant) -> Instant?

    /// UNIX time in milliseconds at a moment of the engine's clock.
    func unixMilliseconds(at now: Instant) -> Int64

    /// Tells others that share the job that the provider wants nothing for a while.
    func providerAsks(toWaitUntil moment: Instant)
}
