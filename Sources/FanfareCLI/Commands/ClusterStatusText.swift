import Fanfare
import FanfareBase
import FanfareCore

/// A shared job in words, for people.
extension ClusterControl.Status {
    /// A few lines for people.
    var table: String {
        guard let job else { return "\(name): no worker has joined yet\n" }
        var lines = [
            headline(job),
            "waiting \(waitingRows), granted \(grantedRows), in doubt \(doubtfulRows)",
        ]
        if outcomes.all > 0 { lines.append(outcomesText) }
        if rowsPerSecond > 0 {
            let left = secondsLeft.map {
                ", \(NumberText.duration(milliseconds: Int64(clamping: $0) * 1000)) left"
            }
            lines.append("\(rowsPerSecond) rows/s\(left ?? "")")
        }
        for hold in holds(of: job) {
            lines.append("provider \(hold.route) wants nothing for \(hold.seconds) s")
        }
        if let rate = job.terms.rate { lines.append("rate \(Self.perSecond(rate))/s") }
        if let verdict = job.verdict {
            lines.append((stop ?? ClusterStopWords(worker: nil, reason: nil)).text(verdict))
        }
        lines += waits(job)
        lines += workers.map(text)
        return lines.joined(separator: "\n") + "\n"
    }

    private func headline(_ job: ClusterJob) -> String {
        let rows =
            job.isAllCut
            ? "\(finishedRows) of \(job.cutRows) rows have an outcome"
            : "\(finishedRows) of the \(job.cutRows) rows that were counted so far have an outcome"
        return "\(name): \(Self.words(state ?? job.state, isPaused: isPaused)), \(rows)"
    }

    /// Returns the words for a job's state; that it is paused hides no stop.
    static func words(_ state: ClusterJobState, isPaused: Bool) -> String {
        guard isPaused else { return state.rawValue }
        return switch state {
        case .proving, .running: "paused"
        case .stopping, .stopped: "\(state.rawValue), paused"
        case .finished: state.rawValue
        }
    }

    private var outcomesText: String {
        Outcome.allCases.filter { outcomes[$0] > 0 }.map { "\($0.name) \(outcomes[$0])" }
            .joined(separator: ", ")
    }

    /// The sentences about what the job waits for.
    private func waits(_ job: ClusterJob) -> [String] {
        guard let state, state != .finished else { return [] }
        var texts: [String] = []
        let isStopped = state == .stopped
        if aliveCount == 0 && !isStopped {
            let silent = workers.map(\.silentSeconds).min() ?? 0
            texts.append(
                "no worker was heard of for \(Int(silent)) s: start them again, or others with reports of their own"
            )
        } else if isStopped {
            texts.append("fanfare cluster resume lets it go on; then start the workers again")
        } else if !job.isOpen {
            texts.append(
                "the server has gone back: no worker gets rows before all have said what they have")
        }
        if getsNoAnswers {
            texts.append(
                "no row got an outcome in the last second: the workers' live views and logs say why"
            )
        }
        for worker in workers where worker.doubtfulRows > 0 && aliveCount > 0 && !isStopped {
            let (label, rows) = (ClusterControl.shown(worker.label), worker.doubtfulRows)
            if worker.state == .givenUp {
                texts.append("\(label) was written off: others write the lines of its \(rows) rows")
            } else if let left = writesOffSeconds {
                texts.append(
                    "waiting for \(label) to come back: its \(rows) rows are written off in \(Int(left.rounded(.up))) s; "
                        + "start it again before that")
            } else {
                texts.append(
                    "\(label) has \(rows) rows in doubt: start it again; else others write them off a minute after all "
                        + "else is done")
            }
        }
        return texts
    }

    private func text(of worker: ClusterControl.WorkerStatus) -> String {
        let share = share(of: worker).map { ", share \(Self.perSecond($0))/s" } ?? ""
        let silence =
            worker.isAlive || worker.state == .left || job?.state == .finished
            ? "heard of \(Int(worker.silentSeconds)) s ago"
            : "not heard of for \(Int(worker.silentSeconds)) s"
        let distance = worker.isFar ? ", requests take \(worker.requestMilliseconds) ms" : ""
        let place = [worker.report, worker.machine].filter { !$0.isEmpty }
            .map(ClusterControl.shown).joined(separator: " on ")
        return
            "  \(ClusterControl.shown(worker.label)): \(word(for: worker)), \(worker.rows) rows\(share), \(silence)\(distance)"
            + (place.isEmpty ? "" : ", \(place)")
    }

    /// The routes, counted from 1, whose providers have asked for time, and the seconds that are left of it.
    func holds(of job: ClusterJob) -> [(route: Int, seconds: Int64)] {
        job.holds.enumerated().compactMap { route, hold in
            hold == .none ? nil : (route + 1, (hold.milliseconds + 999) / 1_000)
        }
    }

    /// The part of the job's rate that a worker may use; `nil` for a job without a rate, and for one that is finished.
    /// - Unit: millionths of a start per second.
    func share(of worker: ClusterControl.WorkerStatus) -> Int64? {
        guard let job, job.terms.rate != nil, job.state != .finished else { return nil }
        return worker.share
    }

