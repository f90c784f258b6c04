import FanfareBase
import FanfareCompression
import FanfareSystem

/// The names of a report that is split by its size.
///
/// They are `report.csv`, `report-2.csv`, `report-3.csv` and so on. The first part has the report's
/// own name, so that a small report is the same as without splitting.
package struct ReportParts: Equatable, Sendable {
    /// The first part's path.
    package let path: String
    private let stem: String
    private let ending: String

    /// Names the parts of a report.
    package init(_ path: String) {
        self.path = path
        let name = CompressionFormat.split(path).name
        let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) ?? name.endIndex
        stem = String(name[..<dot])
        ending = String(decoding: path.utf8.dropFirst(stem.utf8.count), as: UTF8.self)
    }

    /// The path of a part, counted from 1.
    package func path(of part: Int) -> String {
        part == 1 ? path : "\(stem)-\(part)\(ending)"
    }

    /// Returns the number of the part behind the first one that a path names, in this spelling.
    func part(named path: String) -> Int? {
        // By bytes: one part is no other file's, whose name only looks the same.
        let (beginning, bytes) = ("\(stem)-".utf8, path.utf8)
        guard bytes.count > beginning.count + ending.utf8.count, bytes.starts(with: beginning),
            bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        else { return nil }
        let digits = String(
            decoding: bytes.dropFirst(beginning.count).dropLast(ending.utf8.count), as: UTF8.self)
        guard let part = Int(digits), part > 1, String(part) == digits else { return nil }
        return part
    }

    /// Returns the first of some paths that leads to a part behind the first one, or to a future
    /// one's place.
    ///
    /// It compares the files, not their names: neither another spelling nor a link misleads it.
    /// - Parameter paths: The paths to look at; `-` is standard input, which may be a file.
    /// - Returns: The path; nil if none leads there.
    package func firstPart(among paths: [String]) -> String? {
        let there = (try? later()) ?? []
        let own = ReportParts(FileDescriptor.spelledOut(path))
        return paths.first { other in
            if other == "-" { return there.contains { FileDescriptor.isStandardInput($0) } }
            return own.part(named: FileDescriptor.place(of: other)) != nil
                || own.part(named: FileDescriptor.spelledOut(other)) != nil
                || there.contains { FileDescriptor.areSame($0, other) }
        }
    }

    /// All files with the name of a part behind the first one, gaps or not.
    func later() throws(FileError) -> [String] {
        let folder = String(path[..<path.nameIndex])
        return try FileDescriptor.names(inFolder: folder.isEmpty ? "." : folder)
            .compactMap { name in part(named: folder + name).map { ($0, folder + name) } }
            .sorted { $0.0 < $1.0 }.map { $0.1 }
    }
}

/// The way a file is split by its size.
struct OutputSplit: Equatable, Sendable {
    var parts: ReportParts
    /// No part gets longer, unless one block of records is.
    var bytesMax: Int
}
