internal import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// Access to the entries of folders.
extension FileDescriptor {
    /// Returns the folder that a path is in, as a path with a slash at its end; `.` for one
    /// without.
    package static func folder(of path: String) -> String {
        let name = path.nameIndex
        return name == path.startIndex ? "." : String(path[..<name])
    }

    /// Returns the place that a path leads to, from the root and without links, even if nothing is
    /// there yet.
    package static func place(of path: String) -> String {
        var path = path
        // Links may lead in a circle; Linux follows as many.
        for _ in 0..<40 {
            if let known = try? resolved(path) { return known }
            guard let next = target(ofLink: path) else { break }
            path = next.utf8.first == UInt8(ascii: "/") ? next : folder(of: path) + "/" + next
        }
        return spelledOut(path)
    }

    /// Returns a path from the root, without links on the way; the last name may be a link.
    package static func spelledOut(_ path: String) -> String {
        let parent = folder(of: path)
        let known = (try? resolved(parent)) ?? parent
        return (known.hasSuffix("/") ? known : known + "/") + path[path.nameIndex...]
    }

    /// Returns the target that a link names; `nil` if the path is no link.
    private static func target(ofLink path: String) -> String? {
        // Linux has no longer paths.
        let room = 4096
        var text = [CChar](repeating: 0, count: room)
        let count = unsafe readlink(path, &text, room)
        guard count > 0, count < room else { return nil }
        return String(decoding: text[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// True if a path leads to a folder.
    package static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Renames a file, in place of a file that has the new name.
    package static func rename(_ path: String, to name: String) throws(FileError) {
        guard unsafe Glibc.rename(path, name) == 0 else {
            throw FileError(errno: errno, "rename", name)
        }
    }

    /// Returns the names of all that is in a folder, in no order.
    package static func names(inFolder path: String) throws(FileError) -> [String] {
        guard let folder = unsafe opendir(path) else {
            throw FileError(errno: errno, "open", path)
        }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while true {
            // Only `errno` tells the end from a failure.
            errno = 0
            guard let entry = unsafe readdir(folder) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) {
                    unsafe String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        guard errno == 0 else { throw FileError(errno: errno, "read", path) }
        return names
    }
}
