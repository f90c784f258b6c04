import FanfareBase
package import FanfareCore

/// The part of a page that a check has, and no job: what phones would show, and where to look.
extension JobPage {
    /// The findings of a check.
    package struct Check: Sendable {
        package var result: RehearsalResult
        /// Probable mistakes in the payloads, in sentences.
        package var warnings: [String]
        /// The notifications of the first rows, by their places.
        package var previews: [(place: RehearsalFigures.Place, message: MessagePreview)]

        /// Collects the findings.
        package init(
            _ result: RehearsalResult, warnings: [String],
            previews: [(place: RehearsalFigures.Place, message: MessagePreview)]
        ) {
            self.result = result
            self.warnings = warnings
            self.previews = previews
        }
    }

    /// The numbers that are looked at first.
    func checkFigures(_ check: Check) -> [(name: String, value: String, note: String)] {
        let figures = check.result.figures
        var list = [
            ("Rows", NumberText.grouped(rowCount), ""),
            (
                "Could be sent", NumberText.grouped(tally.valid),
                NumberText.share(tally.valid, of: tally.finished)
            ),
            ("Invalid", NumberText.grouped(tally.count(.invalid)), ""),
        ]
        if figures.readyCount > 0 {
            list.append(
                (
                    "Largest payload", NumberText.grouped(UInt64(max(figures.payloadBytesMax, 0))),
                    "bytes; p50 \(figures.payloadBytes(atPercentile: 50))"
                ))
        }
        if let milliseconds = check.result.durationMilliseconds {
            list.append(("To send", NumberText.duration(milliseconds: milliseconds), "at the rate"))
        }
        return list
    }

    func write(_ check: Check, to markup: inout Markup) {
        writeWarnings(check, to: &markup)
        writePreviews(check, to: &markup)
        writeLargest(check, to: &markup)
        writePlaces(check, to: &markup)
        writeLacking(check, to: &markup)
    }

    private func writeWarnings(_ check: Check, to markup: inout Markup) {
        guard !check.warnings.isEmpty else { return }
        markup.section("Look at this first") { markup in
            markup.element("ul") { markup in
                for warning in check.warnings { markup.element("li", text: warning) }
            }
        }
    }

    // MARK: Phones

    private func writePreviews(_ check: Check, to markup: inout Markup) {
        guard !check.previews.isEmpty else { return }
        markup.section(
            "As a phone shows it",
            note: "The first rows that could be sent. Letters, fonts and versions differ: a phone "
                + "may show more or less of a long text."
        ) { markup in
            for (place, message) in check.previews {
                markup.element("figure") { markup in
                    markup.element("figcaption") { markup in
                        markup.element(
                            "h3", text: "\(text(of: place, check)), \(message.phone.name)")
                        for sentence in sentences(about: message) {
                            markup.element("p", text: sentence)
                        }
                    }
                    guard message.silence == nil else { return }
                    markup.element("div", .style("phones")) { markup in
                        for ground in ["lt", "dk"] { write(message, ground, to: &markup) }
                    }
                }
            }
        }
    }

    private func sentences(about message: MessagePreview) -> [String] {
        var sentences = [message.silence].compactMap(\.self)
        for excess in message.excesses {
            sentences.append(
                "The \(excess.part) has \(excess.characters) characters; about \(excess.seen) are "
                    + "seen.")
        }
        if let badge = message.badge, message.silence == nil {
            sentences.append("The number at the app's icon becomes \(badge).")
        }
        if message.hasImage { sentences.append("It has an image, which is not shown here.") }
        return sentences
    }

    private func write(_ message: MessagePreview, _ ground: String, to markup: inout Markup) {
        let shape = message.phone == .iPhone ? "ios" : "android"
        markup.element("div", .style("phone \(shape) \(ground)")) { markup in
            markup.element("div", .style("card")) { markup in
                markup.element("i", .init("aria-hidden", "true"), text: "")
                markup.element("div") { markup in
                    if message.phone == .android {
                        markup.element("small", text: "Your app · now")
                    }
                    for (part, text) in [("b", message.title), ("u", message.subtitle)] {
                        guard let text else { continue }
                        markup.element("p", .style(part), text: text)
                    }
                    if let body = message.body { markup.element("p", .style("s"), text: body) }
                }
                if message.phone == .iPhone { markup.element("small", text: "now") }
            }
        }
    }

    // MARK: Rows to look at

    private func writeLargest(_ check: Check, to markup: inout Markup) {
        let largest = check.result.figures.largest
        guard !largest.isEmpty else { return }
        markup.section("Nearest to the limit") { markup in
            markup.table(
                caption: "Rows with the largest payloads",
                columns: ["Row", "Bytes", "Limit", "Room"],
                rows: largest.map { row in
                    [text(of: row.place, check), "\(row.bytes)", "\(row.bytesMax)", "\(row.room)"]
                })
        }
    }

    private func writePlaces(_ check: Check, to markup: inout Markup) {
        let rows = tally.reasons.filter { $0.outcome == .invalid }.compactMap { reason in
            let places = check.result.figures.places(of: reason.reason)
            return places.isEmpty
                ? nil
                : [
                    reason.reason, NumberText.grouped(reason.count),
                    places.map { text(of: $0, check) }.joined(separator: ", "),
                ]
        }
        guard !rows.isEmpty else { return }
        markup.section("Where rows are invalid") { markup in
            markup.table(
                caption: "The first rows of each reason", columns: ["Reason", "Rows", "First"],
                textColumns: [0, 2], rows: rows)
        }
    }

    private func writeLacking(_ check: Check, to markup: inout Markup) {
        let result = check.result
        let rows = zip(result.values, result.figures.rowsLacking).filter { $0.1 > 0 }.map {
            [
                $0.0, NumberText.grouped($0.1),
                NumberText.share($0.1, of: result.figures.rowCount),
            ]
        }
        guard !rows.isEmpty else { return }
        markup.section("Values that rows lack", note: "Missing, or empty.") { markup in
            markup.table(
                caption: "Rows without a value", columns: ["Value", "Rows", "Share"], rows: rows)
        }
    }

    private func text(of place: RehearsalFigures.Place, _ check: Check) -> String {
        let inputs = check.result.inputs
        let input =
            inputs.count > 1 && inputs.indices.contains(place.input) ? inputs[place.input] : nil
        return "Row \(NumberText.grouped(place.row))"
            + (input.map { " (\($0), line \(place.line))" } ?? "")
    }
}
