import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

extension ControlSocket {
    /// The value of the option that asks for no socket.
    static let none = "none"

    /// Makes the socket that a command line names; the result is `nil` if it names none.
    static func wished(
        _ arguments: ParsedArguments
    ) throws(FanfareError) -> (made: ControlSocket, path: String)? {
        guard let path = arguments[ifOffered: Options.control], path != none else { return nil }
        return (try ControlSocket(path), path)
    }
}

extension Configuration {
    /// Lets a job that has a socket get another rate, unless that would change its pace at once.
    ///
    /// It is to be called when the providers are known.
    mutating func readSteering(_ arguments: ParsedArguments) {
        guard JobRegistration.isWanted(arguments),
            routes.allSatisfy({ $0.declared?.pacesRequests != true })
        else { return }
        engine.rateMayChange = true
    }
}

extension JobRegistration {
    /// True if the command line's job gets an entry.
    static func isWanted(_ arguments: ParsedArguments) -> Bool {
        arguments.offers(Options.control)
            && arguments[ifOffered: Options.control] != ControlSocket.none
    }

    /// Returns the warning that a job of this command line can be found by no command, if that is so.
    static func warnings(_ arguments: ParsedArguments) -> [String] {
        guard isWanted(arguments), arguments[ifOffered: Options.control] == nil else { return [] }
        return JobFolder.warning(JobFolder.make()).map { [$0] } ?? []
    }

    /// Enters a job, unless its command line asks for no socket, or the command has none.
    /// - Parameters:
    ///   - job: The job.
    ///   - arguments: The command line.
    ///   - socket: The socket that it names.
    convenience init?(
        _ job: Job, _ arguments: ParsedArguments, socket: (made: ControlSocket, path: String)?
    ) {
        guard Self.isWanted(arguments) else { return nil }
        var record = JobRecord(
            id: job.name, name: job.givenName, processID: ProcessNumber.own,
            started: WallClock.milliseconds, folder: FileDescriptor.place(of: "."))
        if let report = job.resumableReport {
            record.report = FileDescriptor.place(of: report)
            record.resumeCommand = ShellCommand.resuming(CommandLine.arguments, arguments)
            if let shared = job.shared, let path = record.report {
                record.shared = JobRecord.SharedName(job: shared.job, worker: shared.worker)
                record.id = JobRecord.id(ofWorkerOn: job.name, report: path)
            }
        }
        self.init(record, socket: socket, in: try? JobFolder.make().get(), reach: { job.reach })
    }
}
