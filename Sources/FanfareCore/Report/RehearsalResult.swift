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
    /// The rates of the providers, in rows a second; `nil` for those that have none, empty if there is
    /// one provider.
    package var routeRates: [Double?] = []
    /// The rows that a provider takes at once before its rate counts: of the only one, or of each.
    package var atOnce: [UInt64] = []
    /// The paces that the files of described providers ask for and the job keeps, in words: `acme asks for 10
    /// requests a second`.
    package var filePaces: [String] = []
    /// The time in which the rate rises, in nanoseconds.
    package var ramp: Int64
    /// The connections that were asked for; `nil` for as many as are of use.
    package var connections: Int?
    /// The rows in which duplicates were looked for, and those found; `nil` when all were, on demand.
    package var census: (rows: UInt64, duplicates: UInt64)?

    /// The forecast of a job that hours or an end bind; `nil` where only rates count.
    package var forecast: Forecast?

    /// The end of a job and the rows that it does not send, as hours and an end have them.
    package struct Forecast: Sendable, Equatable {
        /// Milliseconds from now to the last row; `nil` if that is not known.
        package var milliseconds: Int64?
        /// The rows that are never sent.
        package var unsent: UInt64

        package init(milliseconds: Int64?, unsent: UInt64) {
            self.milliseconds = milliseconds
            self.unsent = unsent
        }
    }

    /// The rows that would be sent.
    package var sentCount: UInt64 {
        figures.readyCount - min(forecast?.unsent ?? 0, figures.readyCount)
    }

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

    /// The time that sending takes at the rates, in milliseconds; `nil` without one.
    ///
    /// Providers send at the same time, so it is the longest of the job's and theirs. Hours may add their
    /// waits, and an end may take rows away.
    package var durationMilliseconds: Int64? {
        if let forecast { return forecast.milliseconds }
        let whole = rate.map {
            milliseconds(
                rows: figures.readyCount, perSecond: Double($0.count) * 1e9 / Double($0.period),
                atOnce: routeRates.isEmpty ? atOnce.first ?? 0 : 0)
        }
        return (figures.routes.indices.map(durationMilliseconds) + [whole]).compactMap(\.self).max()
    }

    /// Returns the time that sending to one provider of several takes at its own rate, in milliseconds;
    /// `nil` without one.
    package func durationMilliseconds(ofRoute index: Int) -> Int64? {
        guard routeRates.indices.contains(index), let rate = routeRates[index] else { return nil }
        return milliseconds(
            rows: figures.routes[index].ready, perSecond: rate,
            atOnce: atOnce.indices.contains(index) ? atOnce[index] : 0)
    }

    /// Returns the time that rows take.
    ///
    /// While the rate rises in a line the job sends half as much: n rows need n ÷ rate and half the
    /// rise, or √(2n × rise ÷ rate) when they are sent before it is over.
    private func milliseconds(rows all: UInt64, perSecond: Double, atOnce: UInt64) -> Int64 {
        let count = all - min(atOnce, all)
        let rise = RateRise(from: 0, over: Double(ramp) / 1e9)
        let seconds = rise.moment(Double(count) / perSecond, after: 0)
        return Int64(min(seconds * 1000, 1e15).rounded())
    }
}
