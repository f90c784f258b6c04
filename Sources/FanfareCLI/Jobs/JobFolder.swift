import FanfareBase
package import FanfareSystem

/// The folders in which the commands of one user find the user's jobs.
///
/// They are on this machine and empty after it has started anew.
package struct JobFolder: Equatable, Sendable {
    package let path: String

    package init(path: String) {
        self.path = path
    }

    /// The folders in which jobs may be, that for a new job first.
    ///
    /// A job that cron or systemd has started may have another environment than the shell in which a
    /// person looks for it.
    package static var all: [JobFolder] {
        all(
            runtime: Terminal.environment("XDG_RUNTIME_DIR"), user: PrivateFolder.user,
            isOwn: PrivateFolder.isOwn)
    }

    /// Makes the folder for a new job.
    /// - Parameter folders: Those that it may be.
    /// - Returns: The first that can be had, or the reason why the last one cannot.
    package static func make(_ folders: [JobFolder] = all) -> Result<JobFolder, FileError> {
        var last = FileError(.notFound, "make", "", "there is none")
        for folder in folders {
            do throws(FileError) {
                try PrivateFolder.make(folder.path)
                return .success(folder)
            } catch {
                last = error
            }
        }
        return .failure(last)
    }

    /// Returns the warning about a folder that cannot be had because another user's, or anything else, is in its
    /// place; none about a system that is only read, where that is to be expected.
    package static func warning(_ made: Result<JobFolder, FileError>) -> String? {
        guard case .failure(let fault) = made, fault.operation == "use" else { return nil }
        return
            "fanfare jobs and fanfare control will not find this job, because \(fault.sentence); "
            + "--\(Options.control.name) PATH makes a socket elsewhere, and so does XDG_RUNTIME_DIR "
            + "with the path of a folder of your own"
    }

    /// Returns the folders of an environment, that for a new job first.
    /// - Parameters:
    ///   - runtime: The value of `XDG_RUNTIME_DIR`.
    ///   - user: The number of the user.
    ///   - isOwn: True for a folder that belongs to the user: after sudo the variable may lead to
    ///     that of another one.
    /// - Returns: The folders.
    package static func all(
        runtime: String?, user: UInt32, isOwn: (String) -> Bool
    ) -> [JobFolder] {
        var folders: [String] = []
        // The specification of the variable ignores paths that begin elsewhere.
        for folder in [runtime ?? "", "/run/user/\(user)"]
        where folder.hasPrefix("/") && isOwn(folder) {
            folders.append(folder.hasSuffix("/") ? "\(folder)fanfare" : "\(folder)/fanfare")
        }
        // That of the administrator, or of the user of a service (`RuntimeDirectory=fanfare`).
        if user == 0 || isOwn("/run/fanfare") { folders.append("/run/fanfare") }
        folders.append("/tmp/fanfare-\(user)")
        return folders.distinct.map(JobFolder.init)
    }

    /// Returns the path of a job's record.
    func record(of id: String) -> String { "\(path)/\(id)\(Self.recordEnding)" }

    /// Returns the path of a job's socket.
    func socket(of id: String) -> String { "\(path)/\(id).sock" }

    /// Returns the ids of the records in it, in their order; none if there is no folder, or others
    /// may write to it.
    func ids() -> [String] {
        guard (try? PrivateFolder.check(path)) != nil,
            let names = try? FileDescriptor.names(inFolder: path)
        else { return [] }
        let ids = names.filter { $0.hasSuffix(Self.recordEnding) }
            .map { String($0.dropLast(Self.recordEnding.count)) }
        return Array(ids.sorted().prefix(Limits.jobRecordsMax))
    }

    private static let recordEnding = ".json"
}

extension Limits {
    /// Jobs that are listed: the running ones, and those that were never carried on.
    package static let jobRecordsMax = 1000
}
