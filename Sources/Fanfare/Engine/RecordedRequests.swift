/// The sums of a file with a line for each measured request of a load test.
package struct RecordedRequests: Equatable, Sendable {
    package var path: String
    package var written: UInt64
    /// The requests that are not in it, because the disk was too slow, or failed.
    package var dropped: UInt64
    /// The reason why the file could not be written, if there is one.
    package var problem: String?
}
