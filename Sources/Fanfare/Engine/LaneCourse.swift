import FanfareBase
import FanfareCore

/// The course of a lane: whether requests may start, and the reason why none does any more.
struct LaneCourse: ~Copyable {
    /// The moment from which on no request starts; long past for a host that was given up.
    private(set) var until: Instant
    /// The reason why no new requests start, if there is one.
    private(set) var stop: JobStop?
    /// True if no requests start for now; requests in flight are answered, and time goes on.
    private(set) var isPaused = false
    /// True if the job is paused.
    private var isJobPaused = false
    /// For a host that leaves its connections to others, the time at which its rows go on.
    private var sitsOutUntil: Instant?
    private(set) var isFinished = false
    /// True if rows name the host: then it ends its own rows, and never the job.
    let isHostOfRows: Bool
    /// The reason why the host was given up, where rows name it.
    private(set) var hostFault = HostFault()
    /// The same for the log, which has not heard of it yet.
    private var untold: JobStop?

    init(until: Instant, isHostOfRows: Bool) {
        self.until = until
        self.isHostOfRows = isHostOfRows
    }

    /// Returns true if requests may start at all.
    func mayStart(now: Instant) -> Bool { stop == nil && !isPaused && now < until }

    /// Returns true if rows wait for the provider, as far as the job is concerned.
    ///
    /// A host that sits out has its rows wait for the time that it has asked for, or for its next dial: that counts
    /// against it as it would with a connection. When the time has come, its rows wait for the other hosts.
    func isKeptWaiting(now: Instant) -> Bool {
        guard let sitsOutUntil else { return mayStart(now: now) }
        return stop == nil && !isJobPaused && now < min(sitsOutUntil, until)
    }

    /// True if a host leaves its connections to others, and has rows that wait.
    var sitsOut: Bool { sitsOutUntil != nil }

    /// Starts nothing for now, or goes on.
    mutating func pause(_ isOn: Bool) {
        isJobPaused = isOn
        isPaused = isOn || sitsOutUntil != nil
    }

    /// Starts nothing until the host comes back: with `nil`.
    mutating func sitOut(until end: Instant?) {
        sitsOutUntil = end
        isPaused = isJobPaused || end != nil
    }

    /// The deadline, while it can still change something.
    func deadline(now: Instant) -> Instant? { now < until && stop == nil ? until : nil }

    /// Starts nothing new, for the first reason that there is.
    ///
    /// Where rows name the host, that is the end of this host alone.
    /// - Parameters:
    ///   - reason: The reason.
    ///   - outcome: The outcome of a host's rows that were not sent.
    mutating func drain(_ reason: JobStop, _ outcome: Outcome = .failed) {
        guard !isHostOfRows else { return giveHostUp(reason, outcome) }
        stopStarting(reason)
    }

    /// Starts nothing new, because the whole job stops.
    mutating func stopStarting(_ reason: JobStop) {
        if stop == nil { stop = reason }
    }

    // MARK: A host that rows name

    /// Gives the host up: rows in flight are waited for, and all others fail without being sent.
    private mutating func giveHostUp(_ reason: JobStop, _ outcome: Outcome) {
        guard hostFault.isEmpty else { return }
        var fault = Array("\(RowProblem.hostGivenUp.text): \(Self.cause(reason))".utf8)
        if fault.count > Limits.hostFaultBytes {
            // Not within a character.
            var end = Limits.hostFaultBytes
            while end > 0, fault[end] & 0xC0 == 0x80 { end -= 1 }
            fault.removeSubrange(end...)
        }
        giveHostUp(HostFault(text: fault, outcome: outcome))
        untold = reason
    }

    /// Gives the host up for a reason that is known already.
    mutating func giveHostUp(_ fault: HostFault) {
        hostFault = fault
        until = .distantPast
    }

    /// Takes the reason why the host was given up, once, for the log.
    mutating func takeUntold() -> JobStop? {
        defer { untold = nil }
        return untold
    }

    /// Returns the words of a reason up to the first setting: a report is read without a command
    /// line at hand.
    private static func cause(_ reason: JobStop) -> String {
        var text = ""
        for piece in reason.statement.pieces {
            guard case .words(let words) = piece else {
                // Advice on settings stands in brackets.
                var words = text.prefix { $0 != "(" }
                while words.last == " " { words.removeLast() }
                return String(words)
            }
            text += words
        }
        return text
    }

    // MARK: The end

    /// Notes that no work is left.
    mutating func finish() {
        isFinished = true
    }
}
