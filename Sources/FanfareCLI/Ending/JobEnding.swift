import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem
import FanfareTLS

/// The acts when a job is over: a file of metrics, a notice, a command, in this order.
///
/// None of it changes the exit code: failures go to standard error.
final class JobEnding {
    /// The file of metrics, which is written while the job runs, too.
    let metricsFile: MetricsFile?
    private let poster: NoticePoster?
    private let format: NoticeFormat
    private let hook: EndHook?
    private let command: String
    private let words: (name: String?, note: String?)
    private var isTold = false

    /// Reads the options of a command, and checks all that can be checked before the job.
    init(_ arguments: ParsedArguments) throws(CommandError) {
        command = arguments.command.name
        words = arguments.words
        format = arguments[ifOffered: Options.notifyFormat]
        hook = arguments[ifOffered: Options.onEnd].map { command in
            EndHook(
                command: command,
                timeout: arguments[ifOffered: Options.onEndTimeout] ?? Limits.endTimeout)
        }
        do throws(FanfareError) {
            metricsFile = try arguments[ifOffered: Options.metricsFile].map {
                path throws(FanfareError) in try MetricsFile(path)
            }
        } catch {
            throw .job(error)
        }
        poster = try Self.poster(arguments)
    }

    /// Runs a command, and tells of an end without a result.
    static func telling(
        _ arguments: ParsedArguments,
        _ body: (JobEnding) throws(CommandError) -> Int32
    ) throws(CommandError) -> Int32 {
        let ending = try JobEnding(arguments)
        do throws(CommandError) {
            return try body(ending)
        } catch {
            // Wrong usage is seen by the person who has just typed it.
            if case .job(let error) = error {
                ending.tell(JobEnd(error, of: ending.command, words: ending.words))
            }
            throw error
        }
    }

    /// Tells of the end, once.
    func tell(_ end: JobEnd) {
        guard !isTold else { return }
        isTold = true
        metricsFile?.end(exitCode: end.exitCode)
        if let problem = poster.flatMap({ post(end, by: $0) }) {
            Terminal.error("fanfare: --notify: \(problem)")
        }
        if let problem = hook?.run(end) { Terminal.error("fanfare: --on-end: \(problem)") }
    }

    private func post(_ end: JobEnd, by poster: NoticePoster) -> String? {
        let body = end.body(format)
        let id = Self.randomID()
        let failure = Failure()
        do throws(SystemError) {
            try EndWork.run(
                "notify", { failure.text = poster.post(body, id: id) },
                hear: { _ in poster.interrupt() })
        } catch {
            return error.description
        }
        return failure.text?.text(.commandLine)
    }

    /// The result of the posting thread, which is joined before it is read.
    private final class Failure: @unchecked Sendable {
        var text: Statement?
    }

    /// A name for a notice, which receivers recognize a second copy by.
    private static func randomID() -> String {
        var generator = SystemRandomNumberGenerator()
        let digits = (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
        return "msg_" + digits.joined()
    }

    // MARK: The address

    private static func poster(
        _ arguments: ParsedArguments
    ) throws(CommandError) -> NoticePoster? {
        guard let target = arguments[ifOffered: Options.notify] else { return nil }
        let address = try address(target, arguments)
        var options = ProviderOptions()
        options.caFile = arguments[Options.caFile]
        do throws(UsageError) {
            // In the clear only this machine is told, and no proxy leads there.
            if address.endpoint.usesTLS {
                options.proxy = try Proxy(
                    arguments, to: address.endpoint, isSimulator: false,
                    variable: Terminal.environment)
            }
        } catch {
            throw .usage(error)
        }
        do throws(FanfareError) {
            let key = try arguments[Options.notifySecretFile].map { file throws(FanfareError) in
                try WebhookKey(file: file)
            }
            return try NoticePoster(
                address, key: key, by: options, agent: "fanfare/\(FanfareCommand.version)")
        } catch {
            throw .job(error)
        }
    }

    private static func address(
        _ target: NotifyTarget, _ arguments: ParsedArguments
    ) throws(CommandError) -> NoticeAddress {
        guard case .file(let path) = target else {
            guard case .url(let address) = target else { preconditionFailure("BUG: no target") }
            return address
        }
        let line: Secret
        do throws(TLSError) {
            line = try Secret(firstLineOfFile: path)
        } catch {
            throw .job(
                FanfareError(
                    error.isUnreadableFile ? .input : .configuration,
                    "--\(Options.notify.name): " + error.statement))
        }
        let text = unsafe line.withBytes { unsafe String(decoding: $0, as: UTF8.self) }
        do throws(ValueFault) {
            return try ValueReader.noticeAddress(text.trimmed)
        } catch {
            throw arguments.fault(Options.notify, "the first line of \(path) \(error.problem)")
        }
    }
}

extension Limits {
    /// The time that a command at the end may take, where the user names none.
    static let endTimeout = Duration.seconds(60)
}