    private func word(for worker: ClusterControl.WorkerStatus) -> String {
        switch worker.state {
        // The last worker's last row ends the job for all: there is nothing to take leave of.
        case .active where job?.state == .finished: "done"
        case .active where !worker.isAlive: "lost"
        case .givenUp: "given up"
        case .active, .lost, .left: worker.state.rawValue
        }
    }

    static func perSecond(_ units: Int64) -> String {
        let unit = ShareRule.unitsPerStart
        return units % unit == 0
            ? "\(units / unit)" : "\(Double(units / (unit / 100)) / 100)"
    }
}

/// The same for scripts.
extension ClusterControl.Status {
    /// Starts per second.
    private static func starts(_ units: Int64) -> Double {
        Double(units) / Double(ShareRule.unitsPerStart)
    }

    /// An object for scripts.
    var json: String {
        JSONWriter.document { writer in
            writer.member("job", name)
            writer.member("state", state?.rawValue ?? "new")
            writer.member("paused", isPaused)
            writer.member("rows_counted", job?.cutRows ?? 0)
            writer.member("all_counted", job?.isAllCut ?? false)
            writer.member("rows_finished", finishedRows)
            writer.member("rows_waiting", waitingRows)
            writer.member("rows_granted", grantedRows)
            writer.member("rows_in_doubt", doubtfulRows)
            writer.beginObject("outcomes")
            for outcome in Outcome.allCases {
                writer.member(outcome.name.description, outcomes[outcome])
            }
            writer.endObject()
            writer.member("rows_per_second", rowsPerSecond)
            writer.member("seconds_left", secondsLeft)
            writer.member("rate", job?.terms.rate.map(Self.starts))
            if let verdict = job?.verdict {
                writer.member("verdict", verdict.text)
                writer.member("stopped_by", stop?.worker)
                writer.member("reason", stop?.reason)
            }
            writer.member("write_off_seconds", writesOffSeconds.map { UInt64($0.rounded(.up)) })
            writer.objects("holds", job.map({ holds(of: $0) }) ?? []) { hold, writer in
                writer.member("provider", Int64(hold.route))
                writer.member("seconds", hold.seconds)
            }
            writer.member("workers_alive", UInt64(aliveCount))
            writer.objects("workers", workers) { worker, writer in
                writer.member("name", worker.name)
                writer.member("label", worker.label)
                writer.member("state", state(for: worker))
                writer.member("rows", worker.rows)
                writer.member("rows_in_doubt", worker.doubtfulRows)
                writer.member("share", share(of: worker).map(Self.starts))
                writer.member("silent_seconds", Int64(worker.silentSeconds))
                writer.member("request_milliseconds", worker.requestMilliseconds)
                writer.member("report", worker.report)
                writer.member("machine", worker.machine)
            }
        }
    }

    private func state(for worker: ClusterControl.WorkerStatus) -> String {
        let isLost = worker.state == .active && !worker.isAlive && job?.state != .finished
        return (isLost ? ClusterWorker.State.lost : worker.state).rawValue
    }
}

/// A list of jobs.
enum ClusterJobList {
    /// A line for each job.
    static func table(_ lines: [ClusterControl.JobLine], leftOut: Int) -> String {
        guard !lines.isEmpty else { return "There are no jobs\n" }
        let rest =
            leftOut > 0
            ? [
                "… and \(leftOut) older ones; fanfare cluster remove takes out those that are done with"
            ]
            : []
        return (lines.map(text) + rest).joined(separator: "\n") + "\n"
    }

    private static func text(of job: ClusterControl.JobLine) -> String {
        let age = "begun \(duration(job.ageSeconds)) ago"
        guard let state = job.state else {
            return "\(ClusterControl.shown(job.name)): no worker has joined yet, \(age)"
        }
        let rows = "\(job.rows) rows\(job.isAllCounted ? "" : " so far")"
        let all = "\(job.workers) worker" + (job.workers == 1 ? "" : "s")
        let workers = state == .finished ? all : "\(job.alive) of \(all) alive"
        let heard = job.silentSeconds.map { ", heard of \(duration($0)) ago" } ?? ""
        return
            "\(ClusterControl.shown(job.name)): \(ClusterControl.Status.words(state, isPaused: job.isPaused)), \(rows), "
            + "\(workers), \(age)\(heard)"
    }

    private static func duration(_ seconds: Double) -> String {
        seconds < 60
            ? "\(Int(seconds)) s" : NumberText.duration(milliseconds: Int64(seconds) * 1000)
    }

    /// An object for scripts.
    static func json(_ lines: [ClusterControl.JobLine], leftOut: Int) -> String {
        JSONWriter.document { writer in
            writer.objects("jobs", lines) { job, writer in
                writer.member("job", job.name)
                writer.member("state", job.state?.rawValue ?? "new")
                writer.member("paused", job.isPaused)
                writer.member("rows_counted", job.rows)
                writer.member("all_counted", job.isAllCounted)
                writer.member("workers", job.workers)
                writer.member("workers_alive", job.alive)
                writer.member("age_seconds", Int64(job.ageSeconds))
                writer.member("silent_seconds", job.silentSeconds.map { UInt64($0) })
            }
            writer.member("left_out", UInt64(leftOut))
        }
    }
}
