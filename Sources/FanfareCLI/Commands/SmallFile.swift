import FanfareBase
import FanfareCore
import FanfareSystem

/// Files that are read or written whole: templates, scenarios, summaries, certificates.
enum SmallFile {
    /// Reads a file; `-` is standard input.
    /// - Throws: `FileError`, also when the file is larger than `bytesMax`.
    static func read(_ path: String, bytesMax: Int) throws(FileError) -> [UInt8] {
        let file: FileDescriptor = path == "-" ? .standardInput : try .reading(path)
        var bytes = ByteBuffer(capacity: 16 * 1024)
        while bytes.count <= bytesMax {
            let space = 16 * 1024
            let count = unsafe try file.read(
                into: UnsafeMutableRawBufferPointer(start: bytes.space(space), count: space))
            if count == 0 { return unsafe Array(bytes.bytes) }
            bytes.commit(count)
        }
        throw FileError(tooLarge: path, bytesMax: bytesMax)
    }

    /// Writes a text in place of an older one; `-` is standard output.
    static func write(
        _ text: String, to path: String, isPublic: Bool = false
    ) throws(FileError) {
        try write(Array(text.utf8), to: path, isPublic: isPublic)
    }

    /// Writes a file in place of an older one; `-` is standard output.
    /// - Parameters:
    ///   - bytes: The new content.
    ///   - path: The file.
    ///   - isPublic: True if others than the owner may read a new file: it contains no tokens and
    ///     no rows.
    /// - Throws: `FileError` when it cannot be written.
    static func write(
        _ bytes: [UInt8], to path: String, isPublic: Bool = false
    ) throws(FileError) {
        // A named pipe's reader may go.
        if path != "-" { ProcessSignal.blockBrokenPipe() }
        let file: FileDescriptor =
            path == "-"
            ? .standardOutput : try .writing(path, existing: .truncate, isPublic: isPublic)
        var failure: FileError?
        unsafe bytes.withUnsafeBytes { bytes in
            do throws(FileError) {
                unsafe try file.writeAll(bytes)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        try file.close()
    }

    /// Puts a new file in the place of an older one at one moment, so that no reader sees half of it and
    /// no kill leaves half of it.
    /// - Parameters:
    ///   - bytes: The new content.
    ///   - path: The file, an ordinary one or none.
    /// - Throws: `FileError` when it cannot be written; the older one is as it was then.
    static func replace(_ bytes: [UInt8], at path: String) throws(FileError) {
        var place = path
        if FileDescriptor.exists(path) { place = try FileDescriptor.resolved(path) }
        var generator = SystemRandomNumberGenerator()
        let draft = "\(place).\(String(generator.next() as UInt64, radix: 36)).new"
        try replace(bytes, at: place, by: draft, existing: .refuse)
    }

    /// Does so by a draft with a given name, which is gone afterwards in any case.
    /// - Parameters:
    ///   - bytes: The new content, which others than the owner may read.
    ///   - path: The file, or none.
    ///   - draft: The name of the draft, in the same folder.
    ///   - existing: The fate of a file that has the draft's name.
    /// - Throws: `FileError` when it cannot be written; the older file is as it was then.
    static func replace(
        _ bytes: [UInt8], at path: String, by draft: String, existing: FileDescriptor.Existing
    ) throws(FileError) {
        do throws(FileError) {
            let file = try FileDescriptor.writing(draft, existing: existing, isPublic: true)
            // Its readers may be other users, whom an administrator has let in.
            if FileDescriptor.exists(path) { try? file.copyAccess(from: path) }
            try file.close()
            try write(bytes, to: draft)
            try FileDescriptor.replace(path, by: draft)
        } catch {
            try? FileDescriptor.removeIfThere(draft)
            throw error
        }
    }
}
