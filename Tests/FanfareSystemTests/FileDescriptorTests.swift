import Glibc
import Testing

@testable import FanfareSystem

@Suite struct FileDescriptorTests {
    /// A folder of its own, removed when the test ends.
    private final class Folder {
        let path: String

        init() throws {
            var template = Array("/tmp/fanfare-test-XXXXXX".utf8CString)
            path = try #require(mkdtemp(&template).map { String(cString: $0) })
        }

        deinit {
            for name in ["a", "b"] { unlink("\(path)/\(name)") }
            rmdir(path)
        }
    }

    private func content(_ path: String) throws -> [UInt8] {
        let file = try FileDescriptor.reading(path)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 3)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0) }
            if count == 0 { return bytes }
            bytes += buffer[..<count]
        }
    }

    private func write(_ text: String, _ path: String, _ existing: FileDescriptor.Existing) throws {
        let file = try FileDescriptor.writing(path, existing: existing)
        try Array(text.utf8).withUnsafeBytes { try file.writeAll($0) }
        try file.synchronize()
        try file.close()
    }

    @Test func `what is written can be read, replaced and kept`() throws {
        let folder = try Folder()
        let path = folder.path + "/a"
        try write("trumpets", path, .refuse)
        #expect(try content(path) == Array("trumpets".utf8))
        #expect {
            try write("x", path, .refuse)
        } throws: { error in
            (error as? FileError)?.kind == .exists
        }
        try write("TR", path, .keep)
        #expect(try content(path) == Array("TRumpets".utf8))
        try write("drum", path, .truncate)
        #expect(try content(path) == Array("drum".utf8))
    }

    @Test(arguments: [
        ("a", "."), ("a/b", "a/"), ("/a", "/"), ("a/b/", "a/b/"), ("", "."),
        ("in\u{600}/a", "in\u{600}/"), ("in/\u{301}a", "in/"), ("\u{D4E}/\u{301}", "\u{D4E}/"),
    ])
    func `a path's folder ends with its last slash`(path: String, folder: String) {
        #expect(Array(FileDescriptor.folder(of: path).utf8) == Array(folder.utf8))
    }

    @Test func `a file can be cut and goes on from there`() throws {
        let folder = try Folder()
        let path = folder.path + "/a"
        try write("trumpets", path, .refuse)
        let file = try FileDescriptor.writing(path, existing: .keep)
        try file.truncate(toBytes: 4)
        try Array("p".utf8).withUnsafeBytes { try file.writeAll($0) }
        let size = try file.size
        let isRegular = try file.isRegularFile
        #expect(size == 5)
        #expect(isRegular)
        #expect(try content(path) == Array("trump".utf8))
    }

    @Test(arguments: [(false, 0o600), (true, 0o644)])
    func `a new file has the permissions asked for, less the mask`(
        isPublic: Bool, mode: mode_t
    ) throws {
        let folder = try Folder()
        let file = try FileDescriptor.writing(
            folder.path + "/b", existing: .refuse, isPublic: isPublic)
        try file.close()
        var status = stat()
        #expect(stat(folder.path + "/b", &status) == 0)
        let mask = umask(0)
        umask(mask)
        #expect(status.st_mode & 0o777 == mode & ~mask)
    }

    @Test func `a name is taken away once or more, and nothing else goes`() throws {
        let folder = try Folder()
        let (path, link) = (folder.path + "/a", folder.path + "/b")
        try write("trumpets", path, .refuse)
        try FileDescriptor.removeIfThere(path)
        #expect(access(path, F_OK) != 0)
        try FileDescriptor.removeIfThere(path)
        // A link that leads nowhere is there, although nothing can be read of it.
        #expect(symlink(path, link) == 0)
        try FileDescriptor.removeIfThere(link)
        var status = stat()
        #expect(lstat(link, &status) != 0)
        let isFolder = #expect(throws: FileError.self) {
            try FileDescriptor.removeIfThere(folder.path)
        }
        #expect(isFolder?.operation == "remove")
    }

    @Test func `errors say what, where and why`() throws {
        let folder = try Folder()
        let missing = #expect(throws: FileError.self) {
            _ = try FileDescriptor.reading(folder.path + "/missing")
        }
        #expect(missing?.kind == .notFound)
        #expect(
            missing?.description == "open \(folder.path)/missing: no such file or directory")
        let directory = #expect(throws: FileError.self) {
            _ = try FileDescriptor.reading(folder.path)
        }
        #expect(directory?.kind == .isDirectory)
        let full = #expect(throws: FileError.self) {
            let file = try FileDescriptor.writing("/dev/full", existing: .keep)
            try [UInt8](repeating: 0, count: 10).withUnsafeBytes { try file.writeAll($0) }
        }
        #expect(full?.kind == .noSpace)
    }

    @Test func `a descriptor that was handed over is written on where it stands`() throws {
        let folder = try Folder()
        let path = folder.path + "/a"
        try write("old", path, .refuse)
        let number = open(path, O_WRONLY | O_APPEND)
        defer { close(number) }
        for folder in ["/dev/fd/", "/proc/self/fd/"] {
            for existing in [FileDescriptor.Existing.keep, .truncate, .refuse] {
                let file = try FileDescriptor.writing("\(folder)\(number)", existing: existing)
                let isShared = file.isShared
                #expect(isShared)
                try Array("+".utf8).withUnsafeBytes { try file.writeAll($0) }
                try file.close()
            }
        }
        #expect(try content(path) == Array("old++++++".utf8))
        #expect(fcntl(number, F_GETFD) >= 0)
        let error = #expect(throws: FileError.self) {
            _ = try FileDescriptor.writing("/dev/fd/987654", existing: .keep)
        }
        #expect(error?.reason == "bad file descriptor")
    }

    @Test func `a reader that takes nothing is waited for as long as that is wanted`() throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reader = ends[0]
        defer { close(reader) }
        let file = FileDescriptor(number: ends[1], isOwned: true, path: "pipe")
        // More than a page, and not a multiple of one.
        let text = (0..<10_001).map { UInt8(truncatingIfNeeded: $0) }
        try text.withUnsafeBytes { try file.writeAll($0, while: { true }) }
        var found = [UInt8](repeating: 0, count: 20_000)
        let count = read(reader, &found, found.count)
        #expect(Array(found.prefix(count)) == text)
        var looks = 0
        var reason = ""
        do {
            // More than a pipe holds.
            try [UInt8](repeating: 0, count: 1 << 21).withUnsafeBytes { bytes in
                try file.writeAll(bytes) {
                    looks += 1
                    return looks < 2
                }
            }
        } catch let error as FileError {
            reason = error.reason
        }
        #expect(reason == "its reader takes nothing")
        #expect(looks == 2)
    }

    @Test func `what was opened here was not handed over`() throws {
        let inherited = open("/dev/null", O_RDONLY)
        defer { close(inherited) }
        #expect(FileDescriptor.isInherited(inherited))
        let file = try FileDescriptor.reading("/dev/null")
        let number = file.number
        #expect(!FileDescriptor.isInherited(number))
        let copy = try FileDescriptor.writing("/dev/fd/\(inherited)", existing: .keep)
        let copyNumber = copy.number
        #expect(!FileDescriptor.isInherited(copyNumber))
        #expect(!FileDescriptor.isInherited(987_654) && !FileDescriptor.isInherited(-1))
        try file.close()
        try copy.close()
    }

    @Test func `a named pipe that is written has no other reader than its reader`() throws {
        ProcessSignal.blockBrokenPipe()
        let folder = try Folder()
        let path = folder.path + "/a"
        #expect(mkfifo(path, 0o600) == 0)
        for existing in [FileDescriptor.Existing.keep, .truncate] {
            // Before, so that the writer does not wait for it.
            let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            let file = try FileDescriptor.writing(path, existing: existing)
            try Array("+".utf8).withUnsafeBytes { try file.writeAll($0) }
            close(reader)
            var kind: FileError.Kind?
            do {
                try Array("+".utf8).withUnsafeBytes { try file.writeAll($0) }
            } catch let error as FileError {
                kind = error.kind
            }
            #expect(kind == .brokenPipe)
        }
        // There is no reader, so that opening it would take for ever.
        try FileDescriptor.checkWritable(path)
        let error = #expect(throws: FileError.self) {
            _ = try FileDescriptor.writing(path, existing: .refuse)
        }
        #expect(error?.kind == .exists)
    }

    @Test func `the standard streams stay open`() throws {
        do {
            let output = FileDescriptor.standardOutput
            try output.close()
            _ = FileDescriptor.standardInput
        }
        #expect(fcntl(STDOUT_FILENO, F_GETFD) >= 0)
        #expect(fcntl(STDIN_FILENO, F_GETFD) >= 0)
    }

    @Test func `a lock that was let go of is free, also if a copy is open`() throws {
        let folder = try Folder()
        let path = folder.path + "/a"
        let file = try FileDescriptor.writing(path, existing: .refuse)
        #expect(try file.tryLock())
        // As a process that is just being started has one.
        let copy = dup(file.number)
        defer { close(copy) }
        let other = try FileDescriptor.writing(path, existing: .keep)
        #expect(try !other.tryLock())
        file.unlock()
        #expect(try other.tryLock())
    }
}
