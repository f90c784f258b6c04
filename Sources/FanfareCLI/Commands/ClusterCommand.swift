import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSystem

/// `fanfare cluster`: a job that several machines share, seen and steered from anywhere.
enum ClusterCommand {
    enum Action: String, CaseIterable {
        case setUp = "init"
        case status, pause, resume, rate, stop
        case writeOff = "write-off"
    }

    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var words = arguments.positionals
        let word = words.removeFirst()
        let action = try arguments.subcommand(word, as: Action.self)
        if action == .setUp, arguments[Options.Cluster.print], words.isEmpty {
            Terminal.print(ClusterSchema.text)
            return ExitStatus.success.rawValue
        }
        guard !words.isEmpty else {
            throw arguments.fault("\(word) takes a server, such as postgresql://db.example/push")
        }
        guard action == .resume || !arguments[Options.Cluster.newSettings] else {
            throw arguments.fault(
                "--\(Options.Cluster.newSettings.name) is for resume: a job takes new settings when it goes on after a stop"
            )
        }
        let server = try server(words.removeFirst(), arguments)
        var rate: Int64?
        if action == .rate {
            guard words.count == 1 else {
                throw arguments.fault("rate takes one rate, such as 5000/s")
            }
            rate = try Self.rate(words.removeFirst(), arguments)
        }
        var worker: String?
        if action == .writeOff {
            guard words.count == 1 else {
                throw arguments.fault(
                    "write-off takes one worker, as fanfare cluster status names it")
            }
            worker = words.removeFirst()
        }
        guard words.isEmpty else {
            throw arguments.fault("\(words[0].quotedForMessage) is one word too many")
        }
        do throws(FanfareError) {
            try perform(action, rate, worker, ClusterControl(server), arguments)
        } catch {
            throw .job(error)
        }
        return ExitStatus.success.rawValue
    }

    private static func server(
        _ text: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> String {
        do throws(ValueFault) {
            return try ValueReader.clusterServer(text)
        } catch {
            throw arguments.fault("\(error.shown(text)) \(error.problem)")
        }
    }

    private static func rate(
        _ text: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> Int64 {
        do throws(ValueFault) {
            let rate = try ValueReader.rate(text)
            let perSecond = Double(rate.count) * 1e9 / Double(max(rate.nanoseconds, 1))
            return Int64(
                min(
                    perSecond * Double(ShareRule.unitsPerStart),
                    Double(Limits.paceCountMax) * Double(ShareRule.unitsPerStart)))
        } catch {
            let example = error.example.map { "; write for example rate SERVER \($0)" } ?? ""
            throw arguments.fault("\(error.shown(text)) \(error.problem)\(example)")
        }
    }

    private static func perform(
        _ action: Action, _ rate: Int64?, _ worker: String?, _ control: ClusterControl,
        _ arguments: ParsedArguments
    ) throws(FanfareError) {
        switch action {
        case .setUp:
            if arguments[Options.Cluster.print] {
                Terminal.print(ClusterSchema.text)
            } else {
                try control.makeTables()
                Terminal.print(
                    "The tables are there; grant fanfare_worker to the role of the workers\n")
            }
        case .status:
            guard let name = arguments[Options.Cluster.job] else {
                let jobs = try control.jobs()
                Terminal.print(
                    jobs.isEmpty ? "There are no jobs\n" : jobs.joined(separator: "\n") + "\n")
                return
            }
            let status = try control.status(of: name)
            Terminal.print(
                arguments[Options.Cluster.json] ? status.json + "\n" : status.table)
        case .pause: try order([.pause(true)], control, arguments)
        case .resume:
            let isRenewed = arguments[Options.Cluster.newSettings]
            try order(
                (isRenewed ? [.renewPolicy] : []) + [.pause(false), .goOn], control, arguments)
        case .stop: try order([.stop(.ordered)], control, arguments)
        case .rate: if let rate { try order([.setRate(rate)], control, arguments) }
        case .writeOff:
            guard let worker else { return }
            guard let name = arguments[Options.Cluster.job] else { throw noJob }
            try control.giveUp(worker, of: name)
            Terminal.print(
                "The others write the lines of \(worker): unknown, worker lost. Its own lines still count if it comes "
                    + "back\n")
        }
    }

    private static let noJob = FanfareError(.configuration, "which job? --job NAME says so")

    private static func order(
        _ decisions: [ClusterDecision], _ control: ClusterControl, _ arguments: ParsedArguments
    ) throws(FanfareError) {
        guard let name = arguments[Options.Cluster.job] else {
            throw noJob
        }
        let job = try control.order(decisions, to: name)
        Terminal.print(text(of: job, named: name, after: decisions) + "\n")
    }

    /// The job after an order, in a sentence.
    static func text(
        of job: ClusterJob, named name: String, after decisions: [ClusterDecision]
    ) -> String {
        let isNewRate = decisions.contains { if case .setRate = $0 { true } else { false } }
        let rate = isNewRate ? job.terms.rate : nil
        return "\(name) is \(job.isPaused ? "paused" : job.state.rawValue)"
            + (rate.map { ", its rate \(ClusterControl.Status.perSecond($0))/s" } ?? "")
    }
}

extension ClusterControl.Status {
    /// A few lines for people.
    var table: String {
        guard let job else { return "\(name): no worker has joined yet\n" }
        let rows = workers.reduce(0) { $0 + $1.rows }
        var lines = [
            "\(name): \(job.isPaused ? "paused" : job.state.rawValue), \(rows) rows have an outcome"
                + (job.isAllCut ? " of \(job.cutRows)" : "; \(job.cutRows) were counted so far"),
            "waiting \(waitingRows), granted \(grantedRows), in doubt \(doubtfulRows)",
        ]
        for hold in holds(of: job) {
            lines.append("provider \(hold.route) wants nothing for \(hold.seconds) s")
        }
        if let rate = job.terms.rate { lines.append("rate \(Self.perSecond(rate))/s") }
        for worker in workers {
            let share = share(of: worker).map { ", share \(Self.perSecond($0))/s" } ?? ""
            lines.append(
                "  \(ClusterControl.shown(worker.name)): \(word(for: worker)), \(worker.rows) rows\(share), heard of "
                    + "\(Int(worker.silentSeconds)) s ago")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The routes, counted from 1, whose providers have asked for time, and the seconds that are left of it.
    private func holds(of job: ClusterJob) -> [(route: Int, seconds: Int64)] {
        job.holds.enumerated().compactMap { route, hold in
            hold == .none ? nil : (route + 1, (hold.milliseconds + 999) / 1_000)
        }
    }

    /// The part of the job's rate that a worker may use; `nil` for a job without a rate, and for one that is finished.
    /// - Unit: millionths of a start per second.
    private func share(of worker: ClusterControl.WorkerStatus) -> Int64? {
        guard let job, job.terms.rate != nil, job.state != .finished else { return nil }
        return worker.share
    }

    private func word(for worker: ClusterControl.WorkerStatus) -> String {
        switch worker.state {
        // The last worker's last row ends the job for all: there is nothing to take leave of.
        case .active where job?.state == .finished: "done"
        case .givenUp: "given up"
        case .active, .lost, .left: worker.state.rawValue
        }
    }

    fileprivate static func perSecond(_ units: Int64) -> String {
        let unit = ShareRule.unitsPerStart
        return units % unit == 0
            ? "\(units / unit)" : "\(Double(units / (unit / 100)) / 100)"
    }

    /// Starts per second, for scripts.
    private static func starts(_ units: Int64) -> Double {
        Double(units) / Double(ShareRule.unitsPerStart)
    }

    /// An object for scripts.
    var json: String {
        JSONWriter.document { writer in
            writer.member("job", name)
            writer.member("state", job?.state.rawValue ?? "new")
            writer.member("paused", job?.isPaused ?? false)
            writer.member("rows_counted", job?.cutRows ?? 0)
            writer.member("all_counted", job?.isAllCut ?? false)
            writer.member("rows_finished", workers.reduce(0) { $0 + $1.rows })
            writer.member("rows_waiting", waitingRows)
            writer.member("rows_granted", grantedRows)
            writer.member("rows_in_doubt", doubtfulRows)
            writer.member("rate", job?.terms.rate.map(Self.starts))
            if let verdict = job?.verdict { writer.member("verdict", verdict.text) }
            writer.objects("holds", job.map({ holds(of: $0) }) ?? []) { hold, writer in
                writer.member("provider", Int64(hold.route))
                writer.member("seconds", hold.seconds)
            }
            writer.objects("workers", workers) { worker, writer in
                writer.member("name", worker.name)
                writer.member("state", worker.state.rawValue)
                writer.member("rows", worker.rows)
                writer.member("share", share(of: worker).map(Self.starts))
                writer.member("silent_seconds", Int64(worker.silentSeconds))
            }
        }
    }
}

extension Configuration {
    /// Reads the options of a job that several machines share.
    mutating func readCluster(_ arguments: ParsedArguments) {
        guard let server = arguments[ifOffered: Options.cluster],
            let job = arguments[ifOffered: Options.clusterJob]
        else { return }
        cluster = ClusterOptions(
            address: server, job: job,
            worker: arguments[ifOffered: Options.workerName] ?? Machine.hostName)
    }
}
