import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// `fanfare check`: everything that `send` does up to the network.
enum CheckCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        var configuration = try Configuration(rowsOf: arguments)
        try configuration.readPace(arguments)
        configuration.naming = .commandLine
        let samples = try configuration.readCheckSample(arguments)
        if arguments[Options.report] == nil { configuration.report.path = Rehearsal.noReport }
        guard !arguments[Options.online] else { return try runOnline(configuration, arguments) }
        let isStrict = arguments[Options.strict]
        configuration.readFCM(arguments)
        try configuration.readCredentials(arguments)
        var made: [String] = []
        do throws(FanfareError) {
            try configuration.checkCredentials()
            let output = ResultOutput(arguments)
            made = try output.prepare(configuration)
            configuration.report.keepsSeries = output.html != nil
            let rehearsal = try Rehearsal(
                configuration, strict: isStrict, samples: samples,
                previews: output.html == nil ? 0 : Limits.previewsMax)
            let warnings = rehearsal.warnings
            output.show(
                notices: rehearsal.notices,
                warnings: SecretFiles.warnings(arguments, configuration) + warnings)
            let work = JobRunner.Work(
                run: { () throws(FanfareError) in try rehearsal.run() },
                stop: { rehearsal.stop($0) },
                progress: { rehearsal.progress })
            let result = try JobRunner.run(
                work, display: output.display(besideReport: configuration.report.path))
            for line in result.windows { Terminal.error(line) }
            if let plan = PlanText.plan(result, now: WallClock.milliseconds / 1000) {
                Terminal.error(plan)
            }
            let hasRate =
                configuration.engine.rate != nil || configuration.routes.contains { $0.rate != nil }
            if configuration.engine.untilMilliseconds != nil, !hasRate {
                Terminal.error("how many rows fit before --until is shown with --rate")
            }
            output.show(notices: [], warnings: result.rowWarnings)
            let code = try output.show(result)
            return code == 0 && isStrict && !(warnings + result.rowWarnings).isEmpty
                ? ExitStatus.incomplete.rawValue : code
        } catch {
            ResultOutput.removeEmpty(made)
            throw .job(error)
        }
    }
}
