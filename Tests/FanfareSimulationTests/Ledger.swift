import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSimulator

@testable import Fanfare

/// The true course of one request, seen from the wire.
struct StreamRecord {
    /// The row that the client put on this stream.
    var row: UInt64?

    // The client's bytes: any of them, and the last one.
    var wasSent = false
    var wasSentWhole = false

    // The provider's decision when it had the whole request.
    var wasReceived = false
    var status = 0
    var reason = ""

    // The part that has arrived at the client.
    var answerBegan = false
    var answerEnded = false
    var refused = false
    /// The peer has ended the stream with a reset of any kind; what it says later comes too late.
    var wasReset = false
    var isAboveGoAway = false

    /// The peer has said, and the client has heard, that nothing came of it.
    var isDisowned: Bool { !answerBegan && (refused || isAboveGoAway) }

    /// The same, or its last byte never left.
    ///
    /// The client need not know the latter: what it has made into frames may leave while it decides.
    var isProvablyUnprocessed: Bool { isDisowned || !answerBegan && !wasSentWhole }

    /// It may have been processed, and no answer has said what came of it.
    var isInDoubt: Bool { !answerBegan && !isProvablyUnprocessed }

    /// The client may hold it to be in doubt, because it knows less than the wire.
    var mayBeInDoubt: Bool { !answerBegan && !isDisowned }

    /// The readings that the client may have of a provider's answer: of half of one, less than of a
    /// whole one.
    func readings(by provider: ProviderKind) -> [Reading] {
        provider == .fcm ? readingsOfFCM : readingsOfAPNs
    }

    private var readingsOfAPNs: [Reading] {
        let texts =
            answerEnded || reason.isEmpty
            ? [(reason, !reason.isEmpty)] : [(reason, true), (reason, false), ("", false)]
        return texts.map { text, isJSON in
            var bytes = text
            let match = bytes.withUTF8 {
                ResponseClass.of(status: UInt16(status), reason: $0, bodyIsJSON: isJSON)
            }
            return Reading(class: match, reason: text)
        }
    }

    /// The log has the word of an answer, and not what else it names: that may be any of it.
    private var readingsOfFCM: [Reading] {
        func reading(_ facts: GoogleErrorFacts?, _ text: String) -> Reading {
            var bytes = text
            let finding = bytes.withUTF8 {
                FCMAnswers.judge(status: UInt16(status), facts: facts, word: $0)
            }
            return Reading(class: finding.verdict, reason: text)
        }
        let facts =
            [GoogleErrorFacts.Part.nothing, .token, .other].map {
                GoogleErrorFacts(source: .fcm, part: $0)
            } + [.device, .topic].map { GoogleErrorFacts(source: .fcm, quota: $0) }
        let whole = reason.isEmpty ? [] : facts.map { reading($0, reason) }
        guard !answerEnded || whole.isEmpty else { return whole }
        return whole + [reading(nil, ""), reading(GoogleErrorFacts(), "")]
    }

    /// A meaning of the answer, and the reason that a report has for it.
    struct Reading {
        var `class`: ResponseClass
        var reason: String

        /// True if the row goes again, while it has attempts.
        func isSentAgain(resendsInDoubt: Bool) -> Bool {
            `class`.retry != .never && (resendsInDoubt || `class`.retry != .inDoubt)
        }
    }
}

/// The limits of one connection as both ends have told each other, seen from the wire.
struct LimitRecord {
    /// Announced and not acknowledged yet; nil for SETTINGS that leave the limit alone.
    var announced: [UInt32?] = []
    /// In force for the client; RFC 9113 sets no limit before the first SETTINGS.
    var acknowledged: UInt32?
    var hasAcknowledged = false
    var open: Set<Int32> = []
    /// Streams that the peer has ended; it may refuse one before its first frame has gone out.
    var ended: Set<Int32> = []
    var hasAnswered = false

    mutating func opened(_ stream: Int32) {
        if !ended.contains(stream) { open.insert(stream) }
    }

    mutating func endedByPeer(_ stream: Int32) {
        ended.insert(stream)
        open.remove(stream)
    }
}

/// Writes down what passes, and knows in the end whether it was right.
final class Ledger {
    struct Key: Hashable {
        var link: Int
        var stream: Int32
    }

    struct Line {
        var outcome: String
        var status: Int
        var reason: String
        var attempts: Int
        var unregisteredAt: String
        var provider: String
    }

