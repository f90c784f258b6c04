import FanfareBase
import FanfareCore
import FanfareSystem

/// Tells whether a file has the bytes that it had.
///
/// Made by reading, when a job comes to rest and when it is carried on, so that writing costs nothing.
enum FileChecksum {
    /// Returns the checksum of the beginnings of some files, one after the other; never 0.
    static func of(_ files: [(path: String, bytes: Int)]) throws(FileError) -> UInt64 {
        var sum: UInt64 = 1
        var space = [UInt8](repeating: 0, count: Limits.checksumReadBytes)
        for (path, bytes) in files {
            let file = try FileDescriptor.reading(path)
            var offset = 0
            while offset < bytes {
                let wanted = min(space.count, bytes - offset)
                let count = unsafe try space.withUnsafeMutableBufferPointer {
                    space throws(FileError) in
                    let part = unsafe UnsafeMutableRawBufferPointer(
                        start: space.baseAddress, count: wanted)
                    let count = unsafe try file.read(into: part, at: offset)
                    sum = unsafe Mixing.hash(UnsafeRawBufferPointer(part), seed: sum)
                    return count
                }
                // Shorter than before: the missing bytes have been hashed as the earlier ones.
                guard count == wanted else { return 0 }
                offset += count
            }
        }
        return max(1, sum)
    }
}
