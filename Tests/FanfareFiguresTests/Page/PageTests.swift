import FanfareCore
import Testing

@testable import FanfareFigures

@Suite struct PageTests {
    private let page = PageDocument(title: "A title", lead: "A lead", footer: "An end")

    @Test func `a page is well-formed, and has one title and one heading`() throws {
        let tree = try PageTree(page.render { $0.section("Part") { $0.element("p", text: "x") } })
        #expect(tree.root.name == "html")
        #expect(tree.all("title").map(\.text) == ["A title"])
        #expect(tree.all("h1").map(\.text) == ["A title"])
        #expect(tree.all("h2").map(\.text) == ["Part"])
        #expect(tree.all("footer").map(\.text) == ["An end"])
    }

    @Test func `a page names nothing that would have to be loaded`() throws {
        let bytes = page.render { _ in }
        let tree = try PageTree(bytes)
        let names = ["script", "link", "img", "iframe", "object", "embed", "form", "a", "base"]
        for name in names { #expect(tree.all(name).isEmpty, "\(name)") }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains("http:") && !text.contains("https:") && !text.contains("url("))
        let policy = tree.all("meta").first { $0.attributes["http-equiv"] != nil }
        #expect(
            policy?.attributes["content"] == "default-src 'none'; style-src 'unsafe-inline'")
    }

    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onclick='x", "a & b",
        "&lt;b&gt;", "]]>", "<!--", "{{x}}", "ÅΩ😀",
    ]

    @Test(arguments: hostile)
    func `text comes out as it went in, in elements and attributes`(_ text: String) throws {
        let tree = try PageTree(
            page.render { markup in
                markup.element("p", .style(text), text: text)
                markup.command(text)
            })
        #expect(tree.all("p").last?.text == text)
        #expect(tree.all("p").last?.attributes["class"] == text)
        #expect(tree.all("code").first?.text == text)
        #expect(tree.all("script").isEmpty && tree.all("img").isEmpty && tree.all("b").isEmpty)
    }

    /// XML 1.0 §2.2 has no place for the first ones; the others turn what stands around them.
    @Test(arguments: ["\0", "\u{1B}", "\u{7F}", "\u{85}", "\u{FFFE}", "\u{1FFFF}", "\u{202E}"])
    func `a character that has no place in a page is replaced`(_ character: String) throws {
        let tree = try PageTree(page.render { $0.element("p", text: "a\(character)b") })
        #expect(tree.all("p").last?.text == "a\u{FFFD}b")
    }

    /// WCAG 2.2 §1.4.3 and §1.4.11, with the relative luminance of its definition.
    @Test func `the colors stand out from the ground, in both schemes`() throws {
        let style = try #require(try PageTree(page.render { _ in }).all("style").first).text
        let schemes = style.matches(of: /:root \{([^}]*)\}/).map { String($0.output.1) }
        try #require(schemes.count == 2)
        for scheme in schemes {
            let colors = Dictionary(
                uniqueKeysWithValues: scheme.matches(of: /--([a-z0-9]+): #([0-9a-f]{6})/).map {
                    (String($0.output.1), Self.luminance(String($0.output.2)))
                })
            for ground in ["ground", "raised"] {
                let behind = try #require(colors[ground])
                for text in ["text", "soft", "accent"] {
                    let contrast = Self.contrast(try #require(colors[text]), behind)
                    #expect(contrast >= 4.5, "\(text) on \(ground): \(contrast)")
                }
            }
            for number in 0...8 {
                let contrast = Self.contrast(
                    try #require(colors["c\(number)"]), try #require(colors["ground"]))
                #expect(contrast >= 3, "color \(number): \(contrast)")
            }
        }
    }

    private static func luminance(_ text: String) -> Double {
        let number = Int(text, radix: 16) ?? 0
        let parts = [16, 8, 0].map { shift -> Double in
            let part = Double(number >> shift & 255) / 255
            guard part > 0.04045 else { return part / 12.92 }
            // (x + 0.055) / 1.055 to the power of 2.4, by the fifth root of its twelfth power.
            let base = (part + 0.055) / 1.055
            let wanted = (0..<12).reduce(1.0) { product, _ in product * base }
            var root = base
            for _ in 0..<60 {
                root -=
                    (root * root * root * root * root - wanted) / (5 * root * root * root * root)
            }
            return root
        }
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }

    private static func contrast(_ one: Double, _ other: Double) -> Double {
        (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }
}
