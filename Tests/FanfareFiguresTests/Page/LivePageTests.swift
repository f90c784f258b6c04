import FanfareCore
import FanfareFigures
import Testing

/// The page of a running job, as a document: what its script does with it is seen in a browser.
@Suite struct LivePageTests {
    private static var page: LivePage {
        var page = LivePage(title: "Job 0123abcd", lead: "Began today.")
        page.routes = ["apns", "fcm"]
        page.variants = ("variant", ["A", "<B>"])
        page.settings = [("rows", "rows.csv"), ("topic", "com.example.app")]
        page.canSteer = true
        return page
    }

    private static var loadTest: LivePage {
        var page = LivePage(title: "Load test", lead: "Began today.")
        page.isLoadTest = true
        return page
    }

    private static let text = String(decoding: page.render(), as: UTF8.self)

    /// All elements of a page.
    private static func elements(_ tree: PageTree) -> [PageTree.Element] {
        func below(_ element: PageTree.Element) -> [PageTree.Element] {
            element.children.flatMap { [$0] + below($0) }
        }
        return [tree.root] + below(tree.root)
    }

    /// The text between the tags of the only element of a name.
    private static func inside(_ name: String) throws -> String {
        let parts = text.split(separator: "<\(name)>", omittingEmptySubsequences: false)
        try #require(parts.count == 2, "\(name)")
        let end = try #require(parts[1].firstRange(of: "</\(name)>"))
        return String(parts[1][..<end.lowerBound])
    }

    @Test func `a page has one script and one style, which are those that a policy names`() throws {
        #expect(try Self.inside("script") == String(decoding: LivePage.script, as: UTF8.self))
        #expect(try Self.inside("style") == String(decoding: LivePage.style, as: UTF8.self))
        #expect(LivePage.script.count > 1000 && LivePage.style.count > 1000)
    }

    @Test func `a page loads nothing, and runs nothing but its script`() throws {
        #expect(!Self.text.contains("http:") && !Self.text.contains("https:"))
        #expect(!Self.text.contains("url(") && !Self.text.contains("@import"))
        let tree = try PageTree(Self.page.render())
        for name in ["img", "iframe", "object", "embed", "base", "video", "audio", "meta"] {
            #expect(tree.all(name).allSatisfy { $0.attributes["http-equiv"] == nil }, "\(name)")
            #expect(name == "meta" || tree.all(name).isEmpty, "\(name)")
        }
        #expect(tree.all("link").map { $0.attributes["href"] } == ["data:,"])
        for element in Self.elements(tree) {
            for name in element.attributes.keys {
                let isForbidden =
                    name.hasPrefix("on") || ["style", "src", "srcdoc", "action"].contains(name)
                #expect(!isForbidden, "\(element.name) \(name)")
            }
            #expect(element.name == "link" || element.attributes["href"] == nil)
        }
    }

    @Test func `its script makes no markup of text, and no script`() throws {
        let script = try Self.inside("script")
        for word in [
            "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(",
            "setAttribute(\"on", "localStorage", "sessionStorage", "document.cookie", "import(",
            "setAttribute(\"style", "cssText", "XMLHttpRequest",
        ] {
            #expect(!script.contains(word), "\(word)")
        }
        // The last page alone, which the server has made, is read as markup.
        #expect(script.split(separator: "DOMParser", omittingEmptySubsequences: false).count == 2)
    }

