import Fanfare
package import FanfareBase
package import FanfareCore
import FanfareFigures

/// A provider that lets nothing start for now, as all displays say it.
package struct PauseReading: Equatable, Sendable {
    /// The provider's name; `nil` if the job has only one.
    package var provider: String?
    package var cause: ProviderPause.Cause
    /// The time until the next try; 0 while there is one.
    package var seconds: Double
    /// The rows that wait for their next attempt; 0 where rows wait for their first one.
    package var rows: Int

    package init(provider: String?, _ pause: ProviderPause, at now: Instant) {
        self.provider = provider
        cause = pause.cause
        seconds = max(Double(pause.until.nanoseconds(since: now)) / 1e9, 0)
        rows = pause.rows
    }

    /// The pauses of a moment.
    static func of(_ snapshot: ProgressSnapshot, at now: Instant) -> [PauseReading] {
        snapshot.pauses.map {
            PauseReading(provider: $0.provider?.rawValue, $0.pause, at: now)
        }
    }

    /// The pause in words, the longest first.
    var forms: [String] {
        let waiting =
            switch rows {
            case 0: ""
            case 1: " (1 row waits)"
            default: " (\(NumberText.grouped(UInt64(rows))) rows wait)"
            }
        return [text + waiting, text, "\(provider ?? "provider") \(cause.text)"]
    }

    /// The pause in words.
    var text: String { "\(provider ?? "provider") \(cause.text); \(next)" }

    private var next: String {
        // Tenths of a second would only flicker.
        let whole = Int64(seconds.rounded(.up))
        guard whole > 0 else { return "trying again now" }
        return "next try in "
            + (whole < 60 ? "\(whole) s" : NumberText.duration(milliseconds: whole * 1000))
    }

    /// Writes the member that progress and status of a job both have.
    static func write(_ pauses: [PauseReading], to writer: inout JSONWriter) {
        writer.objects("pauses", pauses) { pause, writer in
            writer.member("provider", pause.provider)
            writer.member("reason", pause.cause.text)
            writer.member("next_try_seconds", pause.seconds)
            writer.member("waiting", pause.rows)
        }
    }
}
