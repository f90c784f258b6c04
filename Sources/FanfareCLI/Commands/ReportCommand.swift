import Fanfare
import FanfareCore
import FanfareLoop

/// `fanfare report`: reads reports back.
enum ReportCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let inputs = try inputs(of: arguments)
        do throws(FanfareError) {
            let digest = try ReportDigest.reading(inputs)
            Terminal.print(
                arguments.flag("json") ?? false
                    ? digest.json()
                    : digest.table(usesColor: Terminal.usesColour(onError: false)))
            warn(of: digest)
            return ExitStatus.success.rawValue
        } catch {
            throw .job(error)
        }
    }

    private static func inputs(of arguments: ParsedArguments) throws(CommandError) -> [RowInput] {
        let inputs = arguments.positionals.map { $0 == "-" ? RowInput.standardInput : .file($0) }
        guard inputs.count(where: { $0 == .standardInput }) < 2 else {
            throw .usage(
                UsageError(
                    command: arguments.command.name,
                    "standard input can be read only once; write - only once"))
        }
        return inputs
    }

    /// What the totals do not say by themselves.
    private static func warn(of digest: ReportDigest) {
        for file in digest.files {
            guard let torn = file.torn else { continue }
            Terminal.error(
                "fanfare: \(file.name): \(torn); the job may have ended in the middle of it, and "
                    + "send --resume writes it anew")
        }
        if digest.repeatedLines > 0 {
            Terminal.error(
                "fanfare: \(SummaryTable.grouped(digest.repeatedLines)) lines are for rows that "
                    + "have another one: these are not the reports of one job")
        }
        if digest.missingRows > 0 {
            Terminal.error(
                "fanfare: \(SummaryTable.grouped(digest.missingRows)) rows up to the highest one "
                    + "have no line: the job is not finished, or a report is missing")
        }
    }
}
