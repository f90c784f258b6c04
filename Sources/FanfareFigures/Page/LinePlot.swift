/// A plot of lines from point to point, for values that are no sums over time.
struct LinePlot {
    /// A line.
    struct Line {
        var name: String
        /// The number of a color of the style sheet, 0 to 8.
        var color: Int
        var points: [(x: Double, y: Double)]

        /// Names points.
        init(_ name: String, color: Int, _ points: [(x: Double, y: Double)]) {
            self.name = name
            self.color = color
            self.points = points
        }
    }

    var title: String
    /// A sentence that describes the plot and its horizontal axis.
    var note: String
    var horizontal: PlotScale
    /// A value of the horizontal axis in words.
    var xLabel: (Double) -> String
    var scale = PlotScale.Kind.linear
    var unit: PlotUnit
    var lines: [Line]

    /// Writes the figure.
    func write(to markup: inout Markup) {
        // A logarithmic axis has no place for nothing.
        let shown = lines.map { $0.points.filter { scale == .linear || $0.y > 0 } }
        let vertical = PlotScale.axis(scale, for: shown.joined().map(\.y))
        markup.figure(title, note: note) { markup in
            guard let vertical else { return false }
            markup.legend(lines.map { ($0.name, $0.color) })
            PlotFrame(
                title: title, description: note, horizontal: horizontal, vertical: vertical,
                xLabel: xLabel, yLabel: unit.tick
            ).write(to: &markup) { markup in
                for (index, points) in shown.enumerated() where !points.isEmpty {
                    markup.empty(
                        "path", .style("l l\(lines[index].color) d\(index % 4)"),
                        .init("d", path(points, vertical)))
                }
            }
            return true
        }
    }

    private func path(_ points: [(x: Double, y: Double)], _ vertical: PlotScale) -> String {
        let places = points.map {
            (x: PlotFrame.x($0.x, horizontal), y: PlotFrame.y($0.y, vertical))
        }
        // One point is a dash around its place.
        if places.count == 1 { return "M\(places[0].x - 6) \(places[0].y)h12" }
        return "M" + places.map { "\($0.x) \($0.y)" }.joined(separator: "L")
    }
}
