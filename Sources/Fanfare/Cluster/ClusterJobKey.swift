/// The name by which statements call a job: its number in the tables, and its identity.
///
/// A server that was made anew, or restored, counts to the same number once more. The identity was drawn when the job was
/// made, so no other job has both.
struct ClusterJobKey: Equatable, Sendable {
    let number: Int64
    let identity: UInt64
    /// True of the job's own row in `fanfare.jobs`.
    let isRow: String

    init(number: Int64, identity: UInt64) {
        self.number = number
        self.identity = identity
        isRow = "job = \(number) AND identity = \(ClusterSQL.bits(identity))"
    }
}
