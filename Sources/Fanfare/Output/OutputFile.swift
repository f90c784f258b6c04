import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// A file that records are appended to, and its length as far as they are whole.
///
/// Use from one thread at a time, which is why it may cross threads unchecked.
final class OutputFile: RecordFile, @unchecked Sendable {
    let path: String
    private var file: FileDescriptor
    /// Whether it has a length that can be changed, unlike a pipe or a device.
    let canBeCut: Bool
    /// Whether a write may wait for a reader.
    private let mayWait: Bool
    /// Asked when a reader takes nothing: whether it is waited for even so.
    var isReaderAwaited: @Sendable () -> Bool = { true }
    /// The bytes that were appended and are whole; those of a failed `append` do not count.
    ///
    /// Of a file in parts those of all of them.
    private(set) var length = 0
    /// How it is split by its size, if it is.
    private let split: OutputSplit?
    /// The part that is written, counted from 1.
    private(set) var part = 1
    /// The bytes of the parts before it.
    private var closedBytes = 0
    /// Those of them that may not have reached the disk.
    private var unsynchronized: [String] = []
    /// What each part begins with, as it is written.
    private var beginning: [UInt8] = []
    /// How it is compressed, by its name; `nil` for not at all.
    let compression: CompressionFormat?
    private var compressor: Compressor?
    /// That of the first part, if there are several.
    private var lock: FileLock?
    private let ownName: String
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
    ///   - split: How it is split by its size; only a file can be.
    /// - Throws: `FileError.Kind.exists` when it is there and may not be, and others.
    init(
        _ path: String, mayExist: Bool, compressedAs model: String? = nil,
        split: OutputSplit? = nil
    ) throws(FileError) {
        self.path = path
        self.split = split
        ownName = path == "-" ? "standard output" : path
        hasName = true
        let mayExist = mayExist || Self.isDevice(path) && !FileDescriptor.isRegularFile(path)
        compression = Self.compression(ofPath: model ?? path)
        if let compression { compressor = Compressor(compression) }
        file =
            path == "-"
            ? .standardOutput : try .writing(path, existing: mayExist ? .keep : .refuse)
        // A stream that was closed before we began is told of when it is written.
        let isRegular = file.isShared ? (try? file.isRegularFile) ?? true : try file.isRegularFile
        mayWait = !isRegular
        // What is shared may be a file that another process has written to before.
        canBeCut = isRegular && !file.isShared
    }

    /// Takes the file for this job alone until `unlock`: its checkpoint's lock goes by a name, and a
    /// file may have several, and links.
    ///
    /// What is no file of its own is left alone.
    /// - Returns: False if another job has it.
    func tryLock() throws(FileError) -> Bool {
        guard canBeCut, hasName else { return true }
        do throws(FileError) {
            lock = try FileLock.take(of: file)
        } catch {
            // A file system without locks is no reason not to write there.
            guard error.operation == "lock" else { throw error }
            return true
        }
        return lock != nil
    }

    /// Lets another job have the file, though its object is still there.
    func unlock() { lock = nil }

    /// Makes a file that no other process sees and that is gone with its owner.
    /// - Parameters:
    ///   - folder: Where it is.
    ///   - purpose: What it is for, such as "the lines of standard output".
    /// - Throws: `FileError` when it cannot be made.
    init(namelessIn folder: String, for purpose: String) throws(FileError) {
        file = try .nameless(in: folder)
        path = file.ownPath
        split = nil
        ownName = "a file in \(folder) for \(purpose)"
        hasName = false
        compression = nil
        mayWait = false
        canBeCut = true
    }

    /// Lets those use it who may use another one.
    func copyAccess(from path: String) throws(FileError) { try file.copyAccess(from: path) }

    /// What messages call it.
    var name: String { split == nil ? ownName : partPath }

