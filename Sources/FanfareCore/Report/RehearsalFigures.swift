import FanfareBase

/// The findings of a rehearsal about its rows besides their outcomes.
///
/// Each worker has one; `merge` adds them up. It counts a row without allocating anything.
package struct RehearsalFigures: Sendable {
    /// A row that is worth a look.
    package struct Place: Sendable, Equatable {
        package var row: UInt64
        /// The input in which it stands, counted from 0, and its line.
        package var input: Int
        package var line: UInt64

        package init(row: UInt64, input: Int, line: UInt64) {
            self.row = row
            self.input = input
            self.line = line
        }
    }

    /// A row whose payload comes near the limit.
    package struct LargePayload: Sendable, Equatable {
        package var place: Place
        package var bytes: Int
        package var bytesMax: Int

        /// The bytes that could be added; negative where nothing is checked.
        package var room: Int { bytesMax - bytes }
    }

    /// The message that one row would send.
    package struct Sample: Sendable, Equatable {
        package var place: Place
        package var payload: String
        /// The provider of the row, by its place among those of the job.
        package var route = 0
    }

    /// The first rows with a reason not to be sent.
    private struct Faults: Sendable {
        var reason: StaticString
        var places: [Place]
    }

    /// Payload sizes are counted in steps of this many bytes: a sixty-fourth of the limit.
    package static let payloadStepBytes = 64
    /// The steps of payload sizes; the last one has all larger ones, which nothing checks.
    private static let payloadSteps = 5120 / payloadStepBytes + 1
    /// The rows shown that come nearest to the limit of their payload.
    private static let largestMax = 3
    /// The first places of each reason why rows cannot be sent.
    private static let placesMax = 3

    /// The rows that a provider of several gets.
    package struct RouteCount: Sendable, Equatable {
        /// The number of rows that name it.
        package var byWord: UInt64 = 0
        /// The number of rows that go by their token.
        package var byToken: UInt64 = 0
        /// The number of these that could be sent.
        package var ready: UInt64 = 0
    }

    /// The rows that could be sent.
    package private(set) var readyCount: UInt64 = 0
    /// All rows that were looked at.
    package private(set) var rowCount: UInt64 = 0
    /// Rows by the size of their payload, in steps of `payloadStepBytes`.
    private var payloads = [UInt64](repeating: 0, count: Self.payloadSteps)
    private var payloadBytes: UInt64 = 0
    package private(set) var payloadBytesMin = 0
    package private(set) var payloadBytesMax = 0
    /// Rows by the length of their token.
    private var tokenLengths = [UInt64](repeating: 0, count: Limits.tokenBytesMax + 1)
    /// The rows of each provider, where there are several.
    package private(set) var routes: [RouteCount]
    /// The rows that lack a value, by the value's place in the template.
    private var lacking: [UInt64]
    /// The first of these rows.
    private var lackingPlaces: [[Place]]
    /// True for each value that some row has.
    private var isHeld: [Bool]
    /// The probable mistakes in the payloads that rows bring.
    package private(set) var remarks = RowRemarks()
    private var faults: [Faults] = []
    /// The rows nearest to the limit, those with the least room first.
    package private(set) var largest: [LargePayload] = []
    /// The room that a row must be below to enter `largest`, once that is full.
    private var largeRoom = Int.max
    /// The first rows of each provider that could be sent, with their messages.
    package private(set) var samples: [Sample] = []
    /// The samples of each provider.
    private var sampleCounts: [Int]
    private let samplesMax: Int

    /// Creates figures of nothing.
    /// - Parameters:
    ///   - valueCount: The values of the template.
    ///   - routeCount: The providers; 0 where there is one.
    ///   - samplesMax: The samples that are kept of each provider.
    package init(valueCount: Int = 0, routeCount: Int = 0, samplesMax: Int = 0) {
        routes = Array(repeating: RouteCount(), count: routeCount)
        lacking = Array(repeating: 0, count: valueCount)
        lackingPlaces = Array(repeating: [], count: valueCount)
        isHeld = Array(repeating: false, count: valueCount)
        sampleCounts = Array(repeating: 0, count: max(routeCount, 1))
        self.samplesMax = samplesMax
    }

    // MARK: Counting

    package mutating func countRows(_ count: Int) { rowCount += UInt64(count) }

    /// Counts a row that could be sent.
    /// - Parameters:
    ///   - route: The provider of the row, by its place among those of the job.
    ///   - tokenBytes: The length of its token.
    ///   - bytes: The length of its payload.
    ///   - bytesMax: The most that this may be.
    /// - Returns: True if its payload is among those nearest to the limit so far.
    package mutating func countReady(
        route: Int = 0, tokenBytes: Int, payloadBytes bytes: Int, bytesMax: Int
    ) -> Bool {
        if !routes.isEmpty { routes[route].ready += 1 }
        payloadBytesMin = readyCount == 0 ? bytes : min(payloadBytesMin, bytes)
        payloadBytesMax = max(payloadBytesMax, bytes)
        readyCount += 1
        payloadBytes += UInt64(bytes)
        payloads[min(bytes / Self.payloadStepBytes, Self.payloadSteps - 1)] += 1
        tokenLengths[min(tokenBytes, Limits.tokenBytesMax)] += 1
        return bytesMax - bytes < largeRoom
    }

    /// Counts a row that a provider of several gets, be it in order or not.
    package mutating func count(route index: Int, byWord: Bool) {
        if byWord { routes[index].byWord += 1 } else { routes[index].byToken += 1 }
    }

    /// Counts that a row lacks a value of the template.
    package mutating func countLacking(value index: Int, at place: Place) {
        lacking[index] += 1
        // A worker's rows come in order, so that the first ones are the lowest.
        if lackingPlaces[index].count < Self.placesMax { lackingPlaces[index].append(place) }
    }

    /// Notes that a row has a value of the template.
    package mutating func noteHeld(value index: Int) {
        // Nearly every row has been preceded by one with the value.
        if !isHeld[index] { isHeld[index] = true }
    }

    /// Notes a probable mistake in the payload that a row brings.
    package mutating func note(mistake: String, at place: Place) {
        remarks.note(mistake, at: place)
    }

    package mutating func add(large place: Place, bytes: Int, bytesMax: Int) {
        largest.append(LargePayload(place: place, bytes: bytes, bytesMax: bytesMax))
        keepLargest()
    }

    private mutating func keepLargest() {
        largest.sort { ($0.room, $0.place.row) < ($1.room, $1.place.row) }
        largest.removeLast(max(0, largest.count - Self.largestMax))
        if largest.count == Self.largestMax, let last = largest.last { largeRoom = last.room }
    }

    /// Returns true if another sample of a provider's rows is wanted.
    package func wantsSample(of route: Int) -> Bool { sampleCounts[route] < samplesMax }

    package mutating func add(sample place: Place, of route: Int, payload: String) {
        sampleCounts[route] += 1
        samples.append(Sample(place: place, payload: payload, route: route))
    }

    /// Notes a row that cannot be sent; the first ones of each reason are kept.
    package mutating func note(_ reason: StaticString, at place: Place) {
        let index =
            faults.firstIndex { unsafe $0.reason.utf8Start == reason.utf8Start } ?? faults.count
        if index == faults.count { faults.append(Faults(reason: reason, places: [])) }
        // A worker's rows come in order, so that the first ones are the lowest.
        if faults[index].places.count < Self.placesMax { faults[index].places.append(place) }
    }

    /// Adds another worker's figures.
    package mutating func merge(_ other: RehearsalFigures) {
        if other.readyCount > 0 {
            let least = readyCount == 0 ? other.payloadBytesMin : payloadBytesMin
            payloadBytesMin = min(least, other.payloadBytesMin)
            payloadBytesMax = max(payloadBytesMax, other.payloadBytesMax)
        }
        readyCount += other.readyCount
        rowCount += other.rowCount
        payloadBytes += other.payloadBytes
        for index in payloads.indices { payloads[index] += other.payloads[index] }
        for index in tokenLengths.indices { tokenLengths[index] += other.tokenLengths[index] }
        for index in lacking.indices {
            lacking[index] += other.lacking[index]
            lackingPlaces[index] = Self.first(
                of: lackingPlaces[index] + other.lackingPlaces[index])
            isHeld[index] = isHeld[index] || other.isHeld[index]
        }
        remarks.merge(other.remarks)
        for index in routes.indices {
            routes[index].byWord += other.routes[index].byWord
            routes[index].byToken += other.routes[index].byToken
            routes[index].ready += other.routes[index].ready
        }
        for fault in other.faults {
            for place in fault.places { keep(place, of: fault.reason) }
        }
        largest += other.largest
        keepLargest()
        let all = (samples + other.samples).sorted { $0.place.row < $1.place.row }
        samples = []
        for route in sampleCounts.indices { sampleCounts[route] = 0 }
        for sample in all where wantsSample(of: sample.route) {
            add(sample: sample.place, of: sample.route, payload: sample.payload)
        }
    }

    private mutating func keep(_ place: Place, of reason: StaticString) {
        guard let index = faults.firstIndex(where: { $0.reason.description == reason.description })
        else {
            faults.append(Faults(reason: reason, places: [place]))
            return
        }
        faults[index].places = Self.first(of: faults[index].places + [place])
    }

    /// Returns the places of the lowest rows, as many as are kept.
    static func first(of places: [Place]) -> [Place] {
        Array(places.sorted { $0.row < $1.row }.prefix(placesMax))
    }

    // MARK: Asking

    package var payloadBytesMean: Double {
        readyCount == 0 ? 0 : Double(payloadBytes) / Double(readyCount)
    }

    /// Returns the size that a share of the payloads does not exceed, to the step above; 0 without
    /// any.
    package func payloadBytes(atPercentile percent: UInt64) -> Int {
        guard readyCount > 0 else { return 0 }
        let wanted = (readyCount * percent + 99) / 100
        var count: UInt64 = 0
        for (step, rows) in payloads.enumerated() {
            count += rows
            guard count >= wanted else { continue }
            // The last step has all that are larger, as FCM's may be.
            guard step < Self.payloadSteps - 1 else { return payloadBytesMax }
            return min((step + 1) * Self.payloadStepBytes - 1, payloadBytesMax)
        }
        return payloadBytesMax
    }

    /// The lengths of tokens and the number of rows with each, the most frequent first.
    package var tokensByLength: [(length: Int, rows: UInt64)] {
        tokenLengths.enumerated().filter { $0.element > 0 }
            .map { (length: $0.offset, rows: $0.element) }
            .sorted { ($1.rows, $0.length) < ($0.rows, $1.length) }
    }

    /// The rows that lack each value of the template.
    package var rowsLacking: [UInt64] { lacking }

    /// The first rows that lack each value of the template.
    package var placesLacking: [[Place]] { lackingPlaces }

    /// True for each value of the template that no row has, although rows were asked for it.
    package var areLackedByAll: [Bool] { zip(lacking, isHeld).map { $0 > 0 && !$1 } }

    /// Returns the first rows that had a reason not to be sent.
    package func places(of reason: String) -> [Place] {
        faults.first { $0.reason.description == reason }?.places ?? []
    }
}
