package import Fanfare
import FanfareBase
import FanfareCore

extension Options {
    /// The acts when it is over: `send`, `bench`.
    static let endingOptions: [any AnyOption] = [
        onEnd, onEndTimeout, notify, notifyFormat, notifySecretFile,
    ]

    static let onEnd = Option(
        "on-end", .value(.identifier("COMMAND")), .ending,
        "A command of the shell to run when it is over, however it ends",
        detail: "The summary is on its standard input, as JSON. FANFARE_EXIT_CODE has the exit "
            + "code, FANFARE_JOB_EVENT is ended, stopped or failed, and FANFARE_JOB_NAME, "
            + "FANFARE_JOB_ID and FANFARE_JOB_REPORT say which job it was. The exit code stays "
            + "the job's.",
        example: "./after-the-job.sh")
    static let onEndTimeout = Option(
        "on-end-timeout", .value(.duration), .ending,
        "How long that command may take; then it is ended, with all that it has started",
        default: "1m", example: "10m", needs: ["on-end"])
    static let notify = Option(
        "notify", .value(.notifyTarget), .ending,
        "URL to post the summary to when it is over, or @FILE with the URL",
        detail: "Asked up to three times. Such a URL is often a secret; others can see command "
            + "lines, so keep it in a file. In the clear only this machine is told.",
        example: "@/etc/fanfare/slack-url.txt")
    static let notifyFormat = Option(
        "notify-format", .value(.choice(NoticeFormat.self), or: .summary), .ending,
        "What is posted: the summary as JSON, or a message as Slack and others take it",
        default: "summary", example: "slack", needs: ["notify"])
    static let notifySecretFile = Option(
        "notify-secret-file", .value(.file), .ending,
        "File whose first line is the key to sign what is posted, by Standard Webhooks",
        detail:
            "whsec_ and Base64 of 16 to 64 bytes. The receiver checks webhook-id, webhook-timestamp and "
            + "webhook-signature with the same key.",
        example: "webhook-secret.txt", endings: [], needs: ["notify"])

    /// The figures for node_exporter: `send`.
    static let metricsFile = Option(
        "metrics-file", .value(.file), .watching,
        "File for the job's metrics, as node_exporter collects them",
        detail: "Written anew every 15 seconds and at the end, then with the exit code, always as "
            + "a whole. Its name has to end in .prom for node_exporter.",
        example: "/var/lib/node_exporter/fanfare.prom", endings: [".prom"])
}

/// The place where the address of notices stands.
package enum NotifyTarget: Sendable, Equatable {
    case url(NoticeAddress)
    /// A file with the URL on its first line.
    case file(String)
}

extension ValueType where Value == NotifyTarget {
    /// A URL, or the path of a file with one behind an `@`.
    static var notifyTarget: ValueType {
        ValueType("URL", form: .textOrFile, ValueReader.notifyTarget)
    }
}

extension ValueReader {
    /// Reads a URL, or `@FILE`; no message repeats a URL.
    package static func notifyTarget(_ text: String) throws(ValueFault) -> NotifyTarget {
        guard !text.hasPrefix("@") else {
            guard text != "@" else { throw ValueFault("names no file") }
            return .file(String(text.dropFirst()))
        }
        return .url(try noticeAddress(text))
    }

    /// Reads a URL.
    static func noticeAddress(_ text: String) throws(ValueFault) -> NoticeAddress {
        do {
            return try NoticeAddress(text)
        } catch {
            throw ValueFault(
                error == .notEncrypted
                    ? "is not https, and in the clear only this machine is told" : error.text,
                isSecret: true)
        }
    }
}
