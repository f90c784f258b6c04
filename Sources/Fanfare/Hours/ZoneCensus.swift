import FanfareBase
import FanfareCore

/// Counts the rows of each time zone, for a rehearsal.
///
/// Use from one thread at a time.
struct ZoneCensus {
    /// The hours; `nil` in a job without them, whose rows are all in one zone.
    private let settings: WindowSettings?
    private var zones = ZoneTable()
    /// The rows of each zone, by route.
    private(set) var counts: [String: [UInt64]] = [:]
    private let routeCount: Int

    init(_ settings: WindowSettings?, routeCount: Int) {
        self.settings = settings
        self.routeCount = routeCount
    }

    /// Returns the zone of a row.
    /// - Returns: The name; `nil` if the zone is not known.
    mutating func zone(of batch: RowBatch, _ index: Int) -> String? {
        guard let settings else { return HoursPlan.always }
        var name: String?
        if let slot = settings.slot {
            let field = batch.field(row: index, slot: slot)
            if !field.isMissing && field.length > 0 {
                name = unsafe String(decoding: batch.value(field), as: UTF8.self)
            }
        }
        guard let zone = name ?? settings.zone else { return nil }
        return counts[zone] != nil || zones.rules(zone) != nil ? zone : nil
    }

    /// Counts a row that would be sent.
    mutating func count(_ zone: String, route: Int) {
        counts[zone, default: Array(repeating: 0, count: routeCount)][route] += 1
    }
}
