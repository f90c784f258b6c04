/// A plot of values over time, with the table of its numbers behind it.
///
/// Shapes are SVG that is stretched to the room there is; the words on the axes are HTML beside it, so
/// that they have the same size on a phone and on a wall.
struct TimePlot {
    enum Style: Equatable, Sendable {
        /// Lines on one scale.
        case lines
        /// Areas on top of each other, the first one below: their sum is the upper edge.
        case stacked
    }

    var title: String
    /// A sentence that describes the plot, also for people who cannot see it.
    var note: String
    var unit: PlotUnit
    var style = Style.lines
    var scale = PlotScale.Kind.linear
    var grid: TimeGrid
    /// The same in fewer buckets, for the table.
    var table: TimeGrid

    /// Writes the figure.
    func write(to markup: inout Markup) {
        markup.figure(title, note: note) { markup in
            guard let vertical = PlotScale.axis(scale, for: heights), grid.end > 0 else {
                return false
            }
            if grid.lines.count > 1 {
                markup.legend(
                    grid.lines.map { ($0.name, $0.color) }, areas: style == .stacked)
            }
            let horizontal = PlotScale.time(seconds: grid.end)
            let frame = PlotFrame(
                title: title, description: note, horizontal: horizontal, vertical: vertical,
                xLabel: { PlotFrame.time($0, of: horizontal) }, yLabel: unit.tick)
            frame.write(to: &markup) { markup in
                switch style {
                case .lines: writeLines(vertical, to: &markup)
                case .stacked: writeAreas(vertical, to: &markup)
                }
            }
            writeTable(to: &markup)
            return true
        }
    }

    // MARK: Shapes

    private func writeLines(_ vertical: PlotScale, to markup: inout Markup) {
        for (index, line) in grid.lines.enumerated() {
            markup.empty(
                "path", .style("l l\(line.color) d\(index % 4)"),
                .init("d", PlotFrame.steps(line.values, grid, vertical)))
        }
    }

    private func writeAreas(_ vertical: PlotScale, to markup: inout Markup) {
        var below = [Double?](repeating: 0, count: grid.count)
        for line in grid.lines {
            let above = below.indices.map { index in
                (below[index] ?? 0) + (index < line.values.count ? line.values[index] ?? 0 : 0)
            }
            markup.empty(
                "path", .style("a f\(line.color)"),
                .init("d", PlotFrame.area(from: below, to: above, grid, vertical)))
            below = above
        }
    }

    private func writeTable(to markup: inout Markup) {
        markup.folded("The numbers") { markup in
            let columns = table.lines.map { unit.heading($0.name) }
            // Where buckets are short, or begin between two seconds, their ends have fractions.
            let step = table.step < 10 ? 0.1 : table.step
            let rows = (0..<table.count).map { index in
                let range = table.range(ofBucket: index)
                let time = "\(PlotFrame.clock(range.lowerBound, step: step)) to "
                return [time + PlotFrame.clock(range.upperBound, step: step)]
                    + table.lines.map { line in
                        line.values.indices.contains(index)
                            ? line.values[index].map(unit.text) ?? "–" : "–"
                    }
            }
            markup.table(caption: title, columns: ["Time"] + columns, rows: rows)
        }
    }

    // MARK: Scales

    /// The values that have to be on the vertical axis.
    private var heights: [Double] {
        switch style {
        case .lines: grid.lines.flatMap { $0.values.compactMap { $0 } }
        case .stacked:
            (0..<grid.count).map { index in
                grid.lines.reduce(0) { sum, line in
                    sum + (index < line.values.count ? line.values[index] ?? 0 : 0)
                }
            }
        }
    }
}
