import FanfareCore
import FanfareLoop

/// The bytes of one input as they are stored or sent, wherever they come from.
final class RawInput {
    private enum Content: ~Copyable {
        case file(FileDescriptor)
        case memory([UInt8])
    }

    /// Whether everything has been read.
    private(set) var isAtEnd = false
    private let content: Content
    private var position = 0
    private let bytesMax: Int
    /// Whether a read may wait for long: a pipe or a terminal.
    let mayWait: Bool
    /// Set when nobody wants the rows any more.
    let isCancelled: @Sendable () -> Bool

    /// Opens an input.
    /// - Parameters:
    ///   - input: What to read.
    ///   - bytesMax: How much of it; what follows is not there.
    ///   - isCancelled: Asked while a pipe or a terminal gives nothing; when true, that is taken for
    ///     its end.
    /// - Throws: `FileError` if it cannot be opened.
    init(
        _ input: RowInput, bytesMax: Int = .max, isCancelled: @escaping @Sendable () -> Bool
    ) throws(FileError) {
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
        }
    }

    /// Whether a read would have to wait for somebody else.
    var wouldWait: Bool {
        guard mayWait else { return false }
        switch content {
        case .file(let descriptor): return !descriptor.isReadable(within: 0)
        case .memory: return false
        }
    }

    /// Reads what there is, waiting for the first byte.
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
            count = unsafe try descriptor.read(into: space)
        case .memory(let bytes):
            let rest = bytes[position...].prefix(space.count)
            unsafe space.copyBytes(from: rest)
            count = rest.count
        }
        position += count
        if count == 0 { isAtEnd = true }
        return count
    }
}