    let plan: SimulationPlan
    /// The rows of the job, or of the one of its routes that is looked at.
    let rows: [PlannedRow]
    private let own: Set<UInt64>
    private let rowOfToken: [String: UInt64]
    var streams: [Key: StreamRecord] = [:]
    private var limits: [Int: LimitRecord] = [:]
    /// The streams of each row, in the order in which they were started.
    private(set) var attempts: [[Key]]
    /// The number of them that were started by processes that ended before the row had a line.
    private(set) var earlier: [Int]
    /// Rows that the present process takes for being in doubt, because of earlier ones.
    private(set) var doubtful: Set<UInt64> = []
    /// A side file has what had reached the disk then, and no more is certain.
    var hasLostPower = false
    /// The report as it is on the disk, when it was last read.
    private(set) var lines: [UInt64: Line] = [:]
    /// Rows that have a line by what the present process knows.
    private var reported: Set<UInt64> = []
    /// The list of dead tokens and the rows to be tried again, as they are on the disk.
    private(set) var sideLines: [[String]] = [[], []]
    private(set) var violations: [String] = []
    private(set) var requestsReceived = 0
    private(set) var requestsSent = 0
    private(set) var hash = RunHash()
    /// Everything that happened, if it is wanted.
    private(set) var trace: [String]?

    /// - Parameters:
    ///   - plan: The plan of events.
    ///   - rows: The rows that are looked at.
    ///   - count: The number that the job has.
    ///   - keepsTrace: True if all that happens is kept.
    init(plan: SimulationPlan, rows: [PlannedRow], of count: Int, keepsTrace: Bool) {
        self.plan = plan
        self.rows = rows
        own = Set(rows.map(\.number))
        var rowOfToken: [String: UInt64] = [:]
        for row in rows where row.kind.isSent { rowOfToken[row.token ?? ""] = row.number }
        self.rowOfToken = rowOfToken
        attempts = Array(repeating: [], count: count + 1)
        earlier = Array(repeating: 0, count: count + 1)
        trace = keepsTrace ? [] : nil
    }

    func violate(_ text: String) {
        // The first few tell the story.
        if violations.count < 8 { violations.append(text) }
    }

    /// Mixes an event into the hash of the run.
    func note(_ now: Instant, _ what: StaticString, _ link: Int, _ bytes: [UInt8]) {
        hash.mix(bytes)
        hash.mix(UInt64(bitPattern: now.nanoseconds))
        hash.mix(UInt64(link))
        hash.mix(UInt64(what.utf8CodeUnitCount))
        trace?.append("\(now.nanoseconds) \(what) link \(link) \(bytes.count) bytes")
    }

    func remark(_ text: @autoclosure () -> String) {
        if trace != nil { trace?.append("    " + text()) }
    }

    // MARK: Facts

    /// The client has put a row on a stream.
    /// - Returns: True if that is news.
    func started(row: UInt64, on key: Key, sinceStart: Int) -> Bool {
        if attempts[Int(row)].last == key { return false }
        if !own.contains(row) { violate("row \(row) was sent to a provider that it is not for") }
        if let last = attempts[Int(row)].last { checkSendingAgain(row, after: last) }
        if reported.contains(row) { violate("row \(row) was sent, and has a line already") }
        if let until = plan.until, sinceStart >= until {
            violate("row \(row) was started \(sinceStart - until) ns after the deadline")
        }
        if let expiration = plan.expiration, sinceStart >= expiration {
            violate("row \(row) was started after its expiration")
        }
        attempts[Int(row)].append(key)
        streams[key, default: StreamRecord()].row = row
        remark("row \(row) started on link \(key.link) stream \(key.stream)")
        return true
    }

    private func checkSendingAgain(_ row: UInt64, after key: Key) {
        let record = streams[key, default: StreamRecord()]
        if record.isProvablyUnprocessed { return }
        // The outcomes of another process's attempts are not known in any case.
        if plan.resendsInDoubt && attempts[Int(row)].count == earlier[Int(row)] { return }
        // An answer may have begun to arrive after the client had given up on it.
        if plan.resendsInDoubt && !record.answerEnded { return }
        if record.answerBegan && record.wasReceived,
            record.readings(by: plan.kind).contains(where: {
                $0.isSentAgain(resendsInDoubt: plan.resendsInDoubt) || $0.class.job == .stop
            })
        {
            return
        }
        violate("row \(row) was sent again, although its attempt on \(key) was \(record)")
    }

