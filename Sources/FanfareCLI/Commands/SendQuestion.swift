import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// The question before a large job to real devices.
enum SendQuestion {
    /// Asks, if there is a person at a terminal and a reason to.
    /// - Parameters:
    ///   - configuration: The job, of which nothing is open yet.
    ///   - arguments: The arguments of the command.
    /// - Returns: True to send.
    static func isAgreed(_ configuration: Configuration, _ arguments: ParsedArguments) -> Bool {
        // An answer on the terminal that the rows come from would be one of them.
        guard !arguments[Options.yes], Terminal.canAsk,
            !configuration.inputs.contains(.standardInput),
            !arguments[Options.provider].isSimulated,
            configuration.routes.contains(where: isProduction)
        else { return true }
        // The job reports an input that cannot be read, and does not begin.
        guard let plan = try? plan(configuration), plan.isLarge else { return true }
        let answer = SeedQuestion.answer(plan.question, isStopping: { false })
        return answer.lowercased() == "yes"
    }

    /// The question whether to send although many rows are invalid; nil if no person is to be asked.
    static func aboutInvalidRows(
        _ configuration: Configuration, _ arguments: ParsedArguments
    ) -> (@Sendable (Statement) -> Bool)? {
        guard !arguments[Options.yes], Terminal.canAsk,
            !configuration.inputs.contains(.standardInput)
        else { return nil }
        return { found in
            Terminal.error("fanfare: \(found.text(.commandLine))")
            let answer = SeedQuestion.answer(
                "Type yes to send to the others: ", isStopping: { false })
            return answer.lowercased() == "yes"
        }
    }

    /// True if a route leads to devices of users.
    static func isProduction(_ route: ProviderOptions) -> Bool {
        let (host, port) = (route.endpoint.host, route.endpoint.port)
        return !HostPort(host: host, port: port).isLoopback
            && host != Endpoint.apns(.sandbox, port: port).host
    }

    private static func plan(_ configuration: Configuration) throws(FileError) -> SendPlan {
        var plan = SendPlan()
        plan.rows = try rows(configuration)
        let report = configuration.report.path
        plan.resumes = configuration.report.resumes && FileDescriptor.exists(report + ".checkpoint")
        if plan.resumes {
            let log = ReportOptions.isDatabase(report) ? report + ".csv" : report
            plan.done =
                configuration.report.splitBytes == nil
                ? try RowEstimate.rows(of: log, hasHeader: true) : nil
        }
        plan.choice = configuration.rows.choice
        plan.columns = Terminal.columns
        plan.routes = configuration.routes.map(text)
        let first = rehearsed(configuration)
        plan.sample = first?.summary.rehearsal?.figures.samples.first?.payload
        plan.rate = configuration.engine.rate
        // Of all rows those at the head of the file are what is known.
        let shares = first?.routeShares ?? []
        plan.paces = configuration.routes.indices.compactMap { index in
            let route = configuration.routes[index]
            let isAlone = configuration.routes.count == 1
            let share = shares.indices.contains(index) ? shares[index] : isAlone ? 1 : nil
            let name = route.provider.rawValue
            if let rate = route.rate { return SendPlan.Pace(route: name, rate: rate, share: share) }
            return configuration.filePace(of: route).map { pace in
                SendPlan.Pace(
                    route: name, rate: pace.rate, share: share, words: pace.words)
            }
        }
        plan.hours = configuration.window.map(text)
        return plan
    }

    /// The rows of all inputs; nil if one of them has no known number.
    private static func rows(_ configuration: Configuration) throws(FileError) -> UInt64? {
        var sum: UInt64 = 0
        var isKnown = true
        for input in configuration.inputs {
            guard case .file(let path) = input,
                let rows = try RowEstimate.rows(of: path, hasHeader: configuration.rows.hasHeader)
            else {
                isKnown = false
                continue
            }
            sum += rows
        }
        return isKnown ? sum : nil
    }

    private static func text(of route: ProviderOptions) -> String {
        let isApple = route.endpoint.host == Endpoint.apns(.production, port: 443).host
        let place =
            route.hasHostsOfRows
            ? "the hosts of the rows" : isApple ? "production" : route.endpoint.host
        let name = "\(route.provider.rawValue), \(place)"
        switch route.provider {
        case .apns: return "\(name): \(route.topic ?? "each row's topic")"
        case .fcm: return route.project.map { "\(name): \($0)" } ?? name
        case .declared: return name
        }
    }

    private static func text(of window: HoursOptions) -> String {
        func clock(_ minute: Int) -> String {
            "\(NumberText.twoDigits(minute / 60)):\(NumberText.twoDigits(minute % 60))"
        }
        let zones = [
            window.timezoneColumn.map { "the zone in column \($0)" }, window.timezone,
        ].compactMap(\.self).joined(separator: ", else ")
        return "\(clock(window.opensMinute))-\(clock(window.closesMinute)) in \(zones)"
    }

    /// A look at the first rows, with the payload of the first one as the job makes it.
    private static func rehearsed(_ configuration: Configuration) -> JobResult? {
        // The seed list, if there is one, comes first and has the same columns as the rows.
        guard case .file(let path)? = configuration.inputs.last,
            let head = try? RowEstimate.head(of: path),
            let end = head.lastIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        var rehearsed = configuration
        rehearsed.inputs = [.memory(Array(head[...end]), name: path)]
        rehearsed.seeds = nil
        rehearsed.rows.deduplication = nil
        rehearsed.rows.suppressions = []
        // The first of those that are chosen may be far behind.
        rehearsed.rows.choice = RowChoice()
        rehearsed.window = nil
        rehearsed.log = nil
        rehearsed.engine.lanes = 1
        rehearsed.report = ReportOptions()
        rehearsed.report.path = Rehearsal.noReport
        return try? Rehearsal(rehearsed, samples: 1).run()
    }
}
