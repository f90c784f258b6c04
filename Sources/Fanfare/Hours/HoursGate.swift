import FanfareBase
import FanfareCore
import FanfareSystem

/// The settings that decide when a row may be sent, as far as the hour matters.
struct WindowSettings: Sendable {
    var window: Hours
    /// The zone of rows that name none; `nil` if each has to.
    var zone: String?
    /// The place of the time zone in a row, if rows name one.
    var slot: Int?
    /// True if rows outside their window are skipped instead of waiting.
    var skips: Bool
    /// The moment after which nothing may start, in milliseconds of UNIX time.
    var untilMilliseconds: Int64?
    /// The folder for the file of waiting rows.
    var folder: String
}

/// Sorts rows by whether their window is open, and keeps those that have to wait.
///
/// Use from one thread at a time.
final class HoursGate {
    private struct Place {
        var rules: TimeZoneRules
        var state: Hours.State
    }

    private let settings: WindowSettings
    private let clock: () -> Int64
    private var zones: ZoneTable
    private let waiting: WaitingRows
    private var places: [String: Place] = [:]
    /// The zone of the row before: mostly it is that of the next one, too.
    private var last: (name: [UInt8], state: Hours.State?) = ([], nil)

    /// - Parameters:
    ///   - settings: The settings of the windows.
    ///   - zones: The known time zones.
    ///   - clock: Returns milliseconds of UNIX time.
    init(
        _ settings: WindowSettings, zones: ZoneTable = ZoneTable(),
        clock: @escaping () -> Int64 = { WallClock.milliseconds }
    ) {
        self.settings = settings
        self.zones = zones
        self.clock = clock
        waiting = WaitingRows(folder: settings.folder)
    }

    /// Rows that wait.
    var waitingCount: UInt64 { waiting.count }

    /// The moment when the last of them may be sent, in milliseconds of UNIX time; `nil` if none
    /// has waited yet.
    private(set) var lastMilliseconds: Int64?

    /// The moment to look at the first of them, in milliseconds of UNIX time; `nil` if none waits.
    var nextMilliseconds: Int64? {
        guard let moment = waiting.nextMoment else { return nil }
        let next = moment == .min ? .min : moment * 1000
        return min(next, settings.untilMilliseconds ?? .max)
    }

    /// The rows that wait, and the first moment at which one of them may be sent; `nil` if none waits.
    var waitingRows: Summary.Waiting? {
        guard waiting.count > 0 else { return nil }
        let moment = waiting.nextMoment.flatMap { $0 == .min || $0 > .max / 1000 ? nil : $0 * 1000 }
        return Summary.Waiting(rows: waiting.count, opensMilliseconds: moment)
    }

    /// Returns the time until a moment of UNIX time; zero if it has passed.
    func time(untilMilliseconds moment: Int64) -> Duration {
        let now = clock()
        return moment <= now ? .zero : .milliseconds(moment - now)
    }

    /// Fills an empty batch with rows that have waited long enough.
    /// - Returns: True if there were any.
    func fill(_ batch: RowBatch) throws(FanfareError) -> Bool {
        let now = clock()
        guard let next = nextMilliseconds, next <= now else { return false }
        let isOver = now >= settings.untilMilliseconds ?? .max
        return try told(\.outputError) { () throws(FileError) in
            try waiting.fill(batch, now: isOver ? .max : now / 1000)
        }
    }

    /// Sets the rows aside that have to wait, and marks those that must not be sent.
    /// - Parameters:
    ///   - batch: The batch, whose rows from the cursor on are sorted.
    ///   - loopNow: The time on the lanes' clock.
    /// - Returns: True if the batch has work for a lane.
    /// - Throws: `FanfareError.Code.output` when rows cannot be set aside.
    func sort(_ batch: RowBatch, loopNow: Instant) throws(FanfareError) -> Bool {
        batch.closes = .distantFuture
        let now = clock()
        if batch.verdicts.isEmpty {
            batch.verdicts = Array(repeating: .none, count: batch.rowCount)
        }
        guard now < settings.untilMilliseconds ?? .max else {
            markLate(batch)
            return true
        }
        // An open window stays open for at least a second: moments are whole seconds.
        var closes = Int64.max
        var isWanted = false
        for index in batch.untaken {
            let verdict = batch.verdicts[index]
            guard verdict == .none || verdict == .inDoubt,
                unsafe batch.rows[index].fault.code == .none
            else {
                isWanted = isWanted || verdict != .waiting
                continue
            }
            guard let state = state(of: batch, index, now: now / 1000) else {
                batch.verdicts[index].keepBack(.zoneUnknown)
                isWanted = true
                continue
            }
            if state.isOpen {
                closes = min(closes, state.until)
            } else if settings.skips {
                batch.verdicts[index].keepBack(.outsideWindow)
            } else {
                try wait(batch, index, verdict, until: state.until)
                continue
            }
            isWanted = true
        }
        if closes < .max {
            batch.closes = loopNow.advanced(by: time(untilMilliseconds: closes * 1000))
        }
        return isWanted
    }

    /// Says of all rows left that the deadline has passed: the lanes' clock may not know yet, because
    /// it stands still while the machine sleeps.
    private func markLate(_ batch: RowBatch) {
        for index in batch.untaken { batch.verdicts[index].keepBack(.late) }
    }

    private func wait(
        _ batch: RowBatch, _ index: Int, _ verdict: RowBatch.Verdict, until moment: Int64
    ) throws(FanfareError) {
        try told(\.outputError) { () throws(FileError) in
            try waiting.add(batch, index, verdict: verdict, until: moment)
        }
        batch.verdicts[index] = .waiting
        if moment < Int64.max / 1000 {
            lastMilliseconds = max(lastMilliseconds ?? 0, moment * 1000)
        }
    }

    // MARK: Zones

    /// - Returns: `nil` if the row's zone is not known.
    private func state(of batch: RowBatch, _ index: Int, now: Int64) -> Hours.State? {
        var name = unsafe UnsafeBufferPointer<UInt8>.empty
        if let slot = settings.slot {
            let field = batch.field(row: index, slot: slot)
            if !field.isMissing { unsafe name = batch.value(field) }
        }
        if let state = last.state, now < state.until, unsafe last.name.elementsEqual(name) {
            return state
        }
        let state = unsafe state(name, now: now)
        last = unsafe (Array(name), state)
        return state
    }

    private func state(_ name: UnsafeBufferPointer<UInt8>, now: Int64) -> Hours.State? {
        let text = unsafe name.isEmpty ? settings.zone : String(decoding: name, as: UTF8.self)
        guard let text else { return nil }
        if let place = places[text], now < place.state.until { return place.state }
        guard let rules = places[text]?.rules ?? zones.rules(text) else { return nil }
        let state = settings.window.state(at: now, in: rules)
        places[text] = Place(rules: rules, state: state)
        return state
    }
}
