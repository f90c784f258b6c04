import FanfareCore
import FanfareSystem

/// The place of a job's files: the file system, or a simulation's model of it.
///
/// The job decides what it writes and in which order; a disk only obeys.
protocol JobDisk {
    associatedtype File: DiskFile
    associatedtype Marks: MarkStorage

    /// Opens a file to write records to it, and makes it if it does not exist.
    /// - Parameters:
    ///   - path: The file.
    ///   - mayExist: True if the file may exist; its content stays.
    /// - Returns: The file.
    /// - Throws: `FileError.Kind.exists` when the file exists and may not, and other kinds.
    func open(_ path: String, mayExist: Bool) throws(FileError) -> File

    /// Removes a file.
    func remove(_ path: String) throws(FileError)

    /// Makes the content of a file that is no longer open survive a loss of power.
    func synchronize(_ path: String) throws(FileError)

    /// The size of a regular file; `nil` if there is none.
    func bytes(of path: String) -> Int?

    /// All files with the name of a part behind the first one, gaps or not.
    func later(_ parts: ReportParts) throws(FileError) -> [String]

    /// A file as something that can be read.
    func contents(of path: String) -> RowInput

    /// Returns a checksum of the beginnings of some files, one after the other; never 0.
    func checksum(of files: [(path: String, bytes: Int)]) throws(FileError) -> UInt64

    /// Returns true if a file behind the known parts of a report may be one that its job has just
    /// begun.
    /// - Parameters:
    ///   - path: The file.
    ///   - parts: The report.
    ///   - beginning: The bytes that every part begins with.
    /// - Returns: False if the file certainly belongs to another program.
    func mayBeBegun(_ path: String, of parts: ReportParts, _ beginning: [UInt8]) -> Bool
}

/// A file that is open to have records appended to it.
protocol DiskFile: AnyObject {
    var path: String { get }
    /// The words that messages use for it.
    var name: String { get }
    /// True if the file's length can be changed, unlike that of a pipe or a device.
    var canBeCut: Bool { get }
    /// True if the file has a name, and must be removed if the job does not begin.
    var hasName: Bool { get }
    var size: Int { get throws(FileError) }

    /// Writes bytes behind those that are there.
    func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError)

    /// Cuts the file, and goes on writing there.
    func truncate(toBytes length: Int) throws(FileError)

    /// Makes all that was written survive a loss of power.
    func synchronize() throws(FileError)

    /// Looks whether the file is still there, with its length.
    func standing(bytes: Int) throws(FileError) -> FileDescriptor.Standing
}

extension JobDisk {
    /// The parts of a report that are there, from the first one on without a gap, and their sizes.
    func found(_ parts: ReportParts) -> [(path: String, bytes: Int)] {
        var found: [(path: String, bytes: Int)] = []
        while let bytes = bytes(of: parts.path(of: found.count + 1)) {
            found.append((parts.path(of: found.count + 1), bytes))
        }
        return found
    }

    /// The files that an output's records are in, as far as they reach.
    func parts(of spec: OutputSpec, within bytesMax: Int = .max) -> [(path: String, bytes: Int)] {
        let files = spec.split.map { found($0.parts) } ?? [(spec.path, bytes(of: spec.path) ?? 0)]
        var rest = bytesMax
        return files.map { path, bytes in
            let count = min(bytes, rest)
            rest -= count
            return (path, count)
        }
    }
}