    private var partPath: String { split?.parts.path(of: part) ?? path }

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
        unsafe setBeginning(header)
        try writeBeginning()
    }

    private func setBeginning(_ header: UnsafeBufferPointer<UInt8>) {
        beginning = unsafe Self.beginning(header, compression)
    }

    /// What a file with this header begins with.
    static func beginning(
        _ header: UnsafeBufferPointer<UInt8>, _ compression: CompressionFormat?
    ) -> [UInt8] {
        guard let compression else { return unsafe Array(header) }
        var compressor = Compressor(compression)
        var bytes = ByteBuffer(capacity: 512)
        unsafe compressor.append(header, to: &bytes)
        return unsafe Array(bytes.bytes)
    }

    private func writeBeginning() throws(FileError) {
        unsafe try beginning.withUnsafeBufferPointer { bytes throws(FileError) in
            unsafe try write(bytes)
        }
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        if mayWait {
            unsafe try file.writeAll(UnsafeRawBufferPointer(bytes), while: isReaderAwaited)
        } else {
            unsafe try file.writeAll(UnsafeRawBufferPointer(bytes))
        }
        length += bytes.count
    }

    /// What has become of the file behind our back; `nil` if it is as it was written.
    var change: FileChange? {
        get throws(FileError) {
            guard canBeCut, hasName else { return nil }
            switch try file.standing(bytes: length - closedBytes) {
            case .asWritten: return nil
            case .removed:
                return .removed(name, "its lines are lost")
            case .renamed:
                return .moved(name, "its lines are in the file that was moved")
            case .resized(let bytes):
                return FileChange(
                    text: "\(name) has \(bytes) bytes, and the job has written "
                        + "\(length - closedBytes): it was changed while the job ran",
                    remains: .cut)
            }
        }
    }

    /// The bytes behind `length`: what a failed `append` has written, or what was there before.
    ///
    /// Nothing, if the file cannot be cut.
    var excess: Int {
        get throws(FileError) { canBeCut ? try file.size - (length - closedBytes) : 0 }
    }

    /// Cuts the file to a length, and goes on writing there.
    ///
    /// Never makes it longer: ask `excess` before. Does nothing to a file that cannot be cut. Parts
    /// that are closed stay as they are.
    func cut(toLength length: Int) throws(FileError) {
        guard canBeCut else { return }
        precondition(length >= closedBytes, "BUG: a closed part of a report is to be cut")
        try file.truncate(toBytes: length - closedBytes)
        self.length = length
    }

    /// Makes room on the disk for a whole file; `cut` gives back what was not needed.
    func reserve(_ bytes: Int) throws(FileError) {
        if bytes > 0 { try file.reserve(0..<bytes) }
    }

    /// Makes what was written survive a loss of power.
    func synchronize() throws(FileError) {
        for path in unsynchronized { try FileDescriptor.reading(path).synchronize() }
        unsynchronized.removeAll()
        try file.synchronize()
    }

    // MARK: Parts

    /// All that was written: the parts, and the bytes of each.
    var written: [(path: String, bytes: Int)] {
        guard let split else { return [(path, length)] }
        return split.parts.found.prefix(part).enumerated().map { index, found in
            (found.path, index + 1 == part ? length - closedBytes : found.bytes)
        }
    }

    /// Begins the next part if the one that is written has no room for what `prepare` has made.
    ///
    /// A part that is closed is never touched again, so a record of the file's length before this
    /// holds afterwards, too: to be cut to it takes the new part away.
    /// - Returns: Whether there is a new part.
    func makeRoom(for count: Int) throws(FileError) -> Bool {
        guard let split, length - closedBytes > beginning.count,
            length - closedBytes + count > split.bytesMax
        else { return false }
        guard part < Limits.reportPartsMax else {
            throw FileError(tooManyParts: Limits.reportPartsMax, split.parts.path)
        }
        let path = split.parts.path(of: part + 1)
        var old = try FileDescriptor.writing(path, existing: .refuse)
        swap(&old, &file)
        let lengthBefore = length
        do throws(FileError) {
            try writeBeginning()
        } catch {
            swap(&old, &file)
            length = lengthBefore
            // There is an error to be told already.
            try? FileDescriptor.remove(path)
            throw error
        }
        unsynchronized.append(partPath)
        closedBytes = lengthBefore
        part += 1
        return true
    }

    /// Goes on where a file of an earlier run is whole.
    /// - Parameters:
    ///   - length: What it is cut to, over all parts; what is behind that goes.
    ///   - header: What each part begins with.
    /// - Throws: `FileError` when it cannot be opened or cut.
    func goOn(at length: Int, header: UnsafeBufferPointer<UInt8>) throws(FileError) {
        unsafe setBeginning(header)
        guard let split else { return try cut(toLength: length) }
        let found = split.parts.found
        var last = 0
        while last + 1 < found.count, closedBytes + found[last].bytes < length {
            closedBytes += found[last].bytes
            last += 1
        }
        for (path, _) in found.dropFirst(last + 1)
        where !split.parts.mayBeBegun(path, beginning) {
            throw FileError(
                .other, "cut", path, "\(path) is in the way and no part of it; move it away")
        }
        // From the back, so that there is no gap whenever this ends.
        for (path, _) in found.dropFirst(last + 1).reversed() { try FileDescriptor.remove(path) }
        part = last + 1
        unsynchronized = found.prefix(last).map(\.path)
        if last > 0 { file = try .writing(found[last].path, existing: .keep) }
        try cut(toLength: length)
    }
}

extension Limits {
    /// The parts of a report: each costs a name and a look when a job is carried on.
    static let reportPartsMax = 100_000
}