    /// Bytes that the client's transport has taken.
    func clientSent(_ link: Link, _ bytes: ArraySlice<UInt8>) {
        for frame in link.clientTap.take(bytes) {
            let key = Key(link: link.number, stream: frame.stream)
            switch frame.type {
            case FrameTap.Frame.headers:
                requestsSent += 1
                streams[key, default: StreamRecord()].wasSent = true
                if frame.endsStream { streams[key]?.wasSentWhole = true }
                limits[link.number, default: LimitRecord()].opened(frame.stream)
                checkLimit(link.number, frame.stream)
            case FrameTap.Frame.data where frame.endsStream:
                streams[key]?.wasSentWhole = true
            case FrameTap.Frame.reset:
                limits[link.number]?.open.remove(frame.stream)
            case FrameTap.Frame.settings where frame.isAck:
                guard var limit = limits[link.number], !limit.announced.isEmpty else { break }
                limit.hasAcknowledged = true
                if let value = limit.announced.removeFirst() { limit.acknowledged = value }
                limits[link.number] = limit
            default: break
            }
            remark("client sent type \(frame.type) flags \(frame.flags) stream \(frame.stream)")
        }
    }

    private func checkLimit(_ link: Int, _ stream: Int32) {
        guard let limit = limits[link] else { return }
        let count = limit.open.count
        var allowed = min(plan.streams, Int(limit.acknowledged ?? .max))
        if !limit.hasAcknowledged || plan.firstRequestAlone && !limit.hasAnswered { allowed = 1 }
        if count > allowed {
            violate("stream \(stream) of link \(link) is number \(count) of \(allowed) allowed")
        }
    }

    /// Bytes that the provider has written.
    func serverSent(_ link: Link, _ bytes: ArraySlice<UInt8>) {
        for frame in link.serverTap.take(bytes) {
            remark("server sent type \(frame.type) flags \(frame.flags) stream \(frame.stream)")
            switch frame.type {
            case FrameTap.Frame.settings where !frame.isAck:
                limits[link.number, default: LimitRecord()].announced.append(
                    frame.maxConcurrentStreams)
            case FrameTap.Frame.goAway:
                let text = String(decoding: frame.payload.dropFirst(8), as: UTF8.self)
                // The scenario's debug data is JSON or nothing; other text is the library's, which
                // explains what the client has done wrong.
                if !text.isEmpty && !text.hasPrefix("{") {
                    violate("the provider's library complains about link \(link.number): \(text)")
                }
            default: break
            }
        }
    }

    /// Bytes that the client gets now.
    ///
    /// The live streams are those on which it still waits for an answer: what comes for others,
    /// because their time was over, is of no interest to it.
    func clientReceives(_ link: Link, _ bytes: ArraySlice<UInt8>, live: [Int32]) {
        for frame in link.deliveredTap.take(bytes) {
            let key = Key(link: link.number, stream: frame.stream)
            switch frame.type {
            case FrameTap.Frame.headers, FrameTap.Frame.data:
                limits[link.number]?.hasAnswered = true
                if frame.endsStream { limits[link.number]?.endedByPeer(frame.stream) }
                guard live.contains(frame.stream) else { break }
                streams[key]?.answerBegan = true
                if frame.endsStream { streams[key]?.answerEnded = true }
            case FrameTap.Frame.reset:
                limits[link.number]?.endedByPeer(frame.stream)
                guard live.contains(frame.stream) else { break }
                streams[key]?.refused = frame.word(at: 0) == 7
                streams[key]?.wasReset = true
            case FrameTap.Frame.goAway:
                let last = Int32(bitPattern: frame.word(at: 0) & 0x7FFF_FFFF)
                for stream in live where stream > last {
                    let key = Key(link: link.number, stream: stream)
                    if streams[key]?.wasReset == true { continue }
                    streams[key]?.isAboveGoAway = true
                    limits[link.number]?.endedByPeer(stream)
                }
            default: break
            }
            remark("client got type \(frame.type) flags \(frame.flags) stream \(frame.stream)")
        }
    }

