import Fanfare
import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSystem

/// `fanfare cluster`: a job that several machines share, seen and steered from anywhere.
enum ClusterCommand {
    enum Action: String, CaseIterable {
        case setUp = "init"
        case list, status, pause, resume, rate, stop
        case writeOff = "write-off"
        case remove

        /// The options that it takes.
        var options: [any AnyOption] {
            switch self {
            case .setUp: [Options.Cluster.print]
            case .list: [Options.Cluster.json]
            case .status: [Options.Cluster.job, Options.Cluster.json]
            case .pause, .rate, .stop, .writeOff: [Options.Cluster.job]
            case .resume: [Options.Cluster.job, Options.Cluster.newSettings]
            case .remove:
                [Options.Cluster.job, Options.Cluster.unfinished, Options.Cluster.freeName]
            }
        }

        func takes(_ option: OptionSpec) -> Bool {
            options.contains { $0.spec.name == option.name }
        }
    }

    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var words = arguments.positionals
        let word = words.removeFirst()
        let action = try arguments.subcommand(word, as: Action.self)
        try checkOptions(of: action, arguments)
        if action == .setUp, arguments[Options.Cluster.print], words.isEmpty {
            Terminal.print(ClusterSchema.text)
            return ExitStatus.success.rawValue
        }
        guard !words.isEmpty else {
            throw arguments.fault("\(word) takes a server, such as postgresql://db.example/push")
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

    /// Refuses options that would be without effect: their writer believes that they have one.
    private static func checkOptions(
        of action: Action, _ arguments: ParsedArguments
    ) throws(CommandError) {
        for option in arguments.command.options
        where arguments.setting(option) != nil && !action.takes(option) {
            let others = Action.allCases.filter { $0.takes(option) }.map(\.rawValue)
            throw arguments.fault(
                "\(action.rawValue) takes no --\(option.name), which is for \(others.joined(last: " and "))"
            )
        }
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
        case .list: try list(control, arguments)
        case .status:
            guard let name = arguments[Options.Cluster.job] else {
                return try list(control, arguments)
            }
            let status = try control.status(of: name)
            Terminal.print(
                arguments[Options.Cluster.json] ? status.json + "\n" : status.table)
        case .pause: try order([.pause(true)], control, arguments)
        case .resume:
            let isRenewed = arguments[Options.Cluster.newSettings]
            // A restored job stays paused until all workers have said what they have.
            try order(
                isRenewed ? [.renewPolicy, .goOn] : [.pause(false), .goOn], control, arguments)
        case .stop: try order([.stop(.ordered)], control, arguments)
        case .rate: if let rate { try order([.setRate(rate)], control, arguments) }
        case .writeOff:
            guard let worker else { return }
            guard let name = arguments[Options.Cluster.job] else { throw noJob }
            try control.giveUp(worker, of: name)
            Terminal.print(
                "The others write the lines of \(worker): unknown, worker lost. Its own lines still count if it comes "
                    + "back\n")
        case .remove: try remove(control, arguments)
        }
    }

    private static func list(
        _ control: ClusterControl, _ arguments: ParsedArguments
    ) throws(FanfareError) {
        let (jobs, leftOut) = try control.jobs()
        Terminal.print(
            arguments[Options.Cluster.json]
                ? ClusterJobList.json(jobs, leftOut: leftOut) + "\n"
                : ClusterJobList.table(jobs, leftOut: leftOut))
    }

    private static func remove(
        _ control: ClusterControl, _ arguments: ParsedArguments
    ) throws(FanfareError) {
        guard let name = arguments[Options.Cluster.job] else { throw noJob }
        let removed = try control.remove(
            name, isUnfinishedToo: arguments[Options.Cluster.unfinished],
            freesName: arguments[Options.Cluster.freeName])
        let reports =
            removed.reports.isEmpty
            ? ""
            : "; these reports stay where they are:\n  " + removed.reports.joined(separator: "\n  ")
        let fate = removed.isNameFree ? "is free" : "stays taken"
        Terminal.print(
            "The server knows nothing more of \(name) and its \(removed.rows) rows, and the name \(fate)\(reports)\n"
        )
    }

    private static let noJob = FanfareError(.configuration, "which job? --job NAME says so")

    private static func order(
        _ decisions: [ClusterDecision], _ control: ClusterControl, _ arguments: ParsedArguments
    ) throws(FanfareError) {
        guard let name = arguments[Options.Cluster.job] else {
            throw noJob
        }
        try control.order(decisions, to: name)
        let status = try control.status(of: name)
        Terminal.print(text(of: status, after: decisions) + "\n")
    }

    /// The job after an order, in a sentence with the words of `status`.
    static func text(
        of status: ClusterControl.Status, after decisions: [ClusterDecision]
    ) -> String {
        guard let job = status.job, let state = status.state else {
            return "no worker has joined the job \(status.name) yet"
        }
        guard state != .finished else {
            return "\(status.name) is finished: \(nothing(for: decisions))"
        }
        let isNewRate = decisions.contains { if case .setRate = $0 { true } else { false } }
        let rate = isNewRate ? job.terms.rate : nil
        return
            "\(status.name) is \(ClusterControl.Status.words(state, isPaused: status.isPaused))"
            + (rate.map { ", its rate \(ClusterControl.Status.perSecond($0))/s" } ?? "")
    }

    /// A clause about an order to a finished job.
    private static func nothing(for decisions: [ClusterDecision]) -> String {
        switch decisions.last {
        case .pause: "there is nothing to pause"
        case .goOn: "there is nothing to resume"
        case .stop: "there is nothing to stop"
        case .setRate: "there is nothing to send at another rate"
        case .giveUp, .renewPolicy, .prove, .cut, .proved, .inputDiffers, nil:
            "there is nothing to do"
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
