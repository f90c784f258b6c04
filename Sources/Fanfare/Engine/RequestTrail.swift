import FanfareBase
import FanfareCore

/// The requests of one lane on their way to the file; for the lane's thread.
final class RequestTrail {
    private let file: RequestFile
    private let step: Int
    /// Milliseconds of UNIX time at the zero of the machine's clock.
    private let unixOffsetMilliseconds: Int64
    private var records: [RequestFile.Record] = []

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

    /// Hands over those that wait for a block to become full.
    func submit() {
        file.submit(records)
        records = []
        records.reserveCapacity(Limits.requestsPerBlock)
    }
}