    @Test func `its script names places that are there, and each of them once`() throws {
        let ids = Self.elements(try PageTree(Self.page.render())).compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
        let others = Self.elements(try PageTree(Self.loadTest.render()))
            .compactMap { $0.attributes["id"] }
        #expect(Set(others).count == others.count)
        let named = try Self.inside("script")
            .matches(of: /\b(?:place|set|show|draw|on)\("([a-z0-9-]+)"/).map { String($0.output.1) }
        #expect(named.count > 40)
        let missing = Set(named).subtracting(ids).subtracting(others)
        #expect(missing.isEmpty, "\(missing)")
        for outcome in Outcome.allCases {
            for end in ["", "-value", "-share", "-bar"] {
                #expect(ids.contains("o-\(outcome.name)\(end)"))
            }
        }
        for limitation in Limitation.allCases { #expect(ids.contains("l-\(limitation.name)")) }
        for id in ["rows", "accepted", "dead", "in-flight", "connections", "pace", "limit"] {
            #expect(ids.contains("r0-\(id)") && ids.contains("r1-\(id)"))
        }
    }

    @Test func `people who do not see it, or have no mouse, can use it`() throws {
        let tree = try PageTree(Self.page.render())
        for name in ["header", "main", "footer", "h1"] { #expect(tree.all(name).count == 1) }
        #expect(tree.root.attributes["lang"] == "en")
        for section in tree.all("section") {
            let title = section.all("h2").first
            #expect(title?.text.isEmpty == false)
            #expect(title?.attributes["id"] == section.attributes["aria-labelledby"])
        }
        let labels = Set(tree.all("label").compactMap { $0.attributes["for"] })
        for field in tree.all("input") + tree.all("select") {
            #expect(labels.contains(try #require(field.attributes["id"])))
        }
        for button in tree.all("button") { #expect(!button.text.isEmpty) }
        // A second press of Enter stops nothing.
        #expect(tree.all("dialog").first?.all("button").first?.text == "Let it run")
        for table in tree.all("table") { #expect(table.all("caption").count == 1) }
        #expect(tree.all("progress").first?.attributes["aria-label"]?.isEmpty == false)
        // Figures change each second: what is read aloud are two lines that change when it matters.
        let spoken = Self.elements(tree).filter {
            $0.attributes["role"] == "status" || $0.attributes["aria-live"] != nil
        }
        #expect(spoken.map { $0.attributes["id"] } == ["told", "answer"])
        #expect(!Self.text.contains("role=\"alert\"") && !Self.text.contains("assertive"))
        // An element that scrolls by itself can be reached with the keyboard, and has a name.
        for element in Self.elements(tree) where element.attributes["tabindex"] == "0" {
            #expect(
                element.name == "pre" || element.attributes["aria-label"]?.isEmpty == false)
        }
        let style = try Self.inside("style")
        #expect(style.contains(":focus-visible") && style.contains("prefers-color-scheme: dark"))
        for word in ["animation", "transition", "@keyframes"] { #expect(!style.contains(word)) }
    }

    @Test(arguments: PageTests.hostile)
    func `names of data are text`(_ text: String) throws {
        var page = Self.page
        page.title = text
        page.lead = text
        page.routes = [text]
        page.settings = [(text, text)]
        let tree = try PageTree(page.render())
        #expect(tree.all("h1").map(\.text) == [text] && tree.all("title").map(\.text) == [text])
        #expect(tree.all("option").last?.attributes["value"] == text)
        #expect(tree.all("script").count == 1 && tree.all("img").isEmpty)
        #expect(tree.all("td").contains { $0.text == text })
    }

    @Test func `a load test has steps, and nothing that only a job has`() throws {
        let tree = try PageTree(Self.loadTest.render())
        let ids = Self.elements(tree).compactMap { $0.attributes["id"] }
        for id in ["step", "step-note", "steps", "no-steps", "rate", "latency", "other", "left"] {
            #expect(ids.contains(id), "\(id)")
        }
        for id in ["dead", "pace", "retries", "events", "o-accepted", "controls"] {
            #expect(!ids.contains(id), "\(id)")
        }
        #expect(tree.all("h2").map(\.text) == ["Steps", "Over time", "What the limit was"])
    }

    @Test func `there are buttons only for a job that can be steered`() throws {
        var page = Self.page
        page.canSteer = false
        page.routes = []
        let tree = try PageTree(page.render())
        for name in ["button", "form", "input", "select", "dialog"] {
            #expect(tree.all(name).isEmpty, "\(name)")
        }
        #expect(!tree.all("h2").contains { $0.text == "Control" || $0.text == "Providers" })
    }
}
