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

    /// The table of a plot's numbers, which is folded away below it.
    struct Numbers {
        var columns: [String]
        var rows: [[String]]
    }

    /// The rows of a table of numbers: few enough to be read, and to keep a page small.
    private static let rowsMax = 60

    var title: String
    /// A sentence that describes the plot and its horizontal axis.
    var note: String
    var horizontal: PlotScale
    /// A value of the horizontal axis in words.
    var xLabel: (Double) -> String
    var scale = PlotScale.Kind.linear
    var unit: PlotUnit
    var lines: [Line]
    /// The numbers; nil if another table of the page has them.
    var numbers: Numbers?

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
            if let numbers {
                markup.folded("The numbers") { markup in
                    markup.table(caption: title, columns: numbers.columns, rows: numbers.rows)
                }
            }
            return true
        }
    }

    /// Returns the numbers of lines that have their points at the same places.
    ///
    /// Neighbors are averaged where there are too many.
    /// - Parameters:
    ///   - lines: The lines.
    ///   - heading: The heading of the column of places.
    ///   - place: A place in words.
    ///   - unit: The unit of the values.
    /// - Returns: The rows, one for each place.
    static func numbers(
        of lines: [Line], heading: String, place: (Double) -> String, _ unit: PlotUnit
    ) -> Numbers {
        let count = lines.map(\.points.count).min() ?? 0
        let size = max((count + rowsMax - 1) / rowsMax, 1)
        return Numbers(
            columns: [heading] + lines.map { unit.heading($0.name) },
            rows: stride(from: 0, to: count, by: size).map { first in
                let range = first..<min(first + size, count)
                func mean(_ values: [Double]) -> Double {
                    values.reduce(0, +) / Double(values.count)
                }
                return [place(mean(lines[0].points[range].map(\.x)))]
                    + lines.map { unit.text(mean($0.points[range].map(\.y))) }
            })
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
