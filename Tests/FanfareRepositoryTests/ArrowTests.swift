import Foundation
import Testing

/// The names that each place may use: targets by their imports, folders of `Fanfare` by the types
/// of each other.
///
/// The tables here are the picture of ARCHITECTURE.md as a machine reads it.
@Suite struct ArrowTests {
    /// The targets that a target may import, besides C libraries of its own.
    private static let targets: [String: Set<String>] = [
        "FanfareBase": [],
        "FanfareSystem": ["FanfareBase"],
        "FanfareLoop": ["FanfareBase", "FanfareSystem"],
        "FanfareTLS": ["FanfareBase"],
        "FanfareHTTP2": ["FanfareBase"],
        "FanfareHTTP1": ["FanfareBase", "FanfareHTTP2"],
        "FanfareHTTP2Server": ["FanfareBase", "FanfareHTTP2"],
        "FanfareCompression": ["FanfareBase"],
        "FanfareSQLite": ["FanfareBase"],
        "FanfarePostgres": ["FanfareBase", "FanfareSystem"],
        "FanfareCore": ["FanfareBase"],
        "FanfareJSON": ["FanfareBase", "FanfareCore"],
        "FanfareFigures": ["FanfareBase", "FanfareCore"],
        "Fanfare": [
            "FanfareBase", "FanfareSystem", "FanfareLoop", "FanfareTLS", "FanfareHTTP1",
            "FanfareHTTP2", "FanfareCompression", "FanfareSQLite", "FanfarePostgres",
            "FanfareCore", "FanfareJSON", "FanfareFigures",
        ],
        "FanfareFoundation": ["FanfareBase", "FanfareCore", "Fanfare"],
        "FanfareSimulator": [
            "FanfareBase", "FanfareSystem", "FanfareLoop", "FanfareTLS", "FanfareHTTP2",
            "FanfareHTTP2Server", "FanfareCore", "FanfareJSON", "Fanfare",
        ],
        "FanfareCLI": [
            "FanfareBase", "FanfareSystem", "FanfareLoop", "FanfareTLS", "FanfareHTTP2",
            "FanfareCore", "FanfareJSON", "FanfareFigures", "Fanfare", "FanfareSimulator",
        ],
    ]

    /// The folders of `Fanfare` that each one may name; all may name the files beside the folders.
    ///
    /// A folder stands below those that it names, so no two can name each other.
    private static let folders: [(name: String, mayName: Set<String>)] = [
        ("Declared", []),
        ("Configuration", ["Declared"]),
        ("OAuth", ["Configuration", "Declared"]),
        ("Output", ["Configuration"]),
        ("Hours", ["Output"]),
        ("Input", ["Configuration", "Output"]),
        ("Ordering", ["Configuration", "Input", "Output"]),
        ("Checkpoint", ["Configuration", "Input", "Output"]),
        ("Report", ["Checkpoint", "Configuration", "Input", "Ordering", "Output"]),
        ("Cluster", ["Checkpoint", "Configuration", "Input"]),
        ("Log", ["Configuration", "Input"]),
        ("Provider", ["Configuration", "Declared"]),
        ("Engine", ["Configuration", "Input", "Output", "Provider"]),
        ("Lane", ["Configuration", "Engine", "Log", "Output"]),
        ("Access", ["Configuration", "Engine", "Lane", "OAuth", "Provider"]),
        (
            "Job",
            [
                "Access", "Checkpoint", "Cluster", "Configuration", "Declared", "Engine", "Input",
                "Lane",
                "Log", "OAuth", "Ordering", "Output", "Provider", "Report", "Hours",
            ]
        ),
        (
            "Load",
            [
                "Checkpoint", "Configuration", "Engine", "Input", "Job", "Lane", "Output",
                "Provider",
            ]
        ),
        ("Notices", ["Access", "Configuration", "Job", "OAuth"]),
        ("Push", ["Configuration", "Input", "Job", "Report"]),
    ]

