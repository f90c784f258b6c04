import FanfareSystem

/// A file that has no name any more: it is gone when no process has it open.
final class NamelessFile {
    private let file: FileDescriptor
    /// The place of the next bytes.
    private(set) var end = 0

    init(folder: String) throws(FileError) {
        file = try .nameless(in: folder)
    }

    /// - Returns: The place of the bytes.
    func append(_ bytes: UnsafeRawBufferPointer) throws(FileError) -> Int {
        let offset = end
        unsafe try file.write(bytes, at: offset)
        end += bytes.count
        return offset
    }

    func read(into space: UnsafeMutableRawBufferPointer, at offset: Int) throws(FileError) {
        let count = unsafe try file.read(into: space, at: offset)
        precondition(count == space.count, "BUG: a block was not written whole")
    }
}
