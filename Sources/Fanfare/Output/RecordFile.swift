import FanfareBase
import FanfareCompression
import FanfareCore
import FanfareSystem

/// A file that records are appended to, and its length as far as they are whole.
///
/// It may be compressed, and it may be in parts. Use from one thread at a time, which is why it may cross
/// threads unchecked.
final class RecordFile<Disk: JobDisk>: @unchecked Sendable {
    let path: String
    private let disk: Disk
    /// The file, or the first of its parts: the one that has a lock.
    let first: Disk.File
    /// The part that is written.
    private var file: Disk.File
    /// The bytes that were appended and are whole; those of a failed `append` do not count.
    ///
    /// Of a file in parts those of all of them.
    private(set) var length = 0
    /// The way the file is split by its size, if it is.
    private let split: OutputSplit?
    /// The part that is written, counted from 1.
    private(set) var part = 1
    /// The bytes of the parts before it.
    private var closedBytes = 0
    /// The parts that may not have reached the disk.
    private var unsynchronized: [String] = []
    /// The beginning of each part, as it is written.
    private var beginning: [UInt8] = []
    /// The compression that the name gives; `nil` for none.
    let compression: CompressionFormat?
    private var compressor: Compressor?
    /// The bytes from `prepare` for the next `append`.
    private var prepared = ByteBuffer(capacity: 16)
    private var isPrepared = false

    /// Takes over an open file.
    /// - Parameters:
    ///   - file: The file.
    ///   - disk: The disk that holds the file and its parts.
    ///   - model: A path whose name gives the compression; `nil` for the file's own path.
    ///   - split: The way the file is split by its size; only a file can be.
    init(
        _ file: Disk.File, on disk: Disk, compressedAs model: String? = nil,
        split: OutputSplit? = nil
    ) {
        self.disk = disk
        self.file = file
        self.split = split
        first = file
        path = file.path
        compression = OutputFile.compression(ofPath: model ?? file.path)
        if let compression { compressor = Compressor(compression) }
    }

    /// The file's name in messages.
    var name: String { split == nil ? first.name : partPath }

    private var partPath: String { split?.parts.path(of: part) ?? path }

    var isCompressed: Bool { compression != nil }

    /// Turns whole records into the bytes that `append` writes.
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

    /// Appends whole records: of a block all that was prepared, or none if it is compressed.
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
    func begin(with header: [UInt8]) throws(FileError) {
        beginning = OutputFile.beginning(header, compression)
        try writeBeginning()
    }

    private func writeBeginning() throws(FileError) {
        unsafe try beginning.withUnsafeBufferPointer { bytes throws(FileError) in
            unsafe try write(bytes)
        }
    }

    private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws(FileError) {
        unsafe try file.write(bytes)
        length += bytes.count
    }

    /// The change that others have made to the file; `nil` if it is as it was written.
    var change: FileChange? {
        get throws(FileError) {
            guard first.canBeCut, first.hasName else { return nil }
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

    /// The bytes behind `length`: those of a failed `append`, or an earlier content.
    ///
    /// It is 0 if the file cannot be cut.
    var excess: Int {
        get throws(FileError) {
            first.canBeCut ? try file.size - (length - closedBytes) : 0
        }
    }

    /// Cuts the file to a length, and goes on writing there.
    ///
    /// Never makes it longer: ask `excess` before. Does nothing to a file that cannot be cut. Parts
    /// that are closed stay as they are.
    func cut(toLength length: Int) throws(FileError) {
        guard first.canBeCut else { return }
        precondition(length >= closedBytes, "BUG: a closed part of a report is to be cut")
        try file.truncate(toBytes: length - closedBytes)
        self.length = length
    }

    /// Makes the written bytes survive a loss of power.
    func synchronize() throws(FileError) {
        for path in unsynchronized { try disk.synchronize(path) }
        unsynchronized.removeAll()
        try file.synchronize()
    }

    /// The checksum of all that was written, read back; 0 if it cannot be read.
    var checksum: UInt64 {
        get throws(FileError) { first.canBeCut ? try disk.checksum(of: written) : 0 }
    }

    /// Takes the file away.
    func remove() throws(FileError) { try disk.remove(path) }

    // MARK: Parts

    /// All that was written: the parts, and the bytes of each.
    private var written: [(path: String, bytes: Int)] {
        guard let split else { return [(path, length)] }
        return disk.found(split.parts).prefix(part).enumerated().map { index, found in
            (found.path, index + 1 == part ? length - closedBytes : found.bytes)
        }
    }

    /// Begins the next part if the present one has no room for the bytes from `prepare`.
    ///
    /// A closed part never changes again. So a record of the file's length before this stays true:
    /// cutting the file to that length takes the new part away.
    /// - Returns: True if there is a new part.
    func makeRoom(for count: Int) throws(FileError) -> Bool {
        guard let split, length - closedBytes > beginning.count,
            length - closedBytes + count > split.bytesMax
        else { return false }
        guard part < Limits.reportPartsMax else {
            throw FileError(tooManyParts: Limits.reportPartsMax, split.parts.path)
        }
        let path = split.parts.path(of: part + 1)
        let (before, lengthBefore) = (file, length)
        file = try disk.open(path, mayExist: false)
        do throws(FileError) {
            try writeBeginning()
        } catch {
            file = before
            length = lengthBefore
            // There is an error to be told already.
            try? disk.remove(path)
            throw error
        }
        unsynchronized.append(partPath)
        closedBytes = lengthBefore
        part += 1
        return true
    }

    /// Continues a file of an earlier run where it is whole.
    /// - Parameters:
    ///   - length: The length to cut it to, over all parts; the bytes behind it go.
    ///   - header: The beginning of each part.
    /// - Throws: `FileError` when it cannot be opened or cut.
    func goOn(at length: Int, header: [UInt8]) throws(FileError) {
        beginning = OutputFile.beginning(header, compression)
        guard let split else { return try cut(toLength: length) }
        let found = disk.found(split.parts)
        var last = 0
        while last + 1 < found.count, closedBytes + found[last].bytes < length {
            closedBytes += found[last].bytes
            last += 1
        }
        for (path, _) in found.dropFirst(last + 1)
        where !disk.mayBeBegun(path, of: split.parts, beginning) {
            throw FileError(
                .other, "cut", path, "\(path) is in the way and no part of it; move it away")
        }
        // Behind a gap, which a loss of power may leave, a file of another program is not in the way yet.
        let known = Set(found.map(\.path))
        let behind = try disk.later(split.parts).filter {
            !known.contains($0) && disk.mayBeBegun($0, of: split.parts, beginning)
        }
        // From the back, so that there is no gap if this ends early.
        for path in (found.dropFirst(last + 1).map(\.path) + behind).reversed() {
            try disk.remove(path)
        }
        part = last + 1
        unsynchronized = found.prefix(last).map(\.path)
        if last > 0 { file = try disk.open(found[last].path, mayExist: true) }
        try cut(toLength: length)
    }
}

extension Limits {
    /// The parts of a report: each costs a name and a look when a job is carried on.
    static let reportPartsMax = 100_000
}
