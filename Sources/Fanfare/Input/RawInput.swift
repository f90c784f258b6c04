import FanfareBase
import FanfareCore
import FanfareSystem

/// The bytes of one input as they are stored or sent, wherever they come from.
final class RawInput {
    private enum Content: ~Copyable {
        case file(FileDescriptor)
        case memory([UInt8])
        case generated(GeneratedText)
        case rows(SQLiteRows)
        case sequence(RowFeed)
    }

    /// True if everything has been read.
    private(set) var isAtEnd = false
    private let content: Content
    /// The rows of a database, if the input is one.
    let rows: SQLiteRows?
    /// The place of the next byte, in a file that is read from another place than its beginning.
    private var fileOffset: Int?
    private var position = 0
    private let bytesMax: Int
    private let meter: InputMeter?
    /// True if a read may wait for long: the input is a pipe or a terminal.
    let mayWait: Bool
    /// Set when the job wants no more rows.
    let isCancelled: @Sendable () -> Bool

    /// Opens an input.
    /// - Parameters:
    ///   - input: The input.
    ///   - offset: The place in a file to begin at; `nil` for its beginning.
    ///   - bytesMax: The most bytes to read; later bytes count as absent.
    ///   - meter: Counts the bytes that are read.
    ///   - isCancelled: Called while a pipe or a terminal gives nothing; if it returns true, that
    ///     counts as the input's end.
    /// - Throws: `FileError` if it cannot be opened.
    init(
        _ input: RowInput, from offset: Int? = nil, bytesMax: Int = .max,
        meter: InputMeter? = nil,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(FileError) {
        self.meter = meter
        fileOffset = offset
        self.bytesMax = bytesMax
        self.isCancelled = isCancelled
        switch input {
        case .file(let path):
            let file = try FileDescriptor.reading(path)
            mayWait = !(try file.isRegularFile)
            content = .file(file)
        case .standardInput:
            let file = FileDescriptor.standardInput
            mayWait = !(try file.isRegularFile)
            content = .file(file)
        case .memory(let bytes, _):
            mayWait = false
            content = .memory(bytes)
        case .generated(let seed, let provider):
            mayWait = false
            content = .generated(GeneratedText(seed: seed, provider: provider))
        case .sqlite(let path, let selection):
            mayWait = false
            let rows = try SQLiteRows(path, selection, isCancelled: isCancelled)
            content = .rows(rows)
            self.rows = rows
            return
        case .sequence(let sequence):
            guard sequence.feed.start() else {
                throw FileError(
                    .other, "read", RowSequence.name,
                    "its rows went to another job; a sequence serves one")
            }
            mayWait = true
            content = .sequence(sequence.feed)
        }
        rows = nil
    }

    /// True if a read would have to wait for the input's writer.
    var wouldWait: Bool {
        guard mayWait else { return false }
        switch content {
        case .file(let descriptor): return !descriptor.isReadable(within: 0)
        case .memory: return false
        case .generated: return false
        case .rows: return false
        case .sequence(let feed): return feed.isEmpty
        }
    }

    /// Reads the bytes that are there, and waits for the first one.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into space: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let count: Int
        let space = unsafe UnsafeMutableRawBufferPointer(
            rebasing: space[..<min(space.count, bytesMax - position)])
        switch content {
        case .file(let descriptor):
            while mayWait, !descriptor.isReadable(within: Limits.cancellationCheckMilliseconds) {
                if isCancelled() {
                    isAtEnd = true
                    return 0
                }
            }
            if let offset = fileOffset {
                count = unsafe try descriptor.read(into: space, at: offset)
                fileOffset = offset + count
            } else {
                count = unsafe try descriptor.read(into: space)
            }
        case .memory(let bytes):
            let rest = bytes[position...].prefix(space.count)
            unsafe space.copyBytes(from: rest)
            count = rest.count
        case .generated(let text):
            count = unsafe text.read(into: space)
        case .rows(let rows):
            count = unsafe try rows.read(into: space)
        case .sequence(let feed):
            switch unsafe feed.read(into: space, isCancelled: isCancelled) {
            case .bytes(let bytes): count = bytes
            case .end: count = 0
            case .failure(let reason):
                throw FileError(.other, "read", RowSequence.name, reason)
            }
        }
        position += count
        meter?.bytesWereRead(count)
        if count == 0 { isAtEnd = true }
        return count
    }
}

/// The text of rows that are made as they are read, without an end.
private final class GeneratedText {
    /// Some 180 KB, which fill two or three batches.
    private static let rowsAtOnce = 1000

    private var generator: RowGenerator
    private var text = ByteBuffer(capacity: 256 * 1024)

    init(seed: UInt64, provider: Provider) {
        let mix = RowMix([RowMix.Share(provider.kind, 1)])
        generator = RowGenerator(seed: seed, mix: provider == .apns ? nil : mix)
        generator.appendHeader(format: .csv, into: &text)
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> Int {
        if text.isEmpty {
            generator.appendRows(count: Self.rowsAtOnce, format: .csv, into: &text)
        }
        let count = min(text.count, space.count)
        unsafe space.copyBytes(from: text.bytes.prefix(count))
        text.removeFirst(count)
        return count
    }
}

extension RowInput {
    /// The file that is read, if it is one.
    var path: String? {
        switch self {
        case .file(let path), .sqlite(let path, _): path
        case .standardInput, .memory, .generated, .sequence: nil
        }
    }

    /// Checks that its file is there and may be read, without opening it.
    func checkReadable() throws(FanfareError) {
        guard let path else { return }
        try told({ $0.inputError(path) }) { () throws(FileError) in
            try FileDescriptor.checkReadable(path)
        }
    }

    /// Returns true if it reads the regular file that a path names, by any name and link.
    ///
    /// It also reads the files beside a database: the newest rows may be there.
    func isRead(from file: String) -> Bool {
        switch self {
        case .file(let path):
            FileDescriptor.areSame(path, file)
                || (DatabaseFiles.isDatabase(path) && DatabaseFiles.isFile(file, beside: path))
        case .sqlite(let path, _):
            FileDescriptor.areSame(path, file) || DatabaseFiles.isFile(file, beside: path)
        case .standardInput: FileDescriptor.isStandardInput(file)
        case .memory, .generated, .sequence: false
        }
    }
}
