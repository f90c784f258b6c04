package import FanfareBase
package import FanfareCore

extension Summary {
    /// Returns the summary as a JSON document.
    /// - Parameter naming: The way in which settings are named.
    /// - Returns: The document.
    package func json(naming: Naming = .members) -> String {
        JSONWriter.document { writer in
            writer.member("schema", Self.schema)
            writer.member("job_id", jobID)
            if let name { writer.member("name", name) }
            if let note { writer.member("note", note) }
            if isRecovery { writer.member("recovered", isRecovery) }
            writer.member("started_at", TimestampWriter.string(milliseconds: startMilliseconds))
            writer.member("ended_at", TimestampWriter.string(milliseconds: endMilliseconds))
            writer.member("duration_ms", durationMilliseconds)
            writer.member("exit_code", exitStatus.rawValue)
            writer.writeStop(stop, naming)
            writer.member("thresholds_crossed", thresholdsCrossed.map(\.description))
            writeCounts(to: &writer)
            writer.writeLatency(latency)
            rehearsal?.write(to: &writer, reasons: tally.reasons)
            if let proxy { writer.member("proxy", proxy) }
            writer.member("report", reportPath)
            if let reportParts { writer.member("report_parts", reportParts) }
            writer.member("unregistered", unregisteredPath)
            writer.member("retry_rows", retryRowsPath)
            writer.member("resume_command", resumeCommand)
            writer.member("retry_command", tally.toSendAgain > 0 ? retryCommand : nil)
        }
    }

    private func writeCounts(to writer: inout JSONWriter) {
        writer.member("rows_read", tally.rowsRead)
        writer.member("resumed_rows", earlier.rows)
        leftOut?.write(to: &writer)
        if tokensCleaned > 0 { writer.member("tokens_cleaned", tokensCleaned) }
        writer.write(routeWords)
        if let waiting {
            writer.beginObject("waiting")
            writer.member("rows", waiting.rows)
            writer.member(
                "until", waiting.opensMilliseconds.map { TimestampWriter.string(milliseconds: $0) })
            writer.endObject()
        }
        if let hours { writer.member("hours", hours.text) }
        writer.writeOutcomes(of: tally)
        writer.member("attempts", tally.attempts)
        writer.member("retries", tally.retries)
        writer.member("requests_per_second", requestsPerSecond)
        if let lateStarts { writer.member("late_starts", lateStarts) }
        writer.member("connections_opened", tally.connectionsOpened)
        if let chosen {
            writer.member("connections_chosen", chosen.count)
            writer.member("connections_chosen_for", chosen.cause?.name.description)
        }
        writer.writeLimits(limits)
        writer.member("bytes_sent", tally.bytesSent)
        variants?.write(to: &writer, as: "variants")
        guard !routes.isEmpty else { return }
        writer.objects("routes", routes) { $0.write(to: &$1) }
        guard let ofNoRoute else { return }
        writer.beginObject("of_no_provider")
        writer.member("rows", ofNoRoute.finished)
        writer.writeOutcomes(of: ofNoRoute)
        writer.endObject()
    }
}

extension Summary.LeftOut {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject("left_out")
        writer.member("rows", rows)
        writer.member("rest_unread", endsEarly)
        writer.member("excluded", excluded)
        writer.member("where", conditions)
        writer.member("sample", sample)
        writer.member("limit", limit)
        writer.endObject()
    }
}

extension Summary.Route {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.member("provider", name)
        writer.member("rows", tally.finished)
        writer.writeOutcomes(of: tally)
        writer.member("attempts", tally.attempts)
        writer.member("retries", tally.retries)
        writer.member("connections_opened", tally.connectionsOpened)
        if let connectionsChosen { writer.member("connections_chosen", connectionsChosen) }
        writer.writeLimits(limits)
        writer.member("bytes_sent", tally.bytesSent)
        writer.writeLatency(latency)
    }
}

extension JSONWriter {
    /// Writes the member `limited_by_seconds`.
    fileprivate mutating func writeLimits(_ limits: LimitTimes) {
        beginObject("limited_by_seconds")
        for (limitation, nanoseconds) in limits.ranked {
            member(limitation.name.description, Double(nanoseconds / 1_000_000) / 1000)
        }
        endObject()
    }
}

extension JSONWriter {
    /// Writes the member `unknown_provider_words`, if there are any.
    fileprivate mutating func write(_ words: RouteWords) {
        let all =
            words.decided.words.map { ($0, "token") }
            + words.turnedAway.words.map { ($0, "nothing") }
        guard !all.isEmpty else { return }
        objects("unknown_provider_words", all) { entry, writer in
            writer.member("word", entry.0.text)
            writer.member("rows", entry.0.count)
            writer.member("decided_by", entry.1)
        }
    }
}
