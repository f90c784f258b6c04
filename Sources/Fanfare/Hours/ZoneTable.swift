import FanfareBase
import FanfareCore
import FanfareSystem

/// The rules of time zones by name, from the system's data.
///
/// Use from one thread at a time.
struct ZoneTable {
    static let systemFolder = "/usr/share/zoneinfo"

    private let folder: String
    /// Unknown names are remembered, too: a file may have one in each row.
    private var known: [String: TimeZoneRules?] = [:]

    init(folder: String = Self.systemFolder) {
        self.folder = folder
    }

    /// The rules of a zone; `nil` if there is none of that name.
    mutating func rules(_ name: String) -> TimeZoneRules? {
        if let found = known[name] { return found }
        let rules = try? load(name)
        if known.count < Limits.zonesMax { known[name] = .some(rules) }
        return rules
    }

    private struct Unknown: Error {}

    private func load(_ name: String) throws -> TimeZoneRules {
        guard Self.isName(name) else { throw Unknown() }
        let file = try FileDescriptor.reading("\(folder)/\(name)")
        guard try file.isRegularFile, try file.size <= Limits.zoneFileBytesMax else {
            throw Unknown()
        }
        return try TimeZoneRules(tzif: try file.bytes(try file.size, at: 0))
    }

    /// `Europe/Berlin`, `Etc/GMT+1`: no path that leads elsewhere.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        return name.utf8.count <= Limits.zoneNameBytesMax
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy {
                        (48...57).contains($0) || (65...90).contains($0 & 0xDF)
                            || "+-_".utf8.contains($0)
                    }
            }
    }
}
