/// Counts with their shares as bars: a table that can be seen.
package struct ShareBars {
    /// One line.
    package struct Item {
        package var name: String
        /// What stands below the name, smaller; may be empty.
        package var note: String
        /// Which colour of the style sheet, 0 to 8.
        package var colour: Int
        package var value: Double
        /// The value in words.
        package var text: String
        /// The share in words.
        package var share: String

        /// Describes a line.
        package init(
            _ name: String, note: String = "", colour: Int, value: Double, text: String,
            share: String
        ) {
            self.name = name
            self.note = note
            self.colour = colour
            self.value = value
            self.text = text
            self.share = share
        }
    }

    package var caption: String
    /// The heads of the name's, the value's and the share's column.
    package var columns: (name: String, value: String, share: String)
    package var items: [Item]
    /// What a full bar stands for.
    package var whole: Double

    /// Describes a table.
    package init(
        caption: String, columns: (name: String, value: String, share: String), items: [Item],
        whole: Double
    ) {
        self.caption = caption
        self.columns = columns
        self.items = items
        self.whole = whole
    }

    /// Writes the table.
    package func write(to markup: inout Markup) {
        markup.element("table", .style("bars")) { markup in
            markup.element("caption", text: caption)
            markup.element("thead") { markup in
                markup.element("tr") { markup in
                    for (name, classes) in [
                        (columns.name, "t"), (columns.value, "n"), (columns.share, "n"),
                    ] {
                        markup.element("th", .init("scope", "col"), .style(classes), text: name)
                    }
                    markup.element("th", .init("aria-hidden", "true"), .style("bar"), text: "")
                }
            }
            markup.element("tbody") { markup in
                for item in items { write(item, to: &markup) }
            }
        }
    }

    private func write(_ item: Item, to markup: inout Markup) {
        markup.line()
        markup.element("tr") { markup in
            markup.element("th", .init("scope", "row"), .style("t")) { markup in
                markup.text(item.name)
                if !item.note.isEmpty {
                    markup.element("small", .style("note"), text: " \(item.note)")
                }
            }
            markup.element("td", .style("n"), text: item.text)
            markup.element("td", .style("n"), text: item.share)
            markup.element("td", .init("aria-hidden", "true"), .style("bar")) { markup in
                markup.element(
                    "svg", .init("viewBox", "0 0 1000 10"), .init("preserveAspectRatio", "none")
                ) { markup in
                    markup.empty(
                        "path", .style("f\(item.colour)"), .init("d", "M0 0h\(length(item))v10H0z"))
                }
            }
        }
    }

    /// What is there is seen, however little it is.
    private func length(_ item: Item) -> Int {
        guard whole > 0, item.value > 0 else { return 0 }
        return max(Int((min(item.value / whole, 1) * 1000).rounded()), 4)
    }
}
