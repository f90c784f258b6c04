import Fanfare

/// The command line: parse, dispatch to one function per command, end with its exit code.
@main
struct FanfareCommand {
    static let version = "0.1.0"

    static func main() {
        Terminal.occupyStandardStreams()
        Terminal.exit(run(Array(CommandLine.arguments.dropFirst())))
    }

    /// Runs one command line.
    /// - Returns: The process's exit code.
    static func run(_ words: [String]) -> Int32 {
        do throws(UsageError) {
            switch try ArgumentParser().parse(words) {
            case .help(let command):
                let colour = Terminal.usesColour(onError: false)
                Terminal.print(
                    command.map { HelpText.command($0, colour: colour) }
                        ?? HelpText.tool(colour: colour))
                return 0
            case .version:
                Terminal.print("fanfare \(version)\n")
                return 0
            case .run(let arguments):
                return try run(arguments)
            }
        } catch {
            Terminal.error(error.description)
            return ExitCode.usage
        }
    }

    private static func run(_ arguments: ParsedArguments) throws(UsageError) -> Int32 {
        do throws(CommandError) {
            switch arguments.command.name {
            case "send": return try SendCommand.run(arguments)
            case "check": return try CheckCommand.run(arguments)
            case "push": return try PushCommand.run(arguments)
            case "simulate": return try SimulateCommand.run(arguments)
            case "generate": return try GenerateCommand.run(arguments)
            default: preconditionFailure("BUG: command \(arguments.command.name) is not wired")
            }
        } catch {
            switch error {
            case .usage(let error): throw error
            case .job(let error):
                Terminal.error("fanfare \(arguments.command.name): \(error.message)")
                return ExitCode.of(error.code)
            }
        }
    }
}

/// What can end a command before it has done its work.
enum CommandError: Error {
    case usage(UsageError)
    case job(FanfareError)
}

/// Exit codes for what ends before a job has a result of its own.
enum ExitCode {
    static let usage: Int32 = 2

    /// The code for an error of the library.
    static func of(_ code: FanfareError.Code) -> Int32 {
        switch code {
        case .configuration: usage
        case .provider: 3
        case .input, .output: 4
        default: 70
        }
    }
}
