import FanfareBase
import FanfareCore
import FanfareSystem
import Synchronization

/// The file of a job's log, to whose end events go as lines of JSON.
final class LogFile: Sendable {
    private let level: LogLevel
    private let path: String
    private let file: FileDescriptor
    /// True if the file had a name when it was opened: one that was handed over may never have had
    /// one.
    private let hadName: Bool
    private let fault = Mutex<String?>(nil)
    /// True if a write may wait for a reader; false also after a reader took nothing for too long.
    private let mayWait: Bool
    private let isHurried = CancellationFlag()

    /// Opens the file, or makes it; an existing content stays.
    /// - Parameters:
    ///   - options: The path and the level.
    ///   - configuration: The job's configuration, whose other files the log must not write to.
    /// - Throws: `FanfareError` with code `configuration` or `output`.
    init(_ options: LogOptions, of configuration: Configuration) throws(FanfareError) {
        try Self.protectFiles(of: configuration, from: options.path)
        path = options.path
        level = options.level.internal
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

    /// The reason why lines are missing; `nil` if none is.
    var problem: String? { fault.withLock { $0 } }

    /// A reader that takes nothing is not waited for any more.
    func hurry() { isHurried.set() }

    /// The events that are written at every level: a user who asks for frames gets them, and gaps
    /// are shown.
    private static let unconditional = ["frame", "events_dropped"]

    /// Writes those events that the file is for.
    func write(_ events: [LogEvent], _ naming: Naming) {
        let lines = events.filter {
            $0.level <= level || Self.unconditional.contains($0.name.description)
        }
        .map { $0.line(naming) }
        if !lines.isEmpty { write(lines.joined()) }
    }

    /// Notes that the file has no name: its lines are lost then, but those under another name are
    /// not.
    func noteRemoval() {
        guard hadName, let hasName = try? file.hasName, !hasName else { return }
        let text = "\(path) was removed while the job ran, and its lines with it"
        fault.withLock { if $0 == nil { $0 = text } }
    }

    /// A log that cannot be written is not worth the job: later lines are dropped.
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
