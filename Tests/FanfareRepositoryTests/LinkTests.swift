import Foundation
import Testing

/// Links between documents lead to files and headings that exist.
@Suite struct LinkTests {
    @Test func `every relative link leads to a file and a heading`() throws {
        let documents = try Tree.text().filter { $0.path.hasSuffix(".md") }
        #expect(documents.contains { $0.path == "README.md" })
        let pages = Dictionary(uniqueKeysWithValues: documents.map { ($0.path, Page($0)) })
        for document in documents {
            for (line, link) in pages[document.path]?.links ?? [] {
                let place: Comment = "\(document.path):\(line): \(link) leads nowhere"
                let parts = link.split(separator: "#", omittingEmptySubsequences: false)
                let target =
                    parts[0].isEmpty
                    ? document.path : Self.path(String(parts[0]), from: document.path)
                let file = Tree.root.appending(path: target)
                #expect(FileManager.default.fileExists(atPath: file.path), place)
                guard parts.count == 2, let page = pages[target] else { continue }
                #expect(page.anchors.contains(String(parts[1])), place)
            }
        }
    }

    /// A page that no table of contents has is found by no reader.
    @Test func `the README links to each page and guide`() throws {
        let documents = try Tree.text()
        let readme = try #require(documents.first { $0.path == "README.md" })
        let links = Set(Page(readme).links.map { String($0.link.prefix { $0 != "#" }) })
        for document in documents
        where document.path.wholeMatch(of: /docs\/(?:guides\/)?[a-z-]+\.md/) != nil {
            #expect(links.contains(document.path), "README.md: no link to \(document.path)")
        }
    }

    /// A newcomer reads it in four minutes; options and details are on the pages of `docs`.
    @Test func `the README stays short`() throws {
        let readme = try #require(try Tree.text().first { $0.path == "README.md" })
        #expect(readme.lines.count <= 250)
        #expect(readme.lines.reduce(0) { $0 + $1.text.utf8.count + 1 } <= 10 * 1024)
    }

    /// In comments, help and messages; `dev` has the scripts.
    @Test func `every page that sources and scripts name is there`() throws {
        for file in try Tree.text()
        where ["Sources/", "dev/", "Benchmarks/", "Package.swift"].contains(where: {
            file.path.hasPrefix($0)
        }) {
            // Few lines name one: an expression that is tried at each place of all would take half a minute.
            for (line, text) in file.lines where text.contains("docs/") {
                for match in text.matches(of: /\bdocs\/[a-z0-9\/-]+\.(?:md|json)\b/) {
                    let path = Tree.root.appending(path: String(match.output)).path
                    #expect(
                        FileManager.default.fileExists(atPath: path),
                        "\(file.path):\(line): there is no \(match.output)")
                }
            }
        }
    }

    @Test func `links and anchors are found as GitHub finds them`() {
        let text = """
            # The `one` title, of all
            See [here](docs/a.md#b-c), [there](#same), [out](https://example.com/#x).
            ```sh
            # no heading
            echo '[no](link.md)'
            ```
            ## Same
            ![A picture](a.png) `[code](b.md)`
            ## Same
            """
        let lines = text.split(separator: "\n").enumerated().map { ($0 + 1, String($1)) }
        let page = Page(Tree.File(path: "a.md", lines: lines))
        #expect(page.links.map(\.link) == ["docs/a.md#b-c", "#same", "a.png"])
        #expect(page.links.map(\.line) == [2, 2, 8])
        #expect(page.anchors == ["the-one-title-of-all", "same", "same-1"])
    }

    @Test(arguments: [
        ("docs/a.md", "README.md", "docs/a.md"), ("../README.md", "docs/a.md", "README.md"),
        ("../systemd/a.service", "docs/guides/b.md", "docs/systemd/a.service"),
    ])
    func `a link is read from its document's folder`(link: String, document: String, path: String) {
        #expect(Self.path(link, from: document) == path)
    }

    /// A relative path as one from the root.
    private static func path(_ link: String, from document: String) -> String {
        var parts = document.split(separator: "/").dropLast()
        for part in link.split(separator: "/") where part != "." {
            if part == ".." { parts = parts.dropLast() } else { parts.append(part) }
        }
        return parts.joined(separator: "/")
    }
}

/// The links of a document, and the places in it that others may link to; blocks of code are left
/// out.
private struct Page {
    /// Relative links, with their lines.
    private(set) var links: [(line: Int, link: String)] = []
    private(set) var anchors: [String] = []
    /// The number of headings with each anchor.
    private var headings: [String: Int] = [:]

    init(_ document: Tree.File) {
        var isCode = false
        for (number, line) in document.lines {
            if line.trimmed.hasPrefix("```") { isCode.toggle() }
            guard !isCode else { continue }
            if let heading = line.firstMatch(of: /^#+ (.*)$/) { add(heading: String(heading.1)) }
            let text = line.replacing(/`[^`]*`/, with: "")
            for match in text.matches(of: /\]\(([^)\s]+)\)/)
            where !match.1.contains("://") && !match.1.hasPrefix("mailto:") {
                links.append((number, String(match.1)))
            }
        }
    }

    /// Small letters, hyphens for spaces, and no other signs; the second of a kind has a number.
    private mutating func add(heading: String) {
        let anchor = heading.lowercased()
            .filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
            .replacing(" ", with: "-")
        let earlier = headings[anchor, default: 0]
        headings[anchor] = earlier + 1
        anchors.append(earlier == 0 ? anchor : "\(anchor)-\(earlier)")
    }
}
