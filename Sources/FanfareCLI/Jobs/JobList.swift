import FanfareBase
import FanfareCore
import FanfareFigures

/// The jobs of a user, for people and for scripts.
package struct JobList: Equatable, Sendable {
    /// The version of `json`.
    package static let schema = "fanfare.jobs/1"

    /// The running ones first, then by their start.
    package let entries: [JobEntry]

    package init(_ entries: [JobEntry]) {
        self.entries = entries.sorted {
            ($0.isRunning ? 0 : 1, $0.record.started) < ($1.isRunning ? 0 : 1, $1.record.started)
        }
    }

    /// A line for each job, below a heading, and the command that carries it on below that.
    package var text: String {
        guard !entries.isEmpty else { return "no job runs, and none waits to be carried on\n" }
        let heading = ["JOB", "NAME", "STATE", "DONE", "ROWS", "RATE", "LEFT"]
        let rows = entries.map(Self.cells)
        let widths = heading.indices.map { column in
            ([heading] + rows).reduce(0) { max($0, $1[column].count) }
        }
        func line(_ cells: [String]) -> String {
            let padded = cells.enumerated().map { column, cell in
                let space = String(repeating: " ", count: widths[column] - cell.count)
                // Numbers stand to the right.
                return column < 3 ? cell + space : space + cell
            }
            return padded.joined(separator: "  ").trimmingEnd + "\n"
        }
        return line(heading)
            + zip(entries, rows).map { entry, cells in
                line(cells) + (entry.resumption.map { "    \($0)\n" } ?? "")
            }.joined()
    }

    private static func cells(_ entry: JobEntry) -> [String] {
        let status = entry.status
        return [
            entry.record.id, entry.record.title ?? "-", entry.state,
            entry.share.map { "\(Int(min(max($0, 0), 1) * 100)) %" } ?? "-",
            entry.rows.map { NumberText.grouped($0) } ?? "-",
            status?.rowsPerSecond.map { "\(NumberText.perSecond($0))/s" } ?? "-",
            status?.secondsLeft.map {
                NumberText.duration(milliseconds: Int64(min($0, 1e12).rounded()) * 1000)
            } ?? "-",
        ]
    }

    /// One document.
    package var json: String {
        JSONWriter.document { writer in
            writer.member("schema", Self.schema)
            writer.objects("jobs", entries) { entry, writer in
                writer.member("id", entry.record.id)
                writer.member("name", entry.record.name)
                writer.member("shared_job", entry.record.shared?.job)
                writer.member("worker", entry.record.shared?.worker)
                writer.member("state", entry.state)
                writer.member("process_id", entry.isRunning ? Int64(entry.record.processID) : nil)
                writer.member(
                    "started_at", TimestampWriter.string(milliseconds: entry.record.started))
                writer.member("folder", entry.record.folder)
                writer.member("report", entry.record.report)
                writer.member("socket", entry.isRunning ? entry.record.socket : nil)
                writer.member("input_share", entry.share)
                writer.member("rows", entry.rows)
                writer.member("rows_per_second", entry.status?.rowsPerSecond)
                writer.member("seconds_left", entry.status?.secondsLeft)
                writer.member("resume_command", entry.isRunning ? nil : entry.record.resumeCommand)
            }
        }
    }
}

extension String {
    /// The text without the spaces at its end.
    fileprivate var trimmingEnd: String {
        String(self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)])
    }
}
