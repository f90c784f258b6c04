import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareLoop
import FanfareTLS

/// The settings of a route whose rows name the hosts that they go to.
struct HostRoute: Sendable {
    /// The place of the URL in a row.
    let slot: Int
    /// The hosts that may be named.
    let hosts: RowHosts
    /// The requests in flight at one host, and the connections that the hosts of a lane share.
    let requestsPerHost: Int
    let connectionsMax: Int
    /// The hosts of a lane that may sit out.
    let sittingOutMax: Int
    /// The places for look-ups, of all lanes.
    let lookups: LookupPlaces
    /// The bounds on the outcomes of each host; none where they hold for all hosts together.
    let bounds: [Threshold]
    /// The folder for rows that have to wait for their host.
    let folder: String
    /// Makes the settings of a lane for one host.
    let settings: @Sendable (DeclaredURL) -> LaneSettings?

    /// Makes the places for the look-ups of a job.
    /// - Parameters:
    ///   - connections: The most connections of the job: each host at work has one, and one name.
    ///   - threads: The look-ups that the process has threads for.
    /// - Returns: The places, two at least: one that is answered late leaves the other to the rest.
    static func lookups(connections: Int, threads: Int) -> LookupPlaces {
        LookupPlaces(most: max(min(connections, threads), 2))
    }

    /// Returns the URL of a row; `nil` for one that is not asked, as the row's outcome will say.
    func url(of batch: RowBatch, _ index: Int) -> DeclaredURL? {
        guard unsafe batch.rows[index].fault.code == .none else { return nil }
        let field = batch.field(row: index, slot: slot)
        guard field.kind == .text, field.length > 0 else { return nil }
        let text = unsafe String(decoding: batch.value(field), as: UTF8.self)
        return try? DeclaredURL(row: text, hosts: hosts)
    }
}
