/// One self-contained page: no script, no network, no other file.
///
/// The skeleton and the style of all our pages: the caller decides the content of the sections.
struct PageDocument {
    /// A page into which something has got against all care loads and runs nothing.
    static let securityPolicy = "default-src 'none'; style-src 'unsafe-inline'"

    var title: String
    /// One line below the title: the subject of the page.
    var lead: String
    /// The last line of the page: its maker.
    var footer: String
    /// The style that this page has besides that of all; `nil` for none.
    var style: StaticString?

    /// Puts the page together.
    /// - Parameter sections: Writes the sections, one after the other.
    /// - Returns: The page in UTF-8.
    func render(sections: (inout Markup) -> Void) -> [UInt8] {
        var markup = Markup()
        markup.fixed("<!DOCTYPE html>\n")
        markup.element("html", .init("lang", "en")) { markup in
            markup.line()
            markup.element("head", content: writeHead)
            markup.line()
            markup.element("body") { markup in
                markup.element("header") { markup in
                    markup.element("h1", text: title)
                    markup.element("p", text: lead)
                }
                markup.line()
                markup.element("main") { markup in
                    sections(&markup)
                    markup.line()
                }
                markup.line()
                markup.element("footer", text: footer)
            }
            markup.line()
        }
        markup.line()
        return markup.finish()
    }

    private func writeHead(_ markup: inout Markup) {
        markup.screenSettings()
        // If something has got into the page against all care, it loads and runs nothing.
        markup.empty(
            "meta", .init("http-equiv", "Content-Security-Policy"),
            .init("content", PageDocument.securityPolicy))
        markup.element("title", text: title)
        markup.element("style") { markup in
            markup.fixed(PageStyle.sheet)
            if let style { markup.fixed(style) }
        }
    }
}

extension Markup {
    /// Writes the part of each page's head about screens and colors.
    mutating func screenSettings() {
        empty("meta", .init("charset", "utf-8"))
        empty(
            "meta", .init("name", "viewport"),
            .init("content", "width=device-width, initial-scale=1"))
        empty("meta", .init("name", "color-scheme"), .init("content", "light dark"))
    }

    /// Writes a section with its heading.
    mutating func section(
        _ title: String, note: String? = nil, content: (inout Markup) -> Void
    ) {
        line()
        let id = nextID()
        element("section", Attribute("aria-labelledby", id)) { markup in
            markup.element("h2", Attribute("id", id), text: title)
            if let note { markup.element("p", .style("note"), text: note) }
            content(&markup)
        }
    }

    /// Writes the numbers that are looked at first.
    mutating func figures(_ figures: [(name: String, value: String, note: String)]) {
        element("dl", .style("figures")) { markup in
            for figure in figures {
                markup.element("div") { markup in
                    markup.element("dt", text: figure.name)
                    markup.element("dd") { markup in
                        markup.element("b", text: figure.value)
                        if !figure.note.isEmpty { markup.element("small", text: figure.note) }
                    }
                }
            }
        }
    }

    /// Writes a table; all columns but those named as text are numbers, which stand to the right.
    /// - Parameters:
    ///   - caption: The name of the table for people who cannot see it.
    ///   - columns: The headings.
    ///   - textColumns: The columns that are text.
    ///   - rows: The cells.
    ///   - isWide: True if a narrow screen shows each row as a block of cells with their headings.
    ///   - bodyID: The id of its body, for a script that fills it.
    mutating func table(
        caption: String, columns: [String], textColumns: Set<Int> = [0], rows: [[String]],
        isWide: Bool = false, bodyID: String? = nil
    ) {
        func style(_ index: Int) -> Attribute { .style(textColumns.contains(index) ? "t" : "n") }
        // A table that is wider than a phone scrolls by itself, and with the keyboard too.
        element(
            "div", .style(isWide ? "scroll wide" : "scroll"), Attribute("tabindex", "0"),
            Attribute("role", "region"), Attribute("aria-label", caption)
        ) { markup in
            markup.element("table") { markup in
                markup.element("caption", text: caption)
                markup.element("thead") { markup in
                    markup.element("tr") { markup in
                        for (index, column) in columns.enumerated() {
                            markup.element(
                                "th", Attribute("scope", "col"), style(index), text: column)
                        }
                    }
                }
                let writeBody = { (markup: inout Markup) in
                    markup.rows(rows, labels: isWide ? columns : nil, style: style)
                }
                if let bodyID {
                    markup.element("tbody", Attribute("id", bodyID), content: writeBody)
                } else {
                    markup.element("tbody", content: writeBody)
                }
            }
        }
    }

    private mutating func rows(
        _ rows: [[String]], labels: [String]?, style: (Int) -> Attribute
    ) {
        for row in rows {
            element("tr") { markup in
                for (index, cell) in row.enumerated() {
                    if let labels {
                        let label = Attribute("data-label", labels[index])
                        markup.element("td", style(index), label, text: cell)
                    } else {
                        markup.element("td", style(index), text: cell)
                    }
                }
            }
        }
    }

    /// Writes content that is folded away until the reader wants it.
    mutating func folded(_ summary: String, content: (inout Markup) -> Void) {
        element("details") { markup in
            markup.element("summary", text: summary)
            content(&markup)
        }
    }

    /// The longest word that fits a narrow screen.
    private static let longWord = 32

    /// Writes a command that can be copied whole.
    mutating func command(_ text: String) {
        element("pre", Attribute("tabindex", "0")) { markup in
            markup.element("code") { markup in
                // Each word in one piece: a line may break behind the hyphens of an option otherwise.
                for (place, word) in text.split(separator: " ", omittingEmptySubsequences: false)
                    .enumerated()
                {
                    if place > 0 { markup.text(" ") }
                    if word.count > Self.longWord || !word.contains("-") {
                        markup.text(String(word))
                    } else {
                        markup.element("span", .style("w"), text: String(word))
                    }
                }
            }
        }
    }
}
