import FanfareLoop

/// A file that has no name any more: it is gone when nobody has it open.
final class NamelessFile {
    private let file: FileDescriptor
    private var end = 0

    init(folder: String) throws(FileError) {
        var generator = SystemRandomNumberGenerator()
        let name = ".fanfare-\(String(generator.next() as UInt64, radix: 36)).tmp"
        let path = folder.hasSuffix("/") ? folder + name : folder + "/" + name
        file = try FileDescriptor.writing(path, existing: .refuse, isPrivate: true)
        try FileDescriptor.remove(path)
    }

    /// - Returns: Where the bytes lie.
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
