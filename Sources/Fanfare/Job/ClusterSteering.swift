import FanfareBase
import FanfareCore
import FanfarePostgres
import FanfareSystem

/// Steers the job of a worker: its lanes do what the other workers, the providers and the member say, and the member hears of
/// the job's own stop.
///
/// Belongs to the thread that talks to the engine.
struct ClusterSteering {
    private let desk: ClusterDesk
    private let control: JobControl
    private let pace: JobPace?
    private let routes: [Lane.Route]
    /// The share of the job's rate that lanes have now.
    private var share: Int64?
    /// True if the worker leaves the job, by its own stop or by the word of the others.
    private var isLeaving = false

    init(_ desk: ClusterDesk, control: JobControl, pace: JobPace?, routes: [Lane.Route]) {
        self.desk = desk
        self.control = control
        self.pace = pace
        self.routes = routes
    }

    /// Has the worker leave when its own job stops.
    /// - Throws: `FileError` if the member cannot be kept.
    mutating func obeyJob() throws(FileError) {
        guard !isLeaving, let stop = control.stop else { return }
        isLeaving = true
        let crossed = routes.compactMap(\.outcomeGuard.crossedEpoch).first
        try desk.update { state in
            let now = MachineClock.now
            guard stop.kind == .refused else { return state.member.leave(now: now) }
            // No word of the provider's goes into the tables that may be a token.
            desk.engine.stopReason = stop.logStatement
            guard let crossed else { return state.member.wasRefused(now: now) }
            // Outcomes of before the job went on concern this worker only.
            if crossed == state.member.outcomeEpoch { state.member.decide(.stop(.outcomes)) }
            state.member.leave(now: now)
        }
        desk.close()
    }

    /// Has all workers wait for as long as a provider has asked one of them.
    /// - Throws: `FileError` if the member cannot be kept.
    func obeyProviders() throws(FileError) {
        let now = MachineClock.now
        var changes = false
        for (index, route) in routes.enumerated() {
            let asked = route.contact.askedToWaitUntil
            let hold = try desk.update { state in
                if let asked, asked > now {
                    state.member.asked(route: index, toWaitUntil: asked, now: now)
                }
                return state.member.hold(ofRoute: index, now: now)
            }
            guard route.contact.hold(hold != nil) else { continue }
            changes = true
            let seconds = hold.map { ($0.nanoseconds(since: now) + 999_999_999) / 1_000_000_000 }
            control.log?.add(
                hold == nil ? "provider_goes_on" : "provider_holds", .info,
                (route.name.map { [.init("route", Statement($0))] } ?? [])
                    + (seconds.map { [.init("seconds", Statement("\($0)"))] } ?? []))
        }
        if changes { control.wakeLanes() }
    }

    /// Has the lanes do what the member says.
    /// - Parameter link: The way to the engine, which knows who has stopped the job.
    /// - Throws: `FileError` if the member cannot be kept.
    mutating func obeyMember(_ link: inout ClusterLink) throws(FileError) {
        let now = MachineClock.now
        let (mayStart, share, isDraining, ends) = try desk.update {
            (
                $0.member.mayStart(now: now), $0.member.pace, $0.member.isDraining,
                $0.member.patienceEnds(now: now)
            )
        }
        // While nothing may start, lanes keep to the moment that has passed: a later one would let them go on before
        // they are held.
        if let ends, control.mayStart(until: ends) { control.wakeLanes() }
        if let pace, let share, share != self.share {
            if let settings = PaceSettings(share: share) {
                pace.change(to: settings, now: now)
                control.wakeLanes()
            }
        }
        self.share = share
        if isDraining && !isLeaving {
            isLeaving = true
            let verdict = try desk.update { $0.member.drainVerdict }
            // One try: the rows in flight come first.
            let words = link.ask { engine throws(PostgresError) in
                try engine.stopWords(deadline: now.advanced(by: .seconds(1)))
            }
            control.stop(
                JobStop(drainingFor: verdict, of: desk.options.job, by: words ?? nil))
            desk.close()
        }
        // After the stop: lanes that were held send none of a job that is over.
        control.hold(!isDraining && (!mayStart || share == 0))
    }

    /// Ends the worker's part in the job: no lane waits for a word any more.
    /// - Parameters:
    ///   - ending: The end.
    ///   - differences: The settings that differ from those of the other workers; `nil` if they are not known.
    ///   - successor: The place of the copy that has taken this worker's part; `nil` if it is not known.
    func end(_ ending: ClusterEnding, differences: Statement? = nil, successor: String? = nil) {
        if let stop = JobStop(
            ending, of: desk.options.job, differences: differences, successor: successor)
        {
            control.stop(stop)
            // Another stop may have come first.
            if stop.needsOtherCommand { control.needOtherCommand() }
        }
        // No lane waits for a provider whose hold the thread no longer follows.
        for route in routes { _ = route.contact.hold(false) }
        control.hold(false)
        _ = control.mayStart(until: .distantFuture)
        control.wakeLanes()
        desk.close()
    }
}
