/// A rehearsal's figures, and the known facts of the job that it stands for.
package struct RehearsalResult: Sendable {
    package var figures: RehearsalFigures
    /// The names of the template's values, in the order of `RehearsalFigures.rowsLacking`.
    package var values: [String]
    /// The names of the inputs in messages.
    package var inputs: [String]
    /// The names of the providers, in the order of `RehearsalFigures.routes`.
    package var routes: [String] = []
    /// Attempts in each period of so many nanoseconds; `nil` for as many as possible.
    package var rate: (count: Int64, period: Int64)?
    /// The time in which the rate rises, in nanoseconds.
    package var ramp: Int64
    /// The connections that were asked for; `nil` for as many as are of use.
    package var connections: Int?
    /// The rows in which duplicates were looked for, and those found; `nil` when all were, on demand.
    package var census: (rows: UInt64, duplicates: UInt64)?

    package init(
        figures: RehearsalFigures, values: [String], inputs: [String],
        rate: (count: Int64, period: Int64)?, ramp: Int64, connections: Int?,
        census: (rows: UInt64, duplicates: UInt64)?
    ) {
        self.figures = figures
        self.values = values
        self.inputs = inputs
        self.rate = rate
        self.ramp = ramp
        self.connections = connections
        self.census = census
    }

    /// The time that sending takes at the rate, in milliseconds; `nil` without one.
    ///
    /// While the rate rises in a line the job sends half as much: n rows need n ÷ rate and half the
    /// rise, or √(2n × rise ÷ rate) when they are sent before it is over.
    package var durationMilliseconds: Int64? {
        guard let rate else { return nil }
        let rows = Double(figures.readyCount)
        let perSecond = Double(rate.count) * 1e9 / Double(rate.period)
        let rise = Double(ramp) / 1e9
        let inRise = perSecond * rise / 2
        let seconds =
            rows < inRise
            ? (2 * rows * rise / perSecond).squareRoot() : rows / perSecond + rise / 2
        return Int64(min(seconds * 1000, 1e15).rounded())
    }
}
