package import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// The command line: parse, dispatch to one function per command, end with its exit code.
@main
struct FanfareCommand {
    static let version = "0.1.0"
    /// The date of this version's manual page, in the form of mdoc.
    static let versionDate = "November 21, 2026"

    static func main() {
        Terminal.occupyStandardStreams()
        // Keys and tokens are in this process's memory, and not to be found in a file or a log after
        // a crash.
        let mayShowMemory = Terminal.environment("FANFARE_CORE_DUMPS") == "1"
        CoreDumps.areAllowed = mayShowMemory
        if !mayShowMemory { ProcessFaults.forbidBacktraces() }
        ProcessFaults.prepare()
        DatabaseMemory.boundProcess()
        Terminal.exit(run())
    }

    /// Runs the command line.
    /// - Returns: The process's exit code.
    private static func run() -> Int32 {
        do throws(UsageError) {
            let words = try ArgumentWords.ofProcess()
            switch try ArgumentParser(surroundings: .process).parse(words) {
            case .brief(let command):
                return printHelp(command, isBrief: true)
            case .help(let command):
                return printHelp(command, isBrief: false)
            case .version:
                Terminal.print("fanfare \(version)\n")
                return 0
            case .printConfiguration(let arguments):
                Terminal.print(arguments.configurationJSON(folder: Terminal.workingFolder))
                return 0
            case .run(let arguments):
                return try run(arguments)
            }
        } catch {
            Terminal.error(error.description)
            return ExitStatus.usage.rawValue
        }
    }

    /// Prints the help of one command, or of the tool, in the width of the terminal.
    /// - Parameters:
    ///   - command: The command; nil for the tool.
    ///   - isBrief: True to print only a line for each everyday option.
    /// - Returns: The process's exit code.
    static func printHelp(_ command: CommandSpec?, isBrief: Bool) -> Int32 {
        let color = Terminal.usesColor(onError: false)
        let width = HelpText.width(ofTerminal: Terminal.outputColumns)
        let text =
            switch command {
            case nil: HelpText.tool(color: color, width: width)
            case let command? where isBrief: HelpText.brief(command, color: color, width: width)
            case let command?: HelpText.command(command, color: color, width: width)
            }
        Terminal.print(text)
        return 0
    }

    private static func run(_ arguments: ParsedArguments) throws(UsageError) -> Int32 {
        try HandedOverPaths.check(arguments)
        try OutputProtection.check(arguments)
        // Programs read the lines of JSON, and nothing between them.
        if arguments.text(Options.progress) != ProgressChoice.json.rawValue,
            !arguments.unknownVariables.isEmpty
        {
            let names = arguments.unknownVariables.map(\.shownInMessage).joined(last: " and ")
            Terminal.error("fanfare: warning: in the environment no option is set by \(names)")
        }
        do throws(CommandError) {
            return try arguments.command.run(arguments)
        } catch {
            switch error {
            case .usage(let error): throw error
            case .job(let error):
                let text = error.statement.text(.commandLine)
                Terminal.error("fanfare \(arguments.command.name): \(text)")
                if let report = error.earlierReport {
                    let program = CommandLine.arguments[0]
                    let commands = ShellCommand.beginningAnew(program, arguments, besides: report)
                    if !commands.isEmpty {
                        Terminal.error("All but the rows for tokens that were reached:")
                        // The second one is not to run with an older list.
                        Terminal.error("  " + commands.joined(separator: " &&\n    "))
                    }
                }
                return ExitStatus(error.code).rawValue
            }
        }
    }
}

extension Surroundings {
    /// The variables and files of this process.
    static let process = Surroundings(
        names: { ProcessEnvironment.names },
        variable: Terminal.environment,
        contents: { (path) throws(Unreadable) in
            do throws(FileError) {
                return try SmallFile.read(
                    path == "-" ? "./-" : path, bytesMax: Limits.configurationBytesMax)
            } catch {
                throw Unreadable(error.reason)
            }
        })
}

/// The errors that can end a command before it has done its work.
package enum CommandError: Error {
    case usage(UsageError)
    case job(FanfareError)
}

extension ExitStatus {
    /// Creates an error that ends a command before it has a result of its own.
    init(_ code: FanfareError.Code) {
        self =
            switch code {
            case .configuration: .usage
            case .provider, .stopped: .refused
            case .input, .output: .inputOutput
            case .finished: .success
            default: .bug
            }
    }
}

extension Limits {
    /// The largest file of options that is read.
    ///
    /// A hundred options with a payload of 5 KiB among them are some 20 KiB for each profile; more
    /// than this is another kind of file.
    static let configurationBytesMax = 1024 * 1024
}
