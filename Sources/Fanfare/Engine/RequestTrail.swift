import FanfareBase
import FanfareCore

/// The requests of one lane on their way to the file; for the lane's thread.
final class RequestTrail {
    private let file: RequestFile
    private let step: Int
    /// Milliseconds of UNIX time at the zero of the machine's clock.
    private let unixOffsetMilliseconds: Int64
    private var records: [RequestFile.Record] = []
    /// The time of the last turn at which they were handed over.
    private var submitted: Instant?

    init(_ file: RequestFile, step: Int, unixOffsetMilliseconds: Int64) {
        self.file = file
        self.step = step
        self.unixOffsetMilliseconds = unixOffsetMilliseconds
        records.reserveCapacity(Limits.requestsPerBlock)
    }

    /// Takes a request that has ended.
    func add(
        started: Instant, _ waited: (service: Int64, response: Int64), status: UInt16,
        failure: String? = nil
    ) {
        records.append(
            RequestFile.Record(
                step: step,
                sentMilliseconds: unixOffsetMilliseconds + started.nanoseconds / 1_000_000,
                service: waited.service, response: waited.response, status: status,
                failure: failure))
        if records.count == Limits.requestsPerBlock { submit() }
    }

    /// Hands over those that have waited for so long that a reader of the file would miss them.
    /// - Parameter now: The time of the lane's turn.
    func turned(now: Instant) {
        guard let submitted else { return self.submitted = now }
        guard now.nanoseconds(since: submitted) >= Limits.requestsDelayNanoseconds else { return }
        self.submitted = now
        if !records.isEmpty { submit() }
    }

    /// Hands over those that wait for a block to become full.
    func submit() {
        file.submit(records)
        records = []
        records.reserveCapacity(Limits.requestsPerBlock)
    }
}

extension Limits {
    /// The time that a request may wait for others before it is in the file.
    static let requestsDelayNanoseconds: Int64 = 1_000_000_000
}
