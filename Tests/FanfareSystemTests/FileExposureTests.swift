import FanfareSystem
import FanfareTestSupport
import Glibc
import Testing

/// Files with secrets that other users of the machine may read.
@Suite struct FileExposureTests {
    private let folder: TemporaryFolder
    /// The folder by its path without links.
    private let top: String

    init() throws {
        folder = try TemporaryFolder()
        let found = try #require(unsafe realpath(folder.path, nil))
        defer { unsafe free(found) }
        top = unsafe String(cString: found)
        #expect(mkdir(folder.path("in"), 0o700) == 0)
        try folder.write("secret", to: "in/key")
    }

    private func exposure(_ path: String, file: mode_t, folder mode: mode_t) -> FileExposure? {
        #expect(chmod(folder.path("in/key"), file) == 0)
        #expect(chmod(folder.path("in"), mode) == 0)
        return FileExposure(folder.path(path), below: top)
    }

    @Test(
        arguments: [
            (0o600, 0o755, nil), (0o640, 0o755, nil), (0o440, 0o777, nil), (0o642, 0o755, nil),
            (0o644, 0o755, .own), (0o444, 0o711, .own), (0o604, 0o1777, .own),
            (0o644, 0o700, nil), (0o644, 0o750, nil), (0o644, 0o744, nil),
        ] as [(mode_t, mode_t, FileExposure?)])
    func `others have to be let through and let read`(
        file: mode_t, mode: mode_t, expected: FileExposure?
    ) {
        #expect(exposure("in/key", file: file, folder: mode) == expected)
    }

    /// U+0600 and the slash behind it are one grapheme.
    @Test func `a folder is one whatever its name ends with`() throws {
        #expect(mkdir(folder.path("shut\u{600}"), 0o700) == 0)
        try folder.write("secret", to: "shut\u{600}/key")
        #expect(chmod(folder.path("shut\u{600}/key"), 0o644) == 0)
        #expect(FileExposure(folder.path("shut\u{600}/key"), below: top) == nil)
        #expect(chmod(folder.path("shut\u{600}"), 0o755) == 0)
        #expect(FileExposure(folder.path("shut\u{600}/key"), below: top) == .own)
    }

    @Test func `a link is as open as the file that it leads to`() throws {
        #expect(symlink("in/key", folder.path("link")) == 0)
        #expect(exposure("link", file: 0o644, folder: 0o755) == .own)
        #expect(exposure("link", file: 0o644, folder: 0o700) == nil)
        #expect(exposure("link", file: 0o600, folder: 0o755) == nil)
    }

    @Test func `what is no regular file is none`() throws {
        #expect(exposure("absent", file: 0o644, folder: 0o755) == nil)
        #expect(exposure("in", file: 0o644, folder: 0o755) == nil)
        #expect(FileExposure("/dev/null") == nil)
    }

    @Test(.enabled(if: geteuid() != 0, "the administrator may change every file"))
    func `a file of another user is told apart`() {
        #expect(FileExposure("/etc/passwd") == .ofAnother)
    }
}
