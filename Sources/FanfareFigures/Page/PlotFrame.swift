import FanfareBase

/// The frame of a plot: the axes, their words, and the lines across.
struct PlotFrame {
    /// The plot's own units: fine enough for any screen, and whole numbers keep the page small.
    static let width = 1200.0
    static let height = 400.0

    let title: String
    let description: String
    let horizontal: PlotScale
    let vertical: PlotScale
    let xLabel: (Double) -> String
    let yLabel: (Double) -> String

    /// Writes the frame around the shapes.
    func write(to markup: inout Markup, shapes: (inout Markup) -> Void) {
        let ids = (title: markup.nextID(), description: markup.nextID())
        markup.element("div", .style("plot")) { markup in
            writeVerticalWords(to: &markup)
            markup.element(
                "svg", .init("viewBox", "0 0 \(Int(Self.width)) \(Int(Self.height))"),
                .init("preserveAspectRatio", "none"), .init("role", "img"),
                .init("aria-labelledby", "\(ids.title) \(ids.description)")
            ) { markup in
                markup.element("title", .init("id", ids.title), text: title)
                markup.element("desc", .init("id", ids.description), text: description)
                markup.empty("path", .style("g"), .init("d", gridLines))
                shapes(&markup)
            }
            writeHorizontalWords(to: &markup)
        }
    }

    private var gridLines: String {
        shownTicks.map { "M0 \(Self.y($0, vertical))h\(Int(Self.width))" }.joined()
    }

    /// At most seven words fit beside a plot.
    private var shownTicks: [Double] {
        let every = (vertical.ticks.count - 1) / 7 + 1
        return vertical.ticks.enumerated().filter { $0.offset % every == 0 }.map(\.element)
    }

    private func writeVerticalWords(to markup: inout Markup) {
        markup.element("div", .style("y"), .init("aria-hidden", "true")) { markup in
            for tick in shownTicks {
                let place = Self.percent(vertical.place(tick))
                markup.element("span", .init("style", "bottom:\(place)"), text: yLabel(tick))
            }
            // Words that have a place of their own take no room: these do, unseen.
            for tick in shownTicks { markup.element("i", text: yLabel(tick)) }
        }
    }

    private func writeHorizontalWords(to markup: inout Markup) {
        let every = (horizontal.ticks.count - 1) / 9 + 1
        let ticks = horizontal.ticks.enumerated().filter { $0.offset % every == 0 }.map(\.element)
        markup.element("div", .style("x"), .init("aria-hidden", "true")) { markup in
            for (index, tick) in ticks.enumerated() {
                let place = horizontal.place(tick)
                // Every second one goes where there is little room; the last stays in the frame.
                let classes = (index % 2 == 1 ? "h" : "") + (place > 0.96 ? " e" : "")
                markup.element(
                    "span", .style(classes), .init("style", "left:\(Self.percent(place))"),
                    text: xLabel(tick))
            }
        }
    }

    // MARK: Paths

    static func x(_ value: Double, _ scale: PlotScale) -> Int {
        Int((scale.place(value) * width).rounded())
    }

    static func y(_ value: Double, _ scale: PlotScale) -> Int {
        Int(((1 - scale.place(value)) * height).rounded())
    }

    /// Returns a line of steps, broken where nothing is known.
    static func steps(_ values: [Double?], _ grid: TimeGrid, _ vertical: PlotScale) -> String {
        let scale = PlotScale.time(seconds: grid.end)
        var path = ""
        var pen: (x: Int, y: Int)?
        for (index, value) in values.enumerated() {
            guard let value else {
                pen = nil
                continue
            }
            let range = grid.range(ofBucket: index)
            let (left, right) = (x(range.lowerBound, scale), x(range.upperBound, scale))
            let height = y(value, vertical)
            if let pen {
                if pen.y != height { path += "V\(height)" }
            } else {
                path += "M\(left) \(height)"
            }
            path += "H\(right)"
            pen = (right, height)
        }
        return path
    }

    /// Returns the area between two lines of steps.
    static func area(
        from below: [Double?], to above: [Double?], _ grid: TimeGrid, _ vertical: PlotScale
    ) -> String {
        let scale = PlotScale.time(seconds: grid.end)
        var path = ""
        var index = 0
        while index < above.count {
            guard y(above[index] ?? 0, vertical) != y(below[index] ?? 0, vertical) else {
                index += 1
                continue
            }
            let first = index
            while index < above.count,
                y(above[index] ?? 0, vertical) != y(below[index] ?? 0, vertical)
            {
                index += 1
            }
            path += "M\(x(grid.range(ofBucket: first).lowerBound, scale)) "
            path += "\(y(below[first] ?? 0, vertical))"
            for bucket in first..<index {
                path += "V\(y(above[bucket] ?? 0, vertical))"
                path += "H\(x(grid.range(ofBucket: bucket).upperBound, scale))"
            }
            for bucket in (first..<index).reversed() {
                path += "V\(y(below[bucket] ?? 0, vertical))"
                path += "H\(x(grid.range(ofBucket: bucket).lowerBound, scale))"
            }
            path += "z"
        }
        return path
    }

    // MARK: Words

    /// Returns a moment on an axis, in the unit that the axis is in.
    static func time(_ seconds: Double, of scale: PlotScale) -> String {
        let step = scale.ticks.count > 1 ? scale.ticks[1] - scale.ticks[0] : scale.to
        return clock(seconds, step: step)
    }

    /// Returns a moment since the start: `250 ms`, `12 s`, `3:05 min`, `2:30 h`.
    static func clock(_ seconds: Double, step: Double) -> String {
        let milliseconds = Int64(clamping: seconds * 1000)
        if milliseconds == 0 { return "0" }
        if step < 1 {
            if seconds < 0.9995 { return "\(milliseconds) ms" }
            return "\(PlotUnit.number(Double(milliseconds) / 1000)) s"
        }
        let whole = (milliseconds + 500) / 1000
        if whole < 120 && step < 60 { return "\(whole) s" }
        if whole < 3600 { return "\(whole / 60):\(NumberText.twoDigits(whole % 60)) min" }
        if step < 60 {
            return
                "\(whole / 3600):\(NumberText.twoDigits(whole / 60 % 60)):\(NumberText.twoDigits(whole % 60)) h"
        }
        if whole < 172_800 { return "\(whole / 3600):\(NumberText.twoDigits(whole / 60 % 60)) h" }
        return
            "\(whole / 86_400) d \(NumberText.twoDigits(whole / 3600 % 24)):\(NumberText.twoDigits(whole / 60 % 60))"
    }

    static func percent(_ place: Double) -> String {
        let hundredths = Int((place * 10_000).rounded())
        return "\(hundredths / 100).\(NumberText.twoDigits(hundredths % 100))%"
    }
}
