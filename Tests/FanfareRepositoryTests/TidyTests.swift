import Foundation
import Testing

/// The rules of `STYLE.md` that neither the compiler nor the formatter can see.
///
/// Each message names the section that has the reason.
@Suite struct TidyTests {
    @Test func `a C library is imported by its wrapper alone`() throws {
        let wrappers = [
            "CUV": "FanfareLoop", "CNghttp2": "FanfareHTTP2Server", "COpenSSL": "FanfareTLS",
            "CSimdjson": "FanfareJSON", "CZlib": "FanfareCompression",
            "CZstd": "FanfareCompression", "CSQLite": "FanfareSQLite", "CSystem": "FanfareSystem",
            "CPostgres": "FanfarePostgres", "CLines": "FanfareCore", "CShipped": "Fanfare",
        ]
        for file in try Tree.swift(in: "Sources", "Tests") {
            for (number, line) in file.lines {
                for (library, wrapper) in wrappers where line.hasSuffix("import \(library)") {
                    #expect(
                        file.path.hasPrefix("Sources/\(wrapper)/")
                            || file.path.hasPrefix("Tests/\(wrapper)Tests/")
                            // Our sessions are held against nghttp2's.
                            || library == "CNghttp2"
                                && file.path.hasPrefix("Tests/FanfareHTTP2Tests/")
                            // Where OpenSSL itself is the peer.
                            || file.path == "Tests/FanfareTestSupport/RawTLS.swift"
                            // Where the libraries are the other side of what is fuzzed.
                            || file.path.hasPrefix("Tests/FanfareFuzzTests/"),
                        "\(file.path):\(number): only \(wrapper) and its tests may import \(library) (STYLE: Layout)"
                    )
                }
            }
        }
    }

    @Test func `no target of the product imports Foundation`() throws {
        for file in try Tree.swift(in: "Sources") {
            for (number, line) in file.lines where line.hasSuffix("import Foundation") {
                Issue.record("\(file.path):\(number): imports Foundation (STYLE: The hot path)")
            }
        }
    }

    @Test func `files have 500 lines at most, functions 70`() throws {
        for file in try Tree.swift(in: "Sources", "Tests") {
            #expect(
                file.lines.count <= 500, "\(file.path): \(file.lines.count) lines (STYLE: Files)")
            // A test may well be a long table.
            for function in file.functions where file.path.hasPrefix("Sources/") {
                #expect(
                    function.lineCount <= 70,
                    "\(file.path):\(function.line): \(function.lineCount) lines (STYLE: Files)")
            }
        }
    }

    /// The calls that are banned, the calls in their place, and the places where they are allowed.
    private static let banned = [
        // A connection's reads are few enough for a reference count; a stream's events are not.
        // A row's payload template is borrowed from the settings that hold it, and `Held` is what
        // its batch and its report block are borrowed by.
        (
            "Unmanaged", "Pinned", "C libraries",
            [
                "FanfareLoop", "FanfareSystem/WorkerThread", "FanfareTLS/SystemRoots",
                "Fanfare/Engine/RowPreparer",
                "Fanfare/Engine/Held",
            ]
        ),
        ("fatalError(", "preconditionFailure(\"BUG: …\")", "State machines", []),
        ("DispatchQueue", "WorkerThread and Handoff", "Layout", []),
        (" print(", "Terminal.print", "Errors and outcomes", ["FanfareCLI/Terminal.swift"]),
    ]

    @Test func `nothing banned is called`() throws {
        for file in try Tree.swift(in: "Sources") {
            for (call, instead, section, exempt) in Self.banned
            where !exempt.contains(where: { file.path.hasPrefix("Sources/\($0)") }) {
                for (number, line) in file.lines
                where line.contains(call) && !line.trimmed.hasPrefix("//") {
                    Issue.record(
                        "\(file.path):\(number): \(call) – use \(instead) (STYLE: \(section))")
                }
            }
        }
    }

    /// Functions that look for characters as Swift knows them, and what must not be looked for so: quotes, and what else
    /// means something in a language that we write.
    private static let searches: [(call: String, characters: String)] = [
        ("replacing(", "'\"\\&<>`$"), ("split(", "'\"\\&<>`$"), ("components(", "'\"\\&<>`$"),
        ("firstIndex(", "'\"\\&<>`$"), ("lastIndex(", "'\"\\&<>`$/"), ("ranges(", "'\"\\&<>`$"),
        ("firstRange(", "'\"\\&<>`$"),
    ]

    @Test(arguments: [
        #"text.replacing("'", with: "''")"#, #"text.replacing("\"", with: "")"#,
        #"x.split(separator: "\\")"#,
        #"x.split("# + "\n" + #"    separator: "a<", maxSplits: 1)"#, #"path.lastIndex(of: "/")"#,
    ])
    func `a search by graphemes is found`(code: String) {
        #expect(Self.badSearches(code.split(separator: "\n").map(String.init)) == [1])
    }

    @Test func `quotes are looked for in bytes`() throws {
        for file in try Tree.swift(in: "Sources") {
            for number in Self.badSearches(file.lines.map(\.text)) {
                Issue.record(
                    "\(file.path):\(number): looks for graphemes – use escaping or utf8 (STYLE: Errors and outcomes)"
                )
            }
        }
    }

    /// The numbers of the lines with such a search.
    private static func badSearches(_ lines: [String]) -> [Int] {
        var numbers: [Int] = []
        for (index, line) in lines.enumerated() where !line.trimmed.hasPrefix("//") {
            for (call, characters) in searches {
                guard let found = line.firstRange(of: call) else { continue }
                // The formatter may have put the arguments on a line of their own.
                let next = index + 1 < lines.count ? lines[index + 1].trimmed : ""
                let arguments = line[found.upperBound...] + next
                guard
                    let match = arguments.prefixMatch(
                        of: /(?:separator: |separatedBy: |of: )?"((?:[^"\\]|\\.)*)"/)
                else { continue }
                // Of the controls only CR and LF together are one character.
                let text = match.1.replacing(/\\[nrt0]/, with: "")
                if text.contains(where: characters.contains) { numbers.append(index + 1) }
            }
        }
        return numbers
    }

    /// Ways to let time pass, and the files that may.
    private static let sleeps = [
        // Where tests wait for what says nothing, for so long at most.
        ("usleep(", ["Tests/FanfareTestSupport/Poll.swift"]),
        // The snippets show a reader's program; they are compiled, and not run.
        // A sequence that looks every so often is made of it.
        (
            "Task.sleep(",
            [
                "Tests/FanfareSnippetTests/Snippets.swift",
                "Sources/Fanfare/Push/ProgressUpdates.swift",
            ]
        ),
        ("Thread.sleep(", []),
        ("nanosleep(", []),
        // A function of its own, which a bell wakes.
        (" sleep(", ["Sources/Fanfare/Job/RowFlow+Hours.swift"]),
        // A loop around it has no end if what it waits for never comes.
        ("sched_yield(", []),
        ("Task.yield(", []),
    ]

    @Test func `nothing sleeps, and tests wait in one place`() throws {
        for file in try Tree.swift(in: "Sources", "Tests", "docs") {
            for (call, exempt) in Self.sleeps
            where !exempt.contains(file.path)
                && file.lines.contains(where: { $0.text.contains(call) })
            {
                for (number, text) in file.code
                where text.contains(call) && !text.contains("func ") {
                    Issue.record("\(file.path):\(number): \(call)…) – use Poll (STYLE: Tests)")
                }
            }
        }
    }

    /// Texts with two dashes and a letter that are no option of ours, and where they may stand.
    private static let dashed = [
        // A command of others.
        ("'zstd -dc --long=31 FILE'", "FanfareCompression/CompressionFault"),
        // A word of the report's, which people search for.
        ("row is too large for --retry-rows", "FanfareCore/Provider/RowProblem"),
        // Properties of style sheets.
        ("--", "FanfareFigures/Page/PageStyle"),
    ]

    @Test func `no message below the command line spells an option`() throws {
        for file in try Tree.swift(in: "Sources")
        where !file.path.hasPrefix("Sources/FanfareCLI/") {
            for (number, line) in file.lines
            where line.contains("--") && !line.trimmed.hasPrefix("//") {
                var line = line
                for (text, place) in Self.dashed where file.path.hasPrefix("Sources/\(place)") {
                    line = line.replacing(text, with: "")
                }
                // Also where a line of a text has no quotes of its own.
                guard line.contains(/(^|[^-])--[A-Za-z]/) else { continue }
                Issue.record("\(file.path):\(number): names an option (STYLE: Errors and outcomes)")
            }
        }
    }

    @Test func `nothing is left for later, and no person's machine is named`() throws {
        // Put together here, so that this file does not find itself.
        let words = [["FIX", "ME"], ["TO", "DO"], ["XX", "X:"]].map { $0.joined() }
        let places = ["home", "Users", "root", "work"].map { "/\($0)/" }
        for file in try Tree.text() where file.path != "STYLE.md" {
            for (number, line) in file.lines {
                for word in words where line.contains(word) {
                    Issue.record("\(file.path):\(number): \(word) (STYLE: Comments)")
                }
                for place in places where line.contains(place) {
                    Issue.record("\(file.path):\(number): the path \(place)… (STYLE: Habits)")
                }
            }
        }
    }

    @Test func `words of Sources and of the manual are spelled as in Swift's library`() throws {
        // Put together here, so that this file does not find itself.
        let words = [
            ["col", "our"], ["neigh", "bour"], ["recog", "nis"], ["hon", "our"], ["fav", "our"],
            ["behav", "iour"], [" canc", "elled"], ["sign", "alled"], ["initial", "is"],
            ["synchron", "is"], ["normal", "is"], ["serial", "is"],
        ].map { $0.joined() }
        let manual = /[A-Z]+\.md|(?:docs|dev|Benchmarks)\/(?:[a-z]+\/)?[A-Za-z0-9-]+\.md/
        for file in try Tree.text()
        where file.path.hasPrefix("Sources/") || file.path.wholeMatch(of: manual) != nil {
            for (number, line) in file.lines {
                let line = line.lowercased()
                for word in words where line.contains(word) {
                    Issue.record("\(file.path):\(number): \(word)… (STYLE: Files)")
                }
            }
        }
    }

    @Test func `a document has one title`() throws {
        for file in try Tree.text() where file.path.hasSuffix(".md") {
            var isCode = false
            var titles = 0
            for (_, line) in file.lines {
                if line.hasPrefix("```") { isCode.toggle() }
                if !isCode && line.hasPrefix("# ") { titles += 1 }
            }
            #expect(titles == 1, "\(file.path): \(titles) titles (STYLE: Comments and documents)")
        }
    }

    @Test func `every script is in the list of scripts`() throws {
        let list = try String(
            contentsOf: Tree.root.appending(path: "dev/README.md"), encoding: .utf8)
        for script in try Tree.text() where script.path.hasPrefix("dev/") {
            let name = script.path
            #expect(
                name == "dev/README.md" || list.contains("`\(name)"),
                "\(name): not in dev/README.md (STYLE: Habits)")
        }
    }
}
