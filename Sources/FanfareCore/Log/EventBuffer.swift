package import FanfareBase

/// A lane's events until they are handed over at the end of a turn.
///
/// A lane that has an event asks first whether the log wants it: off it costs a comparison.
package struct EventBuffer: Sendable {
    /// The level up to which events are collected; `nil` for none.
    package let level: LogLevel?
    private let lane: Int
    /// The provider that each event names, where a job has several.
    private let provider: String?
    package private(set) var events: [LogEvent] = []
    /// Events that came when there was no room.
    package private(set) var dropped: UInt64 = 0
    /// The numbers of the job's dials, by the connection's place.
    private var dials: [Int] = []
    /// A function that numbers the dials of all lanes.
    private let nextDial: @Sendable () -> Int
    /// The dial whose frames are wanted.
    private let frameDial: Int?
    /// Requests that the provider wants later, since the last event about them.
    private var throttled: [String: Int64] = [:]
    private var nextThrottled = Instant(nanoseconds: .min)
    private var connectionsWanted: Int?

    /// Collects nothing.
    package init() {
        level = nil
        lane = 0
        provider = nil
        nextDial = { 0 }
        frameDial = nil
    }

    /// - Parameters:
    ///   - level: The level up to which events are collected.
    ///   - lane: The number of the lane whose events they are.
    ///   - provider: The lane's provider, where a job has several; `nil` if there is only one.
    ///   - frameDial: The dial whose frames are wanted, if there is one.
    ///   - nextDial: Numbers the dials of all lanes, from 1.
    package init(
        level: LogLevel, lane: Int, provider: String? = nil, frameDial: Int? = nil,
        nextDial: @escaping @Sendable () -> Int
    ) {
        self.level = level
        self.lane = lane
        self.provider = provider
        self.frameDial = frameDial
        self.nextDial = nextDial
    }

    package var isOn: Bool { level != nil }

    /// True if there is anything to hand over.
    package var isPending: Bool { !events.isEmpty || dropped > 0 }

    /// Takes in an event.
    /// - Parameters:
    ///   - name: The name of the event.
    ///   - level: The weight of the event.
    ///   - place: The connection's place, if it happened to one.
    ///   - milliseconds: Unix time.
    ///   - fields: The other facts about the event.
    package mutating func add(
        _ name: StaticString, _ level: LogLevel, on place: Int? = nil,
        at milliseconds: Int64, _ fields: [LogEvent.Field]
    ) {
        guard let wanted = self.level, level <= wanted else { return }
        append(name, level, on: place, at: milliseconds, fields)
    }

    private mutating func append(
        _ name: StaticString, _ level: LogLevel, on place: Int?, at milliseconds: Int64,
        _ fields: [LogEvent.Field]
    ) {
        guard events.count < Limits.logEventsPerTurn else {
            dropped += 1
            return
        }
        let own = provider.map { [LogEvent.Field("provider", $0)] } ?? []
        events.append(
            LogEvent(
                name, level, milliseconds: milliseconds, lane: lane,
                connection: place.flatMap { $0 < dials.count ? dials[$0] : nil }, own + fields))
    }

    /// Notes that a connection is dialed: from now on its place stands for the next number.
    package mutating func dialled(_ place: Int) {
        guard isOn else { return }
        while dials.count <= place { dials.append(0) }
        dials[place] = nextDial()
    }

    /// True if the log wants to know each frame of a connection.
    package func wantsFrames(on place: Int) -> Bool {
        frameDial != nil && place < dials.count && dials[place] == frameDial
    }

    /// Takes in a frame at every level: a user who asks for frames gets them.
    package mutating func addFrame(
        on place: Int, at milliseconds: Int64, _ fields: [LogEvent.Field]
    ) {
        append("frame", .debug, on: place, at: milliseconds, fields)
    }

    /// Counts events that a connection's trace had no room for.
    package mutating func drop(_ count: UInt64) { dropped += count }

    /// True if the number of connections that are wanted differs from that of the last call.
    package mutating func hasChanged(connectionsWanted count: Int) -> Bool {
        defer { connectionsWanted = count }
        return connectionsWanted != count
    }

    /// Counts a request that the provider wants later: thousands a second are possible, so they are
    /// summed up.
    package mutating func throttled(_ status: UInt16, _ reason: UnsafeBufferPointer<UInt8>) {
        guard isOn else { return }
        let reason = unsafe LogEvent.reason(reason)
        let key = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
        guard throttled[key] != nil || throttled.count < Limits.logReasonsMax else { return }
        throttled[key, default: 0] += 1
    }

    /// Ends a turn: reports once a second the requests that were throttled.
    package mutating func tellThrottled(now: Instant, at milliseconds: Int64) {
        guard !throttled.isEmpty, now >= nextThrottled else { return }
        nextThrottled = now.advanced(by: .seconds(1))
        for (answer, count) in throttled.sorted(by: { $0.key < $1.key }) {
            add(
                "throttled", .warning, at: milliseconds,
                [.init("answer", answer), .init("requests", count)])
        }
        throttled.removeAll()
    }

    /// Hands the events over.
    package mutating func take() -> (events: [LogEvent], dropped: UInt64) {
        defer {
            events.removeAll()
            dropped = 0
        }
        return (events, dropped)
    }
}
