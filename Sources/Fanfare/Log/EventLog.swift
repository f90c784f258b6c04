import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The log of a job: events in, lines of JSON out, and the events themselves for a listener.
///
/// No lane waits for it: when the disk is slower than the events they are dropped, and the log says
/// how many.
final class EventLog: Sendable {
    /// A receiver of events besides the file, on the log's thread.
    typealias Listener = @Sendable ([LogEvent]) -> Void

    private struct Turn: Sendable {
        var events: [LogEvent]
    }

    /// The level of collected events, which serves both the file and the listener.
    let level: LogLevel
    private let naming: Naming
    /// `nil` when there is a listener only.
    private let file: LogFile?
    private let listener: Listener?
    private let queue = Handoff<Turn>(capacity: Limits.logTurnsMax)
    private let dropped = Mutex<UInt64>(0)
    private let framesOfConnection: Int?
    private let dials = Atomic(0)

    /// Opens the file, or makes it; an existing content stays.
    /// - Parameters:
    ///   - options: The path and the level; `nil` for no file.
    ///   - configuration: The job's configuration, whose other files the log must not write to.
    ///   - listener: Receives all events up to `LogLevel.info`; `nil` for none.
    /// - Throws: `FanfareError` with code `configuration` or `output`.
    init(
        _ options: LogOptions?, of configuration: Configuration, listener: Listener? = nil
    ) throws(FanfareError) {
        file = try options.map { options throws(FanfareError) in
            try LogFile(options, of: configuration)
        }
        self.listener = listener
        naming = configuration.naming
        let wanted = options?.level.internal ?? .error
        level = listener == nil ? wanted : max(wanted, Self.listenerLevel)
        framesOfConnection = options?.framesOfConnection
    }

    /// The level of events that a listener receives.
    private static let listenerLevel = LogLevel.info

    /// Returns the buffer for a lane's events.
    func buffer(lane: Int, of provider: String? = nil) -> EventBuffer {
        EventBuffer(
            level: level, lane: lane, provider: provider, frameDial: framesOfConnection
        ) { [self] in
            dials.add(1, ordering: .relaxed).newValue
        }
    }

    /// Takes in the events of a lane's turn, or drops them.
    func submit(_ events: [LogEvent], dropped count: UInt64 = 0) {
        var lost = count
        if !events.isEmpty, let turn = queue.tryPush(Turn(events: events)) {
            lost += UInt64(turn.events.count)
        }
        if lost > 0 { dropped.withLock { $0 += lost } }
    }

    /// Takes in an event of the whole job.
    func add(_ name: StaticString, _ level: LogLevel, _ fields: [LogEvent.Field] = []) {
        guard level <= self.level else { return }
        submit([LogEvent(name, level, milliseconds: WallClock.milliseconds, fields)])
    }

    /// The reason why lines are missing; `nil` if there is none but their number.
    var problem: String? { file?.problem }

    // MARK: Writer

    /// Runs a function while a thread writes the log, and waits for the last event.
    /// - Throws: `SystemError` when the system has no room for the thread; the function did not run
    ///   then.
    func writing<Result>(_ body: () -> Result) throws(SystemError) -> Result {
        let thread = try WorkerThread(name: "log") { [self] in run() }
        defer {
            close()
            thread.join()
        }
        return body()
    }

    /// Writes until `close`; runs on a thread of its own.
    func run() {
        while let turn = queue.pop() {
            tellDropped()
            write(turn.events)
        }
        tellDropped()
        file?.noteRemoval()
    }

    /// No more events will come.
    func close() { queue.close() }

    /// A reader that takes nothing is not waited for any more.
    func hurry() { file?.hurry() }

    private func tellDropped() {
        let count = dropped.withLock { dropped in
            defer { dropped = 0 }
            return dropped
        }
        guard count > 0 else { return }
        write([
            LogEvent(
                "events_dropped", .warning, milliseconds: WallClock.milliseconds,
                [.init("events", count)])
        ])
    }

    private func write(_ events: [LogEvent]) {
        if let listener {
            let heard = events.filter { $0.level <= Self.listenerLevel }
            if !heard.isEmpty { listener(heard) }
        }
        file?.write(events, naming)
    }
}

extension LogOptions.Level {
    var `internal`: LogLevel {
        switch self {
        case .error: .error
        case .warning: .warning
        case .info: .info
        case .debug: .debug
        }
    }
}

extension Limits {
    /// Turns with events that may wait for the log's thread; with all lanes at their bound that is
    /// 64,000 events of some 200 bytes.
    static let logTurnsMax = 64
}
