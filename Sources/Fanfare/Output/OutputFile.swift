import FanfareCompression
import FanfareCore
import FanfareLoop

/// What records are appended to: a file, or what a simulation takes for one.
protocol RecordFile: AnyObject {
    /// What messages call it.
    var name: String { get }
    /// The bytes that were appended and are whole; those of a failed `append` do not count.
    var length: Int { get }
    /// The bytes behind `length`: what a failed `append` has written.
    var excess: Int { get throws(FileError) }

    /// Whether the records of a block are in it together or not at all.
    var isCompressed: Bool { get }

    /// Appends whole records: of a block all that was prepared, or none if it is compressed.
    func append(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError)

    /// Cuts the file to a length, and goes on writing there.
    func cut(toLength length: Int) throws(FileError)
}

/// A file that records are appended to, and its length as far as they are whole.
///
/// Use from one thread at a time, which is why it may cross threads unchecked.
final class OutputFile: RecordFile, @unchecked Sendable {
    let path: String
    private let file: FileDescriptor
    /// Whether it has a length that can be changed, unlike a pipe or a device.
    let canBeCut: Bool
    /// The bytes that were appended and are whole; those of a failed `append` do not count.
    private(set) var length = 0
    /// How it is compressed, by its name; `nil` for not at all.
    let compression: CompressionFormat?
    private var compressor: Compressor?
    /// What messages call it.
    let name: String
    /// Whether it can be found, and has to be removed if nothing comes of it.
    let hasName: Bool
    /// What `prepare` has made for the next `append`.
    private var prepared = ByteBuffer(capacity: 16)
    private var isPrepared = false

    /// Opens a file.
    ///
    /// What is in it stays until `cut` says from where on it is written.
    /// - Parameters:
    ///   - path: The file; `-` is standard output.
    ///   - mayExist: Whether it may be there already. A device always may, and so may what is behind
    ///     a descriptor that was handed over (`/dev/fd/3`): it is written on, and never cut.
    ///   - model: A path whose name says how it is compressed; `nil` for its own.
    /// - Throws: `FileError.Kind.exists` when it is there and may not be, and others.
    init(
        _ path: String, mayExist: Bool, compressedAs model: String? = nil
    ) throws(FileError) {
        self.path = path
        name = path == "-" ? "standard output" : path
        hasName = true
        let mayExist = mayExist || Self.isDevice(path) && !FileDescriptor.isRegularFile(path)
        compression = Self.compression(ofPath: model ?? path)
        if let compression { compressor = Compressor(compression) }
        file =
            path == "-"
            ? .standardOutput : try .writing(path, existing: mayExist ? .keep : .refuse)
        // What is shared may be a file that somebody else has written to before.
        canBeCut = file.isShared ? false : try file.isRegularFile
    }

    /// Makes a file that nobody sees and that is gone with its owner.
    /// - Parameters:
    ///   - folder: Where it is.
    ///   - purpose: What it is for, such as "the lines of standard output".
    /// - Throws: `FileError` when it cannot be made.
    init(namelessIn folder: String, for purpose: String) throws(FileError) {
        file = try .nameless(in: folder)
        path = file.ownPath
        name = "a file in \(folder) for \(purpose)"
        hasName = false
        compression = nil
        canBeCut = true
    }

    /// Whether a path is that of a device or a descriptor; memory that is shared by name has files.
    static func isDevice(_ path: String) -> Bool {
        path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")
            || FileDescriptor.handedOver(path) != nil
    }

    /// How the file is compressed that a path names, if it is.
    static func compression(ofPath path: String) -> CompressionFormat? {
        path == "-" || isDevice(path) ? nil : CompressionFormat.split(path).format
    }

    var isCompressed: Bool { compression != nil }

    /// Makes of whole records what `append` writes.
    ///
    /// In a compressed file they get a member of their own, so that the file may be cut behind them.
    /// - Returns: The number of bytes that it will write.
    func prepare(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
        guard compression != nil else { return bytes.count }
        isPrepared = true
        prepared.removeAll()
        if !bytes.isEmpty { unsafe compressor?.append(bytes, to: &prepared) }
        return prepared.count
    }

    func append(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        guard isCompressed else { return unsafe try write(bytes) }
        guard !bytes.isEmpty else { return }
        precondition(isPrepared, "BUG: records for a compressed file that were not prepared")
        isPrepared = false
        unsafe try write(prepared.bytes)
    }

    /// Begins a file with its header.
    ///
    /// A compressed one without a header begins with an empty member: without any it is none.
    func begin(with header: UnsafeBufferPointer<UInt8>) throws(FileError) {
        guard compression != nil else { return unsafe try write(header) }
        prepared.removeAll()
        unsafe compressor?.append(header, to: &prepared)
        unsafe try write(prepared.bytes)
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        unsafe try file.writeAll(UnsafeRawBufferPointer(bytes))
        length += bytes.count
    }

    /// The bytes behind `length`: what a failed `append` has written, or what was there before.
    ///
    /// Nothing, if the file cannot be cut.
    var excess: Int {
        get throws(FileError) { canBeCut ? try file.size - length : 0 }
    }

    /// Cuts the file to a length, and goes on writing there.
    ///
    /// Never makes it longer: ask `excess` before. Does nothing to a file that cannot be cut.
    func cut(toLength length: Int) throws(FileError) {
        guard canBeCut else { return }
        try file.truncate(toBytes: length)
        self.length = length
    }

    /// Makes room on the disk for a whole file; `cut` gives back what was not needed.
    func reserve(_ bytes: Int) throws(FileError) {
        if bytes > 0 { try file.reserve(0..<bytes) }
    }

    /// Makes what was written survive a loss of power.
    func synchronize() throws(FileError) { try file.synchronize() }
}
