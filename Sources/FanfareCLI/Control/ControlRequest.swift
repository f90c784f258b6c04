package import Fanfare
import FanfareBase
import FanfareCore

/// A request to a running job.
package enum ControlRequest: Equatable, Sendable {
    /// Another rate, of the whole job or of one provider; `nil` for as many attempts as possible.
    case rate(SendingRate?, of: Provider? = nil)
    case pause
    case resume
    case status(asJSON: Bool)
    case stop

    /// The reason why a line is no request.
    package struct Fault: Error, Equatable {
        package let problem: String
    }

    private static let words = ["rate", "pause", "resume", "status", "stop"]

    /// Reads the words of a line: `rate 2000/s`, `status json`.
    /// - Parameters:
    ///   - words: The words.
    ///   - others: Requests that the caller knows besides, for messages.
    /// - Throws: `Fault`.
    package init(words: [String], besides others: [String] = []) throws(Fault) {
        let known = Self.words + others
        guard let first = words.first else {
            throw Fault(problem: "a request is missing: \(known.joined(last: " or "))")
        }
        let rest = words.dropFirst()
        switch first {
        case "rate":
            guard let value = rest.first else {
                throw Fault(problem: "rate needs a value; write rate 2000/s or rate unlimited")
            }
            guard rest.count == 1 else { throw Self.tooMuch(rest.dropFirst(), behind: "a rate") }
            let (provider, _, text) = RouteLead.split(value, takesAnyName: true)
            self = .rate(try Self.rate(text), of: provider)
            return
        case "status":
            let isJSON = rest.first == "json"
            guard rest.count == (isJSON ? 1 : 0) else { throw Self.tooMuch(rest, behind: first) }
            self = .status(asJSON: isJSON)
            return
        case "pause": self = .pause
        case "resume": self = .resume
        case "stop": self = .stop
        default:
            throw Fault(
                problem: "unknown request \(first.quotedForMessage); "
                    + (Suggestion.question(first, among: known)
                        ?? "there are \(known.joined(last: " and "))"))
        }
        guard rest.isEmpty else { throw Self.tooMuch(rest, behind: first) }
    }

    /// Reads a line without its end.
    package init(line: String) throws(Fault) {
        try self.init(words: line.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map(String.init))
    }

    /// The line that asks for it, without its end.
    package var line: String {
        switch self {
        case .rate(let rate, let provider):
            "rate \(provider.map { "\($0.rawValue)=" } ?? "")\(rate?.description ?? "unlimited")"
        case .pause: "pause"
        case .resume: "resume"
        case .status(let asJSON): asJSON ? "status json" : "status"
        case .stop: "stop"
        }
    }

    private static func rate(_ text: String) throws(Fault) -> SendingRate? {
        if text == "unlimited" { return nil }
        do throws(ValueFault) {
            let setting = try ValueReader.rate(text)
            guard setting.count <= Limits.paceCountMax,
                setting.nanoseconds <= Limits.pacePeriodMax.wholeNanoseconds
            else {
                throw ValueFault("is more than \(Limits.paceCountMax), or in more than a day")
            }
            return SendingRate(Int(setting.count), per: .nanoseconds(setting.nanoseconds))
        } catch {
            let example = error.example ?? "2000/s"
            throw Fault(
                problem: "rate: \(text.quotedForMessage) \(error.problem); "
                    + "write for example rate \(example), or rate unlimited")
        }
    }

    private static func tooMuch(_ words: ArraySlice<String>, behind what: String) -> Fault {
        Fault(problem: "\((words.first ?? "").quotedForMessage) is too much behind \(what)")
    }
}

/// A job's answer to a request: one line, which begins with `ok` or `error`.
package struct ControlAnswer: Equatable, Sendable {
    package let isError: Bool
    package let text: String

    package init(_ text: String, isError: Bool = false) {
        self.isError = isError
        self.text = text
    }

    /// Reads a line without its end; `nil` if it is no answer.
    package init?(line: String) {
        for (word, isError) in [("ok ", false), ("error ", true)] where line.hasPrefix(word) {
            self.init(String(line.dropFirst(word.count)), isError: isError)
            return
        }
        return nil
    }

    /// The line, without its end.
    package var line: String { (isError ? "error " : "ok ") + text }
}
