package import FanfareBase
import FanfareCore
import FanfareSystem

/// The reason why a job cannot start, or cannot go on.
///
/// A rejected row is never an error: it is an outcome.
public struct FanfareError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error; an open set, safe to use as a label of a metric.
    public struct Code: Sendable, Equatable, CustomStringConvertible {
        private enum Name: String {
            case configuration, input, output, provider, stopped, finished, bug
        }

        private let name: Name

        /// Wrong usage or configuration: nothing was sent.
        public static let configuration = Code(name: .configuration)
        /// An input cannot be read.
        public static let input = Code(name: .input)
        /// A report cannot be written.
        public static let output = Code(name: .output)
        /// The provider cannot be reached, or refuses the job as a whole.
        public static let provider = Code(name: .provider)
        /// The job was stopped before it had begun: by the program, or by a bound on its rows.
        public static let stopped = Code(name: .stopped)
        /// The job that several machines share is finished, so nothing is left to send.
        public static let finished = Code(name: .finished)
        /// An internal invariant was broken.
        public static let bug = Code(name: .bug)

        /// The name of the code, without anything dynamic.
        public var description: String { name.rawValue }
    }

    /// The kind of error.
    public var code: Code
    /// The same as `message`, for readers who know settings by other names.
    package var statement: Statement
    /// The report of another job, to whose recipients a new job should not send again.
    package var earlierReport: String?
    /// The problem, its place and its remedy, in one or two sentences.
    ///
    /// It calls settings by their names in Swift, such as ``ReportOptions/overwrites``.
    public var message: String {
        get { statement.description }
        set { statement = Statement(newValue) }
    }

    /// Describes an error.
    ///
    /// A literal inside of the package is a statement: in a text a setting would lose its name.
    public init(_ code: Code, message: String) {
        self.init(code, Statement(message))
    }

    /// The error of a job that cannot be carried on, so that a new one may leave out those whom it has reached.
    func onward(from configuration: Configuration) -> FanfareError {
        // A URL has many rows, and the beginning of a token is no one's.
        guard configuration.report.token != .prefix,
            !configuration.routes.contains(where: \.hasHostsOfRows)
        else { return self }
        var error = self
        error.earlierReport = configuration.report.path
        return error
    }

    /// Describes an error whose message names settings.
    package init(_ code: Code, _ statement: Statement) {
        self.code = code
        self.statement = statement
    }

    /// The message.
    public var description: String { message }
}

/// Turns errors of what a job works with into errors of the job.
/// - Parameters:
///   - form: The error of the job for one of these.
///   - body: The work.
/// - Returns: The value of the work.
/// - Throws: The job's error.
func told<Result: ~Copyable, Failure: Error>(
    _ form: (Failure) -> FanfareError, _ body: () throws(Failure) -> Result
) throws(FanfareError) -> Result {
    do throws(Failure) {
        return try body()
    } catch {
        throw form(error)
    }
}

extension FileError {
    /// The error of a job that cannot write one of its files.
    var outputError: FanfareError { FanfareError(.output, message: sentence) }

    /// The error of a job that cannot read one of its files.
    var inputFileError: FanfareError { FanfareError(.input, message: sentence) }
}

extension PayloadTemplateError {
    /// The error of a job whose template is wrong.
    var jobError: FanfareError { FanfareError(.configuration, message: description) }
}
