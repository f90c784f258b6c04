package import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// The way from the word for a job to its socket.
package enum JobAddress {
    /// Returns the socket of a job.
    /// - Parameters:
    ///   - word: A path, an id or the beginning of it, or a name; `nil` for the one job that runs.
    ///   - list: Finds the jobs of the user.
    /// - Returns: The path of the socket.
    /// - Throws: `FanfareError` with code `input` if no such job runs, or several do.
    package static func socket(
        of word: String?, among list: () -> JobList
    ) throws(FanfareError) -> String {
        if word == "" {
            throw FanfareError(
                .input, message: "the name of the job is empty; fanfare jobs lists those that run")
        }
        if let word, FileDescriptor.exists(word) { return word }
        let running = list().entries.filter(\.isRunning)
        guard let word else { return try socket(ofOne: running, "job") }
        let named = running.filter { $0.record.isNamed(word) || $0.record.id == word }
        let meant = named.isEmpty ? running.filter { $0.isCalled(word) } : named
        guard !meant.isEmpty else {
            // Names may have a slash, too.
            if word.contains("/") { return word }
            throw FanfareError(
                .input,
                message: "there is no socket \(word), and no job of this name runs; "
                    + "fanfare jobs lists them")
        }
        let isCalled = meant.allSatisfy { $0.record.isNamed(word) }
        guard meant.count == 1 || isCalled else {
            let ids = meant.map(\.record.id).joined(separator: ", ")
            throw FanfareError(
                .input, message: "\(word) begins the ids of several jobs that run; give one: \(ids)"
            )
        }
        return try socket(ofOne: meant, "job called \(word)")
    }

    private static func socket(
        ofOne entries: [JobEntry], _ what: String
    ) throws(FanfareError) -> String {
        guard let entry = entries.first else {
            throw FanfareError(
                .input, message: "no \(what) runs; fanfare jobs lists those to carry on")
        }
        guard entries.count == 1 else {
            let ids = entries.map(\.record.id).joined(separator: ", ")
            throw FanfareError(
                .input, message: "more than one \(what) runs; give the id of one: \(ids)")
        }
        guard let socket = entry.record.socket else {
            throw FanfareError(
                .input, message: "the job \(entry.record.id) has no socket to ask it at")
        }
        return socket
    }
}
