import FanfareCLI
import FanfareSystem
import FanfareTestSupport
import Foundation
import Glibc
import Testing

/// The folders in which jobs are found.
@Suite struct JobFolderTests {
    private func paths(
        _ runtime: String?, user: UInt32 = 1000, own: Set<String>
    ) -> [String] {
        JobFolder.all(runtime: runtime, user: user) { own.contains($0) }.map(\.path)
    }

    @Test func `the runtime folder comes first, and a folder that is always there last`() {
        #expect(
            paths("/run/user/1000", own: ["/run/user/1000"])
                == ["/run/user/1000/fanfare", "/tmp/fanfare-1000"])
        #expect(
            paths("/x/", own: ["/x/", "/run/user/1000"])
                == ["/x/fanfare", "/run/user/1000/fanfare", "/tmp/fanfare-1000"])
        // cron sets no variable, and the folder of the session is there all the same.
        #expect(
            paths(nil, own: ["/run/user/1000"]) == ["/run/user/1000/fanfare", "/tmp/fanfare-1000"])
        #expect(paths(nil, own: []) == ["/tmp/fanfare-1000"])
        // As a service of systemd has it.
        #expect(paths(nil, own: ["/run/fanfare"]) == ["/run/fanfare", "/tmp/fanfare-1000"])
    }

    @Test func `a runtime folder of another user, or a relative one, is passed over`() {
        // As sudo leaves the variable.
        #expect(paths("/run/user/1000", user: 0, own: []) == ["/run/fanfare", "/tmp/fanfare-0"])
        #expect(paths("run", own: ["run"]) == ["/tmp/fanfare-1000"])
        #expect(paths("", own: [""]) == ["/tmp/fanfare-1000"])
    }

    @Test func `a folder that somebody else has put in its place is warned of`() throws {
        let files = try TemporaryFolder()
        let good = JobFolder(path: files.path("good"))
        let bad = JobFolder(path: files.path("bad"))
        #expect(mkdir(bad.path, 0o700) == 0 && chmod(bad.path, 0o777) == 0)
        // With another one that can be had there is nothing to say.
        #expect(JobFolder.make([bad, good]) == .success(good))
        #expect(JobFolder.warning(JobFolder.make([bad, good])) == nil)
        #expect(
            JobFolder.warning(JobFolder.make([bad]))
                == "fanfare jobs and fanfare control will not find this job, because \(bad.path) cannot "
                + "be used: others may write to it; chmod go-w ends that; --control PATH makes a "
                + "socket elsewhere, and so does XDG_RUNTIME_DIR with the path of a folder of your own"
        )
        // A folder that cannot be made, as in a system that is only read.
        let nowhere = JobFolder(path: files.path("nothing/fanfare"))
        #expect(JobFolder.warning(JobFolder.make([nowhere])) == nil)
    }

    @Test func `a folder that others may write to, a link and a file are refused`() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("fanfare")
        try PrivateFolder.make(path)
        try PrivateFolder.make(path)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(chmod(path, 0o770) == 0)
        #expect(throws: FileError.self) { try PrivateFolder.make(path) }
        #expect(chmod(path, 0o755) == 0)
        try PrivateFolder.make(path)
        #expect(symlink(path, folder.path("link")) == 0)
        #expect(throws: FileError.self) { try PrivateFolder.make(folder.path("link")) }
        #expect(!PrivateFolder.isOwn(folder.path("link")) && PrivateFolder.isOwn(path))
        try folder.write("", to: "file")
        #expect(throws: FileError.self) { try PrivateFolder.make(folder.path("file")) }
        #expect(throws: FileError.self) { try PrivateFolder.check(folder.path("nothing")) }
    }
}
