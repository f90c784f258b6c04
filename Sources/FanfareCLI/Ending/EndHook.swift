import FanfareBase
import FanfareCore
import FanfareSystem

/// A command of the user's that runs when a job is over.
struct EndHook: Sendable {
    let command: String
    /// The time that it may take.
    let timeout: Duration

    /// Runs the command to its end.
    /// - Parameter end: The end of the job, which the command learns of.
    /// - Returns: The failure in a sentence; `nil` if the command has ended well.
    func run(_ end: JobEnd) -> String? {
        do throws(SystemError) {
            let child = try ChildCommand(
                command, input: Array(end.json.utf8), variables: end.variables)
            return wait(for: child)
        } catch {
            return "the command could not be started: \(error.description)"
        }
    }

    private func wait(for child: ChildCommand) -> String? {
        var isLate = false
        var isUnwanted = false
        do throws(SystemError) {
            try EndWork.run(
                "on-end", times: [timeout, timeout + Limits.endGrace],
                { child.waitForEnd() },
                hear: { news in
                    switch news {
                    case .late(let index):
                        isLate = true
                        child.end(atOnce: index > 0)
                    case .signal:
                        child.end(atOnce: isUnwanted)
                        isUnwanted = true
                    }
                })
        } catch {
            // Nothing would watch its deadline.
            child.end(atOnce: true)
            _ = child.reap()
            return "the command was ended, because nothing can watch it: \(error.description)"
        }
        // The command's group keeps its number until it is let go.
        if isLate || isUnwanted { child.end(atOnce: true) }
        return text(child.reap(), isLate: isLate, isUnwanted: isUnwanted)
    }

    private func text(
        _ ending: ChildCommand.Ending, isLate: Bool, isUnwanted: Bool
    ) -> String? {
        if isLate {
            let time = NumberText.duration(milliseconds: timeout.wholeNanoseconds / 1_000_000)
            return
                "the command had not ended after \(time), so it was ended; --on-end-timeout gives "
                + "it longer"
        }
        if isUnwanted { return "the command was ended by a signal to fanfare" }
        return switch ending {
        case .exited(0), .unknown: nil
        case .exited(let code): "the command has ended with exit code \(code)"
        case .killed(let signal): "the command was ended by signal \(signal)"
        }
    }
}

extension Limits {
    /// The time from the request to end until the end by force.
    static let endGrace = Duration.seconds(5)
}
