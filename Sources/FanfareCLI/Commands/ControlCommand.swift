import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// `fanfare control`: asks a running job for something.
enum ControlCommand {
    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let (job, words) = split(arguments.positionals)
        let watches = words.first == "watch"
        if watches, words.count > 1 {
            throw arguments.fault("\(words[1].quotedForMessage) is too much behind watch")
        }
        let request = try request(watches ? ["status"] : words, arguments)
        do throws(FanfareError) {
            let path = try JobAddress.socket(of: job) { JobList.find() }
            let answer = try ask(request, at: path)
            if watches {
                try ControlWatch.run(at: path, request, first: answer)
            } else {
                Terminal.print(answer + "\n")
            }
        } catch {
            throw .job(error)
        }
        return 0
    }

    /// Takes the job apart from the request.
    ///
    /// The two requests that change nothing find the one job that runs.
    private static func split(_ words: [String]) -> (job: String?, request: [String]) {
        let isAlone = words.count == 1 && ["status", "watch"].contains(words[0])
        return isAlone && !FileDescriptor.exists(words[0])
            ? (nil, words) : (words[0], Array(words.dropFirst()))
    }

    private static func request(
        _ words: [String], _ arguments: ParsedArguments
    ) throws(CommandError) -> ControlRequest {
        var words = words
        if arguments[Options.Control.json] {
            guard words == ["status"] else {
                throw arguments.fault("--json goes with status and watch only")
            }
            words.append("json")
        }
        do throws(ControlRequest.Fault) {
            return try ControlRequest(words: words, besides: ["watch"])
        } catch {
            throw arguments.fault(error.problem)
        }
    }

    private static func ask(
        _ request: ControlRequest, at path: String
    ) throws(FanfareError) -> String {
        let line: String
        do throws(FileError) {
            line = try ControlLine.exchange(request, at: path)
        } catch {
            switch error.kind {
            case .notFound:
                throw FanfareError(
                    .input, "there is no socket \(path); does a job run with --control \(path)?")
            case .connectionRefused where LocalSocket.identity(of: path) == nil:
                throw FanfareError(.input, "\(path) is no socket")
            case .connectionRefused:
                throw FanfareError(.input, "no job listens at \(path) any more")
            default:
                throw FanfareError(.input, "the job at \(path) cannot be asked: \(error.reason)")
            }
        }
        guard let answer = ControlAnswer(line: line) else {
            throw FanfareError(
                .input,
                line.isEmpty
                    ? "the job at \(path) has not answered in time, or has just ended"
                    : "what listens at \(path) is no job of fanfare")
        }
        guard !answer.isError else { throw FanfareError(.configuration, message: answer.text) }
        return answer.text
    }
}
