package import FanfareBase
package import FanfareCore

/// A rehearsal's figures for people.
extension RehearsalResult {
    /// Returns the lines below the table, each with its end.
    /// - Parameters:
    ///   - reasons: The reasons why rows are invalid.
    ///   - naming: The way in which settings are named.
    /// - Returns: The lines.
    package func text(reasons: [Tally.ReasonCount], naming: Naming = .members) -> String {
        var lines: [String] = []
        func add(_ name: String, _ value: String) { lines.append(PlainText.line(name, value)) }
        let invalid = reasons.filter { $0.outcome == .invalid }
        for reason in invalid {
            let places = figures.places(of: reason.reason)
            guard !places.isEmpty else { continue }
            let more = reason.count > UInt64(places.count) ? " …" : ""
            add("", "\(reason.reason): \(places.map(text(of:)).joined(separator: ", "))\(more)")
        }
        if !lines.isEmpty { lines = ["  where rows are invalid"] + lines }
        for (index, (name, route)) in zip(routes, figures.routes).enumerated() {
            let ways = [("by name", route.byWord), ("by token", route.byToken)].filter { $0.1 > 0 }
                .map { "\(NumberText.grouped($0.1)) \($0.0)" }
            let rows = NumberText.grouped(route.byWord + route.byToken)
            add(
                name,
                "\(rows) rows" + (ways.isEmpty ? "" : ": \(ways.joined(separator: ", "))")
                    + time(ofRoute: index))
        }
        let areLackedByAll = figures.areLackedByAll
        // Of a description with many columns a list has a few: one line says which it does without.
        let lacked = zip(values, areLackedByAll).filter(\.1).map { PlainText.printable($0.0) }
        if !lacked.isEmpty { add("values", "no row has \(lacked.joined(separator: ", "))") }
        for (index, value) in values.enumerated()
        where figures.rowsLacking[index] > 0 && !areLackedByAll[index] {
            let (count, places) = (figures.rowsLacking[index], figures.placesLacking[index])
            let share = NumberText.share(count, of: figures.rowCount)
            let more = count > UInt64(places.count) ? " …" : ""
            add(
                "values",
                "\(NumberText.grouped(count)) \(count == 1 ? "row lacks" : "rows lack") "
                    + "\(PlainText.printable(value)) (\(share)): "
                    + places.map(text(of:)).joined(separator: ", ") + more)
        }
        if let census, census.duplicates > 0 {
            let scope: Statement =
                census.rows < figures.rowCount
                ? "in the first \(NumberText.grouped(census.rows)) rows; \(.deduplication) "
                    + "looks at all"
                : "\(.deduplication) leaves them out"
            add("duplicates", "\(NumberText.grouped(census.duplicates)) (\(scope.text(naming)))")
        }
        if figures.readyCount > 0 { addSizes(to: &lines) }
        add("plan", plan)
        for sample in figures.samples {
            add("sample", "\(text(of: sample.place)): \(PlainText.printable(sample.payload))")
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func addSizes(to lines: inout [String]) {
        let percentiles = ([50, 99] as [UInt64]).map {
            "p\($0) \(figures.payloadBytes(atPercentile: $0))"
        }
        lines.append(
            PlainText.line(
                "payload bytes",
                "min \(figures.payloadBytesMin), \(percentiles.joined(separator: ", ")), "
                    + "max \(figures.payloadBytesMax)"))
        let largest = figures.largest.map {
            // A description may name no limit.
            let limit = $0.bytesMax == .max ? "" : " of \($0.bytesMax)"
            return "\(text(of: $0.place)) (\($0.bytes)\(limit))"
        }
        lines.append(PlainText.line("largest", largest.joined(separator: ", ")))
        let lengths = figures.tokensByLength
        let shown = lengths.prefix(4).map {
            "\($0.length) characters \(NumberText.share($0.rows, of: figures.readyCount))"
        }
        let more = lengths.count > 4 ? " …" : ""
        lines.append(PlainText.line("tokens", shown.joined(separator: ", ") + more))
    }

    /// The time for one provider's rows, where at least one has a rate.
    private func time(ofRoute index: Int) -> String {
        // Where hours or an end bind the job, the plan has the one time that counts.
        guard forecast == nil, routeRates.contains(where: { $0 != nil }) else { return "" }
        guard let time = durationMilliseconds(ofRoute: index) else { return "; no rate of its own" }
        return "; \(NumberText.duration(milliseconds: time)) at its rate"
    }

    private var plan: String {
        let connections =
            connections.map { "\($0) connection" + ($0 == 1 ? "" : "s") }
            ?? "as many connections as are of use"
        let ready = NumberText.grouped(figures.readyCount)
        let sent = sentCount == figures.readyCount ? "" : "\(NumberText.grouped(sentCount)) of "
        let rows = "\(sent)\(ready) \(figures.readyCount == 1 ? "row" : "rows")"
        let hasRate = rate != nil || routeRates.contains { $0 != nil }
        guard hasRate else {
            return "\(rows), \(connections), as fast as the provider takes them"
        }
        let paces = filePaces.isEmpty ? "" : " (\(filePaces.joined(separator: ", ")))"
        let duration = durationMilliseconds.map { NumberText.duration(milliseconds: $0) + " " }
        return "\(rows), \(connections), \(duration ?? "")at "
            + (routeRates.contains { $0 != nil } ? "these rates" : "that rate") + paces
            + (forecast != nil && duration != nil ? " from now" : "")
    }

    private func text(of place: RehearsalFigures.Place) -> String {
        guard inputs.count > 1, inputs.indices.contains(place.input) else {
            return "line \(place.line)"
        }
        return "\(PlainText.printable(inputs[place.input])) line \(place.line)"
    }
}
