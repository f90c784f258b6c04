/// The parts around the frame that all plots have.
extension Markup {
    /// Writes a figure with its heading and a sentence.
    /// - Parameters:
    ///   - title: The heading.
    ///   - note: The sentence.
    ///   - content: Writes the rest, or answers `false` when there is nothing to draw.
    mutating func figure(_ title: String, note: String, content: (inout Markup) -> Bool) {
        line()
        element("figure") { markup in
            markup.element("figcaption") { markup in
                markup.element("h3", text: title)
                markup.element("p", text: note)
            }
            if !content(&markup) {
                markup.element("p", .style("note"), text: "Nothing to draw.")
            }
        }
    }

    /// Writes the names of the lines or areas.
    mutating func legend(_ entries: [(name: String, color: Int)], areas: Bool = false) {
        element("ul", .style("legend")) { markup in
            for (index, entry) in entries.enumerated() {
                markup.element("li") { markup in
                    markup.element(
                        "svg", .init("viewBox", "0 0 28 14"), .init("aria-hidden", "true")
                    ) { markup in
                        markup.empty(
                            "path",
                            .style(
                                areas
                                    ? "f\(entry.color)" : "l l\(entry.color) d\(index % 4)"),
                            .init("d", areas ? "M0 0h28v14h-28z" : "M0 7h28"))
                    }
                    markup.text(entry.name)
                }
            }
        }
    }
}
