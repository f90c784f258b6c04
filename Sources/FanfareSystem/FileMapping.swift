import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// A part of a file as memory: bytes written there are in the file, also when the process is
/// killed.
///
/// It takes addresses only; pages come as they are touched, and go again with `forget`. Touch
/// nothing that `FileDescriptor.reserve` has not made room for: the system would end the process.
@safe
package struct FileMapping: ~Copyable, @unchecked Sendable {
    /// The memory.
    package let memory: UnsafeMutableRawPointer
    /// Its size, more than the file may ever have.
    package let byteCount: Int

    /// Maps a file.
    /// - Parameters:
    ///   - file: Open for reading and writing; may be closed afterwards.
    ///   - offset: The position where the memory begins, a multiple of `pageBytes`.
    ///   - byteCount: The size of the memory; it may go beyond the end of the file.
    /// - Throws: `FileError` when there are not as many addresses left, or the file is no regular one.
    package init(
        _ file: borrowing FileDescriptor, from offset: Int, byteCount: Int
    ) throws(FileError) {
        let memory = unsafe mmap(
            nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file.number, offset)
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else {
            throw FileError(errno: errno, "map", file.path)
        }
        unsafe self.memory = memory
        self.byteCount = byteCount
    }

    deinit {
        unsafe munmap(memory, byteCount)
    }

    /// The unit of offsets: 64 KiB, the largest page of any Linux machine in use.
    package static let pageBytes = 65_536

    /// Gives pages back to the system; the file keeps their bytes.
    package borrowing func forget(_ range: Range<Int>) {
        _ = unsafe madvise(memory + range.lowerBound, range.count, MADV_DONTNEED)
    }
}

/// The machine's present start.
package enum Machine {
    /// The name that people know it by; empty if it has none.
    package static var hostName: String {
        unsafe systemText { _ = unsafe gethostname($0, $1 - 1) }
    }

    /// A number that is another one after each start of the machine; 0 if it has no name for it.
    package static var boot: UInt64 {
        guard let file = try? FileDescriptor.reading("/proc/sys/kernel/random/boot_id") else {
            return 0
        }
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = unsafe bytes.withUnsafeMutableBytes { bytes in
            (try? unsafe file.read(into: bytes)) ?? 0
        }
        return Checksum.of(Array(bytes.prefix(count)))
    }
}
