import FanfareBase
import FanfareCore

/// Counts the rows of each time zone, for a rehearsal.
///
/// Use from one thread at a time.
struct ZoneCensus {
    private let settings: WindowSettings
    private var zones = ZoneTable()
    /// The rows of each zone, by route.
    private(set) var counts: [String: [UInt64]] = [:]
    private let routeCount: Int

    init(_ settings: WindowSettings, routeCount: Int) {
        self.settings = settings
        self.routeCount = routeCount
    }

    /// Counts a row that could be sent.
    /// - Returns: False if its zone is not known.
    mutating func count(_ batch: RowBatch, _ index: Int, route: Int) -> Bool {
        var name: String?
        if let slot = settings.slot {
            let field = batch.field(row: index, slot: slot)
            if !field.isMissing && field.length > 0 {
                name = unsafe String(decoding: batch.value(field), as: UTF8.self)
            }
        }
        guard let zone = name ?? settings.zone else { return false }
        if counts[zone] == nil {
            guard zones.rules(zone) != nil else { return false }
        }
        counts[zone, default: Array(repeating: 0, count: routeCount)][route] += 1
        return true
    }
}