    /// Types that folders name against the table, most of which are in the wrong one.
    ///
    /// The list gets shorter only.
    private static let misplaced: [String: Set<String>] = [
        "Checkpoint → Job": ["PreparedJob"],
        "Checkpoint → Report": ["ReportLineReader"],
        "Configuration → Input": ["RowSequence"],
        "Job → Push": ["PushOutcome"],
        "Lane → Job": [
            "JobControl", "JobProgress", "OutcomeGuard", "ReportSink",
        ],
        "Log → Job": ["PreparedJob", "JobResult"],
        "Ordering → Job": ["JobControl"],
        "Output → Checkpoint": ["CheckpointFile", "FileChecksum", "MappedFile", "MarkStorage"],
        "Output → Job": ["Rehearsal"],
        "Output → Report": ["ReportReader"],
    ]

    @Test func `a target imports what stands in the table`() throws {
        for file in try Tree.swift(in: "Sources") {
            let target = try #require(file.path.split(separator: "/").dropFirst().first)
            let allowed = try #require(
                Self.targets[String(target)], "\(target) has no line in the table of targets")
            for (number, line) in file.lines where line.contains("import ") {
                guard let match = line.firstMatch(of: /^[\w@ ]*\bimport (?:\w+ )?(Fanfare\w*)/)
                else { continue }
                #expect(
                    allowed.contains(String(match.1)),
                    "\(file.path):\(number): \(target) may not import \(match.1) (STYLE: Layout)")
            }
        }
    }

    @Test func `no target of the table imports itself, through others or not`() {
        var open = Self.targets
        while let leaf = open.first(where: { $0.value.isDisjoint(with: open.keys) }) {
            open[leaf.key] = nil
        }
        #expect(open.isEmpty)
    }

    @Test func `a folder of the table names folders above it`() {
        var above: Set<String> = []
        for (name, mayName) in Self.folders {
            #expect(mayName.isSubset(of: above), "\(name)")
            above.insert(name)
        }
    }

    @Test func `a folder of the library names the types of those in the table`() throws {
        let files = try Tree.swift(in: "Sources/Fanfare").map { (file: $0, code: $0.code) }
        let homes = Self.homes(files)
        let allowed = Dictionary(
            uniqueKeysWithValues: Self.folders.map { ($0.name, $0.mayName) })
        var found: [String: Set<String>] = [:]
        for (file, code) in files {
            guard let folder = Self.folder(file.path) else { continue }
            let mayName = try #require(
                allowed[folder], "\(folder) has no line in the table of folders")
            for (number, text) in code {
                for name in Self.names(in: text) {
                    guard let home = homes[name], home != folder, !mayName.contains(home) else {
                        continue
                    }
                    let arrow = "\(folder) → \(home)"
                    found[arrow, default: []].insert(name)
                    #expect(
                        Self.misplaced[arrow]?.contains(name) == true,
                        "\(file.path):\(number): \(folder) may not name \(name) of \(home)")
                }
            }
        }
        for (arrow, names) in Self.misplaced {
            for name in names.subtracting(found[arrow] ?? []) {
                Issue.record("\(arrow): does not name \(name) any more; take it out of the list")
            }
        }
    }

    /// In which folder each type of the library is declared, as far as it is no member of another one.
    private static func homes(
        _ files: [(file: Tree.File, code: [(number: Int, text: String)])]
    ) -> [String: String] {
        let kinds = ["struct", "enum", "class", "protocol", "actor", "typealias"]
        var homes: [String: String] = [:]
        for (file, code) in files {
            guard let folder = folder(file.path) else { continue }
            for (_, text) in code where text.first?.isWhitespace == false {
                let words = text.split(separator: " ")
                guard let kind = words.firstIndex(where: { kinds.contains(String($0)) }) else {
                    continue
                }
                let name = words.dropFirst(kind + 1).first?.prefix { $0.isLetter || $0.isNumber }
                if let name { homes[String(name)] = folder }
            }
        }
        return homes
    }

    /// The folder in `Sources/Fanfare`; `nil` for a file beside the folders.
    private static func folder(_ path: String) -> String? {
        let parts = path.split(separator: "/")
        return parts.count > 3 ? String(parts[2]) : nil
    }

    /// Words with a capital that are no member of something.
    private static func names(in code: String) -> [String] {
        let words = code.utf8.split(
            omittingEmptySubsequences: false,
            whereSeparator: { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    false
                default: true
                }
            })
        return words.compactMap { word in
            guard let first = word.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z")
            else { return nil }
            return String(word.prefix { $0 != UInt8(ascii: ".") })
        }
    }
}
