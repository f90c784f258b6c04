import FanfareBase
import FanfareSystem

/// One input, as far as it can be recognized without reading all of it.
struct InputIdentity: Equatable {
    var name: String
    /// Its size and when it was last changed; nothing for what is not a regular file.
    var bytes: UInt64?
    var modified: Int64?

    /// Returns the present identity of an input: one file, or those of a database.
    /// - Throws: `FanfareError.Code.input` when a file does not exist.
    static func of(_ input: RowInput) throws(FanfareError) -> [InputIdentity] {
        switch input {
        case .standardInput, .memory, .generated, .sequence:
            return [InputIdentity(name: input.name)]
        case .sqlite(let path, _):
            return files(ofDatabase: path)
        case .file(let path):
            do throws(FileError) {
                let status = try FileDescriptor.status(of: path)
                guard status.isRegular else { return [InputIdentity(name: path)] }
                return [
                    InputIdentity(name: path, bytes: status.bytes, modified: status.modified)
                ]
            } catch {
                throw FanfareError(.input, "\(path) cannot be read: \(error.reason)")
            }
        }
    }

    /// A database, and what it has that is not in its file yet.
    ///
    /// An empty write-ahead log is as none: a process that reads makes it, and one that closes
    /// takes it away.
    static func files(ofDatabase path: String) -> [InputIdentity] {
        let file = try? FileDescriptor.status(of: path)
        let log = try? FileDescriptor.status(of: path + "-wal")
        let bytes = log?.bytes ?? 0
        return [
            InputIdentity(name: path, bytes: file?.bytes, modified: file?.modified),
            InputIdentity(
                name: path + "-wal", bytes: bytes, modified: bytes > 0 ? log?.modified : 0),
        ]
    }
}