    /// The bytes that the provider has written into its log since the last time.
    func providerLogged(_ bytes: UnsafeBufferPointer<UInt8>, links: [Int]) {
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            guard let value = try? UnsafeBufferPointer(rebasing: line).parsed else {
                violate("a log line is not JSON")
                continue
            }
            requestsReceived += 1
            // The provider counts connections from 1, in the order in which they were made.
            let key = Key(
                link: links[Int(value.number("connection")) - 1],
                stream: Int32(value.number("stream")))
            var record = streams[key, default: StreamRecord()]
            // A message that is refused for its form has no target.
            let token = value.text("token")
            let row = plan.kind == .fcm && token.isEmpty ? record.row : rowOfToken[token]
            if row == nil || record.row != row {
                violate(
                    "\(key) carries token \(token), but was row \(record.row ?? 0)")
            }
            if record.wasReceived { violate("\(key) was received twice") }
            record.wasReceived = true
            record.status = Int(value.number("status"))
            record.reason = value.text("reason")
            streams[key] = record
            remark("provider has row \(row ?? 0): \(record.status) \(record.reason)")
        }
    }

    /// Report lines as the writer gets them.
    func reported(_ block: ReportBlock) {
        let text = String(decoding: block.lines.bytes, as: UTF8.self)
        let found = text.split(separator: "\n")
        if found.count != block.rows.count { violate("a block counts its lines wrong") }
        for row in block.rows {
            if !reported.insert(row).inserted { violate("row \(row) was reported twice") }
            if !own.contains(row) { violate("row \(row) was reported by another route's lane") }
        }
        for line in found { remark("report: \(line)") }
    }

    // MARK: Processes

    /// Reads the report that a process has left, or that another one finds.
    func read(_ disk: SimulatedDisk) {
        lines = [:]
        for spec in plan.outputs where spec.kind == .report {
            for (path, _) in disk.parts(of: spec) { read(text(of: path, on: disk)) }
        }
        if plan.hasSideFiles {
            sideLines = [.unregistered, .retryRows].map { kind in
                plan.outputs.filter { $0.kind == kind }
                    .flatMap { text(of: $0.path, on: disk).split(separator: "\n") }
                    .map(String.init)
            }
        }
    }

    /// Reads the report, or a part of it.
    private func read(_ text: String) {
        if !text.hasPrefix(ReportFormat(.csv).header) || !text.hasSuffix("\n") {
            violate("the report has no whole lines: ...\(text.suffix(100))")
        }
        for line in text.split(separator: "\n").dropFirst() {
            let fields = CSVLine.fields(line)
            guard fields.count == ReportFormat.columns.count, let row = UInt64(fields[0]) else {
                violate("no report line: \(line)")
                continue
            }
            if lines[row] != nil { violate("row \(row) has two lines") }
            lines[row] = Line(
                outcome: fields[4], status: Int(fields[5]) ?? 0, reason: fields[6],
                attempts: Int(fields[8]) ?? 0, unregisteredAt: fields[10], provider: fields[3])
        }
    }

    private func text(of path: String, on disk: SimulatedDisk) -> String {
        do {
            let source = try ByteSource(disk.contents(of: path)) { false }
            var text = ByteBuffer(capacity: Limits.batchInputBytes)
            while !source.isAtEnd {
                let space = UnsafeMutableRawBufferPointer(
                    start: text.space(Limits.batchInputBytes), count: Limits.batchInputBytes)
                text.commit(try source.read(into: space))
            }
            return String(decoding: text.bytes, as: UTF8.self)
        } catch {
            violate("\(path) cannot be read: \(error)")
            return ""
        }
    }

    /// Another process carries the job on; it knows what is on the disk.
    func resumed(marks: StartMarks) {
        reported = Set(lines.keys)
        // Those that have a line now are still judged by what was known of them then.
        doubtful.formIntersection(reported)
        for row in rows where lines[row.number] == nil {
            earlier[Int(row.number)] = attempts[Int(row.number)].count
            if marks.isSet(row.number) { doubtful.insert(row.number) }
        }
        remark("resumed with \(lines.count) lines, in doubt: \(doubtful.sorted())")
    }

    /// True if all rows have a line, as far as the present process knows.
    var areAllReported: Bool { reported.isSuperset(of: own) }

    /// The attempts of the process that has reported a row, or of the present one.
    func tries(of row: UInt64) -> [StreamRecord] {
        attempts[Int(row)].dropFirst(earlier[Int(row)]).map { streams[$0, default: StreamRecord()] }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var parsed: JSONValue {
        get throws { try JSONValue.parse(self) }
    }
}

extension JSONValue {
    private func member(_ key: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    fileprivate func number(_ key: String) -> Int64 {
        if case .integer(let number) = member(key) { number } else { 0 }
    }

    fileprivate func text(_ key: String) -> String {
        if case .string(let text) = member(key) { text } else { "" }
    }
}

/// A line of a CSV report, taken apart.
enum CSVLine {
    static func fields(_ line: Substring) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            switch character {
            case "\"": isQuoted.toggle()
            case "," where !isQuoted: fields.append("")
            default: fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}
