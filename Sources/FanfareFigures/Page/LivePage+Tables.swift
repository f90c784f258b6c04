import FanfareBase

/// The tables of a live page whose lines are known before the job runs: the script fills the cells.
extension LivePage {
    /// A column: the end of its cells' ids, and its heading.
    private typealias Column = (id: String, name: String)

    private static let routeColumns: [Column] = [
        ("rows", "Rows"), ("accepted", "Accepted"), ("dead", "Dead tokens"),
        ("in-flight", "In flight"), ("connections", "Connections"), ("pace", "Pace"),
        ("limit", "Limit"),
    ]

    /// The same as on the page about a job that is over, but for the rarer outcomes.
    private static let variantColumns: [Column] = [
        ("rows", "Rows"), ("accepted", "Accepted"), ("share", "Share"), ("dead", "Dead tokens"),
        ("difference", "Difference"),
    ]

    /// Writes the rows of each provider.
    func writeRoutes(to markup: inout Markup) {
        guard !routes.isEmpty else { return }
        markup.section("Providers") { markup in
            Self.writeTable(
                "Rows by provider", "Provider", Self.routeColumns, of: routes, prefix: "r",
                to: &markup)
        }
    }

    /// Writes the rows of each variant.
    func writeVariants(to markup: inout Markup) {
        guard let variants, !variants.names.isEmpty else { return }
        let note =
            "The share is of all rows of the line. The difference is to the first line, in "
            + "points; p is the chance that equal shares differ as much. Judge by it at the end: a viewer "
            + "who looks often while the job runs will see a small p by chance."
        markup.section("By \(variants.column)", note: note) { markup in
            Self.writeTable(
                "Rows by \(variants.column)", variants.column, Self.variantColumns,
                of: variants.names.prefix(Limits.pageVariantsMax).map(PlainText.printable),
                prefix: "v", to: &markup)
        }
    }

    private static func writeTable(
        _ caption: String, _ heading: String, _ columns: [Column], of names: [String],
        prefix: String, to markup: inout Markup
    ) {
        markup.element(
            "div", .style("scroll"), .init("tabindex", "0"), .init("role", "region"),
            .init("aria-label", caption)
        ) { markup in
            markup.element("table") { markup in
                markup.element("caption", text: caption)
                markup.element("thead") { markup in
                    markup.element("tr") { markup in
                        markup.element("th", .init("scope", "col"), text: heading)
                        for column in columns {
                            markup.element(
                                "th", .init("scope", "col"), .style("n"), text: column.name)
                        }
                    }
                }
                markup.element("tbody") { markup in
                    for (index, name) in names.enumerated() {
                        markup.element("tr") { markup in
                            markup.element("th", .init("scope", "row"), text: name)
                            for column in columns {
                                markup.element(
                                    "td", .style("n"),
                                    .init("id", "\(prefix)\(index)-\(column.id)"), text: "")
                            }
                        }
                    }
                }
            }
        }
    }
}

extension Limits {
    /// The variants that a live page shows, whose figures each viewer gets once a second.
    package static let pageVariantsMax = 100
}
