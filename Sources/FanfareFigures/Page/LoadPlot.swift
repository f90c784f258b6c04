import FanfareBase
import FanfareCore

#if canImport(Glibc)
    internal import Glibc
#endif

/// A plot with lines as SVG that takes its colours from the page around it.
package struct LoadPlot: Sendable {
    /// How an axis grows.
    package enum Scale: Equatable, Sendable {
        case linear
        /// Each power of ten has the same length; values of nothing are not shown.
        case logarithmic
    }

    /// A place on an axis with its text.
    package struct Tick: Equatable, Sendable {
        package var at: Double
        package var text: String

        package init(_ at: Double, _ text: String) {
            self.at = at
            self.text = text
        }
    }

    /// A line.
    package struct Line: Sendable {
        package var name: String
        /// Which colour of the page: 0 to 3.
        package var colour: Int
        package var points: [(x: Double, y: Double)]

        package init(_ name: String, colour: Int, _ points: [(x: Double, y: Double)]) {
            self.name = name
            self.colour = colour
            self.points = points
        }
    }

    package var title: String
    package var xLabel: String
    package var yScale: Scale
    package var yText: @Sendable (Double) -> String
    /// The ticks of the horizontal axis; `nil` for some that divide it well.
    package var xTicks: [Tick]?
    package var lines: [Line]

    /// Describes a plot.
    /// - Parameters:
    ///   - title: What it shows.
    ///   - xLabel: What the horizontal axis is.
    ///   - yScale: How the vertical axis grows.
    ///   - xTicks: The ticks of the horizontal axis.
    ///   - lines: What is drawn.
    ///   - yText: A value of the vertical axis as text.
    package init(
        _ title: String, xLabel: String, yScale: Scale = .linear, xTicks: [Tick]? = nil,
        lines: [Line], yText: @escaping @Sendable (Double) -> String
    ) {
        self.title = title
        self.xLabel = xLabel
        self.yScale = yScale
        self.xTicks = xTicks
        self.lines = lines
        self.yText = yText
    }

    // The drawing's own units; the page scales it to its width.
    private static let width = 720.0
    private static let height = 320.0
    private static let left = 76.0
    private static let right = 28.0
    private static let top = 16.0
    private static let bottom = 44.0

    /// The plot with its title and legend, as a figure of HTML.
    package func html() -> String {
        var html = "<figure>\n<figcaption>\(HTMLText.escaped(title))</figcaption>\n"
        html += "<p class=\"legend\">"
        for line in lines {
            html += "<span class=\"c\(line.colour)\">\(HTMLText.escaped(line.name))</span> "
        }
        html += "</p>\n"
        html += "<svg viewBox=\"0 0 \(Int(Self.width)) \(Int(Self.height))\" role=\"img\" "
        html += "aria-label=\"\(HTMLText.escaped(title))\">\n"
        html += axes
        for line in lines { html += draw(line) }
        return html + "</svg>\n</figure>\n"
    }

    // MARK: Range

    private var values: [Double] {
        lines.flatMap { $0.points.map(\.y) }.filter { yScale == .linear || $0 > 0 }
    }

    private var yRange: (low: Double, high: Double) {
        let high = values.max() ?? 1
        switch yScale {
        case .linear:
            let step = Self.step(for: high)
            return (0, max((high / step).rounded(.up) * step, step))
        case .logarithmic:
            let low = floor(log10(values.min() ?? 1))
            return (low, max(ceil(log10(high)), low + 1))
        }
    }

    private var xRange: (low: Double, high: Double) {
        let all = lines.flatMap { $0.points.map(\.x) } + (xTicks ?? []).map(\.at)
        let low = min(all.min() ?? 0, 0)
        return (low, max(all.max() ?? 1, low + 1e-9))
    }

    /// A step of 1, 2 or 5 times a power of ten of which there are about five.
    private static func step(for high: Double) -> Double {
        guard high > 0 else { return 1 }
        let power = pow(10, floor(log10(high / 5)))
        let wanted = high / 5 / power
        return power * (wanted <= 1 ? 1 : wanted <= 2 ? 2 : wanted <= 5 ? 5 : 10)
    }

    private func place(x: Double) -> Double {
        let range = xRange
        let share = (x - range.low) / (range.high - range.low)
        return Self.left + share * (Self.width - Self.left - Self.right)
    }

    private func place(y: Double) -> Double {
        let range = yRange
        let value = yScale == .linear ? y : log10(y)
        let share = (value - range.low) / (range.high - range.low)
        return Self.height - Self.bottom - share * (Self.height - Self.top - Self.bottom)
    }

    // MARK: Drawing

    private var axes: String {
        var svg = ""
        let (right, bottom) = (Self.width - Self.right, Self.height - Self.bottom)
        for tick in yTicks {
            let y = Self.number(place(y: tick.at))
            svg += "<line class=\"grid\" x1=\"\(Int(Self.left))\" x2=\"\(Int(right))\" "
            svg += "y1=\"\(y)\" y2=\"\(y)\"/>"
            svg += "<text x=\"\(Int(Self.left) - 8)\" y=\"\(y)\" class=\"y\">"
            svg += "\(HTMLText.escaped(tick.text))</text>\n"
        }
        for tick in xTicks ?? niceXTicks {
            let x = Self.number(place(x: tick.at))
            svg += "<line class=\"grid\" x1=\"\(x)\" x2=\"\(x)\" y1=\"\(Int(Self.top))\" "
            svg += "y2=\"\(Int(bottom))\"/>"
            svg += "<text x=\"\(x)\" y=\"\(Int(bottom) + 16)\" class=\"x\">"
            svg += "\(HTMLText.escaped(tick.text))</text>\n"
        }
        svg += "<text x=\"\(Int(right))\" y=\"\(Int(Self.height) - 6)\" class=\"label\">"
        return svg + "\(HTMLText.escaped(xLabel))</text>\n"
    }

    private var yTicks: [Tick] {
        let range = yRange
        switch yScale {
        case .linear:
            let step = Self.step(for: range.high)
            return (0...Int((range.high / step).rounded())).map {
                Tick(Double($0) * step, yText(Double($0) * step))
            }
        case .logarithmic:
            return (Int(range.low)...Int(range.high)).map {
                Tick(pow(10, Double($0)), yText(pow(10, Double($0))))
            }
        }
    }

    private var niceXTicks: [Tick] {
        let high = xRange.high
        let step = Self.step(for: high)
        return (0...Int(high / step)).map {
            Tick(Double($0) * step, LoadTable.perSecond(Double($0) * step))
        }
    }

    private func draw(_ line: Line) -> String {
        let points = line.points.filter { yScale == .linear || $0.y > 0 }
            .map { "\(Self.number(place(x: $0.x))),\(Self.number(place(y: $0.y)))" }
        guard points.count != 1 else {
            let parts = points[0].split(separator: ",")
            return
                "<circle class=\"c\(line.colour)\" cx=\"\(parts[0])\" cy=\"\(parts[1])\" r=\"3\"/>\n"
        }
        guard !points.isEmpty else { return "" }
        return "<polyline class=\"c\(line.colour)\" points=\"\(points.joined(separator: " "))\"/>\n"
    }

    /// With one digit behind the point: a tenth of a unit cannot be seen.
    private static func number(_ value: Double) -> String {
        String((value * 10).rounded() / 10)
    }
}

/// Text for HTML.
package enum HTMLText {
    /// The text as it may stand between tags and in quoted attributes, without what steers a reader.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                result.unicodeScalars.append(TerminalText.isObeyed(scalar) ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }
}
