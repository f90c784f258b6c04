import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// A file of a job's metrics, as the text file collector of node_exporter reads it.
///
/// It is replaced as a whole, so that no reader sees half of it.
final class MetricsFile {
    /// The time between two versions while the job runs, which is Prometheus' usual one.
    static let interval = Duration.seconds(15)

    private let path: String
    /// The file that becomes the next version; the collector passes over such names.
    private let draft: String
    /// Makes the figures of the job, once there is one.
    private var figures: () -> String = { "" }
    /// True once a failure was told.
    private var hasFailed = false

    /// Checks that the file can be written, before anything is sent.
    /// - Throws: `FanfareError` with code `output`.
    init(_ path: String) throws(FanfareError) {
        do throws(FileError) {
            let isThere = FileDescriptor.exists(path)
            let place = isThere ? try FileDescriptor.resolved(path) : path
            self.path = place
            guard !isThere || FileDescriptor.isRegularFile(path) else {
                throw FileError(.other, "replace", path, "it is no ordinary file")
            }
            var generator = SystemRandomNumberGenerator()
            let number = String(generator.next() as UInt64, radix: 36)
            let name = place.nameIndex
            draft = place[..<name] + "." + place[name...] + ".\(number)"
            try FileDescriptor.checkWritable(draft, isPublic: true)
            try FileDescriptor.remove(draft)
        } catch {
            throw FanfareError(
                .output, message: "--metrics-file: \(path) cannot be written: \(error.reason)")
        }
    }

    /// Writes this job's figures from now on.
    func show(_ job: Job) {
        let start = WallClock.milliseconds
        show { MetricsPage(job, startMilliseconds: start).text }
    }

    /// Writes the figures of a job from now on.
    func show(_ figures: @escaping () -> String) {
        self.figures = figures
        write()
    }

    /// Writes the figures again and again.
    /// - Returns: The work that does so, until it is canceled.
    func written(on loop: EventLoop) -> Recurrence {
        Recurrence(every: Self.interval, on: loop) { [unowned self] in write() }
    }

    /// Writes the present figures.
    func write() { write(figures()) }

    /// Writes the last figures, with the end of the job.
    func end(exitCode: Int32) {
        var last = MetricsText()
        last.single(
            "fanfare_exit_code", .gauge, "The exit code of the job, which is over.",
            Double(exitCode))
        last.single(
            "fanfare_end_time_seconds", .gauge, "When the job ended, in UNIX time.",
            Double(WallClock.milliseconds) / 1000)
        write(figures() + last.text)
    }

    private func write(_ text: String) {
        do throws(FileError) {
            try SmallFile.replace(Array(text.utf8), at: path, by: draft, existing: .truncate)
        } catch {
            guard !hasFailed else { return }
            hasFailed = true
            Terminal.error(
                "fanfare: --metrics-file: \(path) cannot be written: \(error.reason)")
        }
    }
}
