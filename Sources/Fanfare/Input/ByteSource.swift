import FanfareLoop

/// The bytes of one input, wherever they come from.
final class ByteSource {
    private enum Content: ~Copyable {
        case file(FileDescriptor)
        case memory([UInt8])
    }

    /// What messages call it.
    let name: String
    /// Whether everything has been read.
    private(set) var isAtEnd = false
    private let content: Content
    private var position = 0

    init(_ input: RowInput) throws(FileError) {
        name = input.name
        switch input {
        case .file(let path): content = .file(try .reading(path))
        case .standardInput: content = .file(.standardInput)
        case .memory(let bytes, _): content = .memory(bytes)
        }
    }

    /// Reads what there is, waiting for the first byte.
    /// - Returns: The number of bytes; 0 at the end.
    func read(into space: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let count: Int
        switch content {
        case .file(let descriptor):
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
