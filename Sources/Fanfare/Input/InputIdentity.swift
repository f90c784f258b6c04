import FanfareBase
import FanfareSystem

/// One input, as far as it can be recognized without reading all of it.
struct InputIdentity: Equatable {
    var name: String
    /// Its size and the time of its last change; nil if it is not a regular file.
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

    /// Returns the files of a database, with those that have rows which are not in its main file
    /// yet.
    ///
    /// An empty write-ahead log counts as none: a process that reads makes it, and one that closes
    /// removes it.
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
