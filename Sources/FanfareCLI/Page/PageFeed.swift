import FanfareBase
package import FanfareCore

/// The messages to the viewers of a job, put together once for all of them.
///
/// It is a value without sockets: it takes moments and events, and returns text of the stream. Its
/// memory is bounded: it keeps the last events, and thins out moments as the job gets longer.
package struct PageFeed: Sendable {
    /// The moments that the page draws over time, the oldest first.
    private var moments = PageMoments()
    /// The newest figures as a message; empty before the first ones.
    private var newest = ""
    /// The last events as messages, the oldest first.
    private var events: [String] = []
    /// The number of events so far: those of `events` are the last ones of these.
    package private(set) var eventCount = 0

    /// Nothing has happened yet.
    package init() {}

    /// Takes in a moment.
    package mutating func add(_ figures: PageFigures) {
        let reading = figures.reading
        moments.add(
            PageMoments.Moment(
                seconds: reading.elapsedSeconds, rate: reading.rowsPerSecond,
                p50: reading.latency?.p50, p99: reading.latency?.p99))
        newest = StreamMessage("snapshot", figures.json).text
    }

    /// Events whose facts other parts of the page show better.
    private static let passedOver = [
        "connection_dialled", "connections_wanted", "provider_token_signed",
        "stream_limit_changed",
    ]

    /// Takes in events.
    package mutating func add(_ events: [LogEvent]) {
        for event in events where !Self.passedOver.contains(event.name.description) {
            self.events.append(StreamMessage("log", event.pageJSON).text)
            eventCount += 1
        }
        if self.events.count > Limits.pageEventsMax {
            self.events.removeFirst(self.events.count - Limits.pageEventsMax)
        }
    }

    /// The first message to a new viewer: the whole state.
    package var opening: String {
        StreamMessage.retry + StreamMessage("history", moments.json).text + news(after: 0)
    }

    /// Returns the message to a viewer that knows some events already.
    package func news(after known: Int) -> String {
        events.suffix(max(eventCount - known, 0)).joined() + newest
    }

    /// Returns the last message.
    /// - Parameters:
    ///   - text: The job's ending, in a sentence.
    ///   - name: The suggested file name of the last page; `nil` if there is none.
    /// - Returns: The message.
    package static func end(_ text: String, pageName name: String?) -> String {
        let document = JSONWriter.document(isOneLine: true) { writer in
            writer.member("text", text)
            writer.member("has_page", name != nil)
            writer.member("name", name)
        }
        return StreamMessage("end", PageFigures.oneLine(document)).text
    }
}

/// The part of a job's past that its page draws.
package struct PageMoments: Sendable {
    /// One look at the job.
    package struct Moment: Equatable, Sendable {
        /// The time since the beginning.
        package var seconds: Double
        /// Rows a second.
        package var rate: Double
        /// Nanoseconds; `nil` when no answer came.
        package var p50: Int64?
        /// Nanoseconds; `nil` when no answer came.
        package var p99: Int64?

        package init(seconds: Double, rate: Double, p50: Int64? = nil, p99: Int64? = nil) {
            self.seconds = seconds
            self.rate = rate
            self.p50 = p50
            self.p99 = p99
        }
    }

    /// The oldest first.
    package private(set) var kept: [Moment] = []
    /// The number of moments of which one is kept.
    private var stride = 1
    private var count = 0

    package init() {}

    /// Takes in a moment, and lets every second one go when there are too many.
    package mutating func add(_ moment: Moment) {
        defer { count += 1 }
        guard count % stride == 0 else { return }
        kept.append(moment)
        guard kept.count > Limits.pageMomentsMax else { return }
        kept = kept.indices.filter { $0 % 2 == 0 }.map { kept[$0] }
        stride *= 2
    }

    /// For the page's script: an object on one line.
    package var json: String {
        let document = JSONWriter.document(isOneLine: true) { writer in
            writer.beginArray("moments")
            for moment in kept {
                writer.beginArray()
                writer.value(moment.seconds)
                writer.value(moment.rate)
                writer.value(moment.p50.map { Double($0) / 1e6 })
                writer.value(moment.p99.map { Double($0) / 1e6 })
                writer.endArray()
            }
            writer.endArray()
        }
        return PageFigures.oneLine(document)
    }
}

extension LogEvent {
    /// For the page's script: an object on one line.
    fileprivate var pageJSON: String {
        var parts: [String] = []
        if let lane { parts.append("lane \(lane)") }
        if let connection { parts.append("connection \(connection)") }
        for field in fields {
            let value =
                switch field.value {
                case .text(let text): text
                case .statement(let statement): statement.text(.commandLine)
                case .whole(let number): "\(number)"
                case .real(let number): "\(number)"
                }
            let name = field.name.description.replacing("_", with: " ")
            parts.append("\(name): \(value)")
        }
        let document = JSONWriter.document(isOneLine: true) { writer in
            writer.member("time", milliseconds)
            writer.member("level", level.name)
            writer.member("event", name.description)
            writer.member("text", parts.joined(separator: ", "))
        }
        return PageFigures.oneLine(document)
    }
}
