import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The log of a job: events in, lines of JSON out.
///
/// No lane waits for it: when the disk is slower than the events they are dropped, and the log says
/// how many.
final class EventLog: Sendable {
    private struct Turn: Sendable {
        var events: [LogEvent]
    }

    let level: LogLevel
    private let naming: Naming
    private let path: String
    private let file: FileDescriptor
    /// Whether it had a name when it was opened: one that was handed over may never have had one.
    private let hadName: Bool
    private let queue = Handoff<Turn>(capacity: Limits.logTurnsMax)
    private let dropped = Mutex<UInt64>(0)
    private let fault = Mutex<String?>(nil)
    /// Whether a write may wait for a reader, and whether one that takes nothing is waited for no more.
    private let mayWait: Bool
    private let isHurried = CancellationFlag()
    private let framesOfConnection: Int?
    private let dials = Atomic(0)

    /// Opens the file, or makes it; what is there stays.
    /// - Parameters:
    ///   - options: Where, and how much.
    ///   - configuration: The job's, whose other files are not to be written to.
    /// - Throws: `FanfareError` with code `configuration` or `output`.
    init(_ options: LogOptions, of configuration: Configuration) throws(FanfareError) {
        try Self.protectFiles(of: configuration, from: options.path)
        path = options.path
        naming = configuration.naming
        level = options.level.internal
        framesOfConnection = options.framesOfConnection
        do throws(FileError) {
            // "/dev/stdout" is standard output as it was handed over.
            let opened = try FileDescriptor.appending(
                options.path == "-" ? "/dev/stdout" : options.path)
            hadName = try opened.hasName
            mayWait = try !opened.isRegularFile
            file = opened
        } catch {
            throw FanfareError(
                .output,
                "\(.logPath): \(options.path) cannot be written: "
                    + "\(error.reason)")
        }
    }

    private static func protectFiles(
        of configuration: Configuration, from path: String
    ) throws(FanfareError) {
        let report = configuration.report
        let outputs = [report.path, report.unregisteredPath, report.retryRowsPath]
        let files = outputs.compactMap(\.self) + configuration.inputs.compactMap(\.path)
        let isTaken =
            files.contains { FileDescriptor.areOneOutput($0, path) }
            || configuration.inputs.contains { $0.isRead(from: path) }
        guard isTaken else { return }
        throw FanfareError(
            .configuration,
            path == "-"
                ? "standard output takes one thing; \(.logPath, any: "FILE") names a file"
                : "\(.logPath) \(path): this file has another use in the job; "
                    + "\(.logPath, any: "FILE") "
                    + "names another")
    }

    /// What a lane collects its events in.
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

    /// Why lines are missing; `nil` if none is for another reason than their number.
    var problem: String? { fault.withLock { $0 } }

    // MARK: Writer

    /// Has a thread write while something is done, and waits for the last event.
    /// - Throws: `SystemError` when the system has no room for the thread; nothing was done then.
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
            write(turn.events.map { $0.line(naming) }.joined())
        }
        tellDropped()
        noteRemoval()
    }

    /// No more events will come.
    func close() { queue.close() }

    /// A reader that takes nothing is not waited for any more.
    func hurry() { isHurried.set() }

    private func tellDropped() {
        let count = dropped.withLock { dropped in
            defer { dropped = 0 }
            return dropped
        }
        guard count > 0 else { return }
        let event = LogEvent(
            "events_dropped", .warning, milliseconds: WallClock.milliseconds,
            [.init("events", count)])
        write(event.line(naming))
    }

    /// What was written to a file without a name is gone with it; under another name it is still there.
    private func noteRemoval() {
        guard hadName, let hasName = try? file.hasName, !hasName else { return }
        let text = "\(path) was removed while the job ran, and its lines with it"
        fault.withLock { if $0 == nil { $0 = text } }
    }

    /// A log that cannot be written is not worth the job: what comes then is dropped.
    private func write(_ text: String) {
        guard fault.withLock({ $0 == nil }) else { return }
        var text = text
        let failure = text.withUTF8 { bytes -> String? in
            do throws(FileError) {
                if mayWait {
                    unsafe try file.writeAll(
                        UnsafeRawBufferPointer(bytes), while: { !isHurried.isSet })
                } else {
                    unsafe try file.writeAll(UnsafeRawBufferPointer(bytes))
                }
                return nil
            } catch {
                return "\(path) cannot be written: \(error.reason)"
            }
        }
        if let failure { fault.withLock { $0 = failure } }
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
