import Foundation
import Glibc
import Synchronization
import Testing

@testable import FanfareSystem

/// Sockets at a path: made for one user, never in place of something that is used.
@Suite struct LocalSocketTests {
    private let folder = FileManager.default.temporaryDirectory
        .appending(path: "fanfare-\(UUID().uuidString.prefix(8))")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private var path: String { folder.appending(path: "s").path }

    private func remove() { try? FileManager.default.removeItem(at: folder) }

    /// True if there is a client, which is closed at once.
    private func accepts(_ listener: borrowing FileDescriptor) throws -> Bool {
        let client = try LocalSocket.accept(listener)
        return client != nil
    }

    private func error(_ body: () throws -> Void) -> FileError? {
        do {
            try body()
            return nil
        } catch {
            return error as? FileError
        }
    }

    @Test func `only the owner may connect`() throws {
        defer { remove() }
        let mask = umask(0)
        defer { umask(mask) }
        let listener = try LocalSocket.listen(at: path)
        var status = stat()
        #expect(lstat(path, &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFSOCK && status.st_mode & 0o777 == 0o600)
        var isTaken = try accepts(listener)
        #expect(!isTaken)
        let client = try LocalSocket.connect(to: path)
        isTaken = try accepts(listener)
        #expect(isTaken)
        // The end of the other side is readable.
        let isEnded = client.isReadable(within: 10_000)
        #expect(isEnded)
    }

    @Test func `this user and root are believed, and no other user`() throws {
        #expect(LocalSocket.isTrusted(user: 1000, by: 1000))
        #expect(LocalSocket.isTrusted(user: 0, by: 1000))
        #expect(!LocalSocket.isTrusted(user: 1001, by: 1000))
        // Root believes no other user either.
        #expect(!LocalSocket.isTrusted(user: 1000, by: 0))
        defer { remove() }
        let listener = try LocalSocket.listen(at: path)
        let client = try LocalSocket.connect(to: path)
        try LocalSocket.checkOwner(of: client)
        let isTaken = try accepts(listener)
        #expect(isTaken)
    }

    @Test func `what a dead process has left is replaced`() throws {
        defer { remove() }
        do {
            let listener = try LocalSocket.listen(at: path)
            let hadClient = listener.isReadable(within: 0)
            #expect(!hadClient)
        }
        let before = try #require(LocalSocket.identity(of: path))
        #expect(error { _ = try LocalSocket.connect(to: path) }?.kind == .connectionRefused)
        let listener = try LocalSocket.listen(at: path)
        let hasNoClient = listener.isReadable(within: 0)
        #expect(!hasNoClient)
        _ = try LocalSocket.connect(to: path)
        let hasClient = listener.isReadable(within: 10_000)
        #expect(hasClient)
        #expect(try #require(LocalSocket.identity(of: path)).device == before.device)
    }

    @Test func `what is used, or no socket, is left alone`() throws {
        defer { remove() }
        let listener = try LocalSocket.listen(at: path)
        let used = error { _ = try LocalSocket.listen(at: path) }
        #expect(used?.kind == .exists && used?.reason == "another process listens there")
        let wasAsked = listener.isReadable(within: 10_000)
        #expect(wasAsked)

        let file = folder.appending(path: "f").path
        try "text".write(toFile: file, atomically: false, encoding: .utf8)
        let link = folder.appending(path: "l").path
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
        for other in [file, folder.path, link] {
            let found = error { _ = try LocalSocket.listen(at: other) }
            #expect(
                found?.kind == .exists
                    && found?.reason == "there is something else, and no socket", "\(other)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "text")
    }

    /// Anybody who may read a folder can lock it: no socket in /tmp should wait for that.
    @Test func `a folder that another process has locked is no obstacle`() throws {
        defer { remove() }
        let number = open(folder.path, O_RDONLY)
        defer { close(number) }
        try #require(flock(number, LOCK_EX) == 0)
        let listener = try LocalSocket.listen(at: path)
        let hasClient = listener.isReadable(within: 0)
        #expect(!hasClient)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["s"], "no file of the lock is left")
    }

    @Test func `a lock's file that leads elsewhere is left alone`() throws {
        defer { remove() }
        let victim = folder.appending(path: "victim").path
        try "text".write(toFile: victim, atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: LocalSocket.lockPath(of: path), withDestinationPath: victim)
        let listener = try LocalSocket.listen(at: path)
        let hasClient = listener.isReadable(within: 0)
        #expect(!hasClient)
        #expect(try String(contentsOfFile: victim, encoding: .utf8) == "text")
    }

    @Test func `a file in the lock's place is left alone unless nothing is in it`() throws {
        defer { remove() }
        let file = folder.appending(path: "s.lock").path
        for (text, isLeft) in [("precious", true), ("", false)] {
            try text.write(toFile: file, atomically: false, encoding: .utf8)
            let listener = try LocalSocket.listen(at: path)
            let hasClient = listener.isReadable(within: 0)
            #expect(!hasClient)
            #expect(FileManager.default.fileExists(atPath: file) == isLeft)
            if isLeft { #expect(try String(contentsOfFile: file, encoding: .utf8) == text) }
            try FileDescriptor.remove(path)
        }
    }

    /// Remains are looked after under a lock.
    @Test func `many may be made in one folder at a time`() throws {
        defer { remove() }
        let folder = folder
        for _ in 0..<2 {
            let made = Mutex(0)
            DispatchQueue.concurrentPerform(iterations: 32) { number in
                let path = folder.appending(path: "\(number)").path
                let listener = try? LocalSocket.listen(at: path)
                if listener != nil { made.withLock { $0 += 1 } }
            }
            // The second time in place of what the first has left.
            #expect(made.withLock { $0 } == 32)
        }
    }

    @Test func `a path that no socket can have is told`() throws {
        defer { remove() }
        let long = String(repeating: "x", count: 108)
        #expect(
            error { _ = try LocalSocket.listen(at: long) }?.reason
                == "a socket's path has at most 107 bytes")
        #expect(error { _ = try LocalSocket.listen(at: "") }?.kind == .notFound)
        #expect(error { _ = try LocalSocket.listen(at: "a\0b") }?.kind == .notFound)
        #expect(error { _ = try LocalSocket.connect(to: path) }?.kind == .notFound)
        #expect(error { _ = try LocalSocket.listen(at: path + "/no") }?.kind == .notFound)
    }
}
