/// Counts with their shares as bars: a table that can be seen.
struct ShareBars {
    /// One line.
    struct Item {
        var name: String
        /// The text below the name, smaller; may be empty.
        var note: String
        /// The number of a color of the style sheet, 0 to 8.
        var color: Int
        var value: Double
        /// The value in words.
        var text: String
        /// The share in words.
        var share: String

        /// Describes a line.
        init(
            _ name: String, note: String = "", color: Int, value: Double, text: String,
            share: String
        ) {
            self.name = name
            self.note = note
            self.color = color
            self.value = value
            self.text = text
            self.share = share
        }
    }

    var caption: String
    /// The heads of the name's, the value's and the share's column.
    var columns: (name: String, value: String, share: String)
    var items: [Item]
    /// The value of a full bar.
    var whole: Double

    /// Writes the table.
    func write(to markup: inout Markup) {
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
                        "path", .style("f\(item.color)"), .init("d", "M0 0h\(length(item))v10H0z"))
                }
            }
        }
    }

    /// Returns the length of a bar, which shows every value above 0, even the smallest.
    private func length(_ item: Item) -> Int {
        guard whole > 0, item.value > 0 else { return 0 }
        return max(Int((min(item.value / whole, 1) * 1000).rounded()), 4)
    }
}
