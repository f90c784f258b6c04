import FanfareBase

@testable import FanfareHTTP2

/// Two client sessions, ours and nghttp2's, that get the same requests and the same bytes.
///
/// They go in step, frame by frame, because nghttp2 ends a stream when its reset is written and ours
/// when it is made. Bytes go to ours in random pieces. What may differ:
///
/// - PRIORITY is checked by ours as the RFC says, and not looked at by nghttp2.
/// - PUSH_PROMISE before the peer has acknowledged our SETTINGS: ours refuses it at once, since the
///   peer had to read them before any request. It does not come here.
/// - What is an error of a stream by the RFC, nghttp2 often makes an error of the connection, as it may
///   (RFC 9113 §5.4.1). Ours ends the stream, with the same code.
/// - Of two rules that one frame breaks, which is told.
/// - What had been kept of an answer that is malformed: it does not count.
/// - The words of GOAWAY, the order of frames of different streams, and where DATA is cut.
/// - `NO_RFC7540_PRIORITIES` that changes: ours does not mind.
/// - GOAWAY with an even last stream is an error to nghttp2, and to ours it is not. It does not come.
struct Comparison: ~Copyable {
    static let fields = [
        HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
        HeaderField(":authority", "api.push.apple.com"), HeaderField(":path", nil),
        HeaderField("apns-id", nil, .nameOnly), HeaderField("apns-topic", nil),
        HeaderField("apns-priority", nil), HeaderField("apns-expiration", nil, .nameOnly),
        HeaderField("x-fixed", "value"),
        HeaderField("authorization", "bearer " + TestClient.token, .neverIndexed),
    ]

    private var ours: TestClient
    private let reference = ReferenceClient()
    private let oursDecoder = FieldDecoder()
    private let referenceDecoder = FieldDecoder()
    private var script: PeerScript
    private var streams: [UInt32: StreamHandle] = [:]
    private var opened: [Int32] = []
    private var nextTag: UInt32 = 0
    private var tableLimits: [UInt32] = []
    private var lastKind: UInt8 = 0
    private var trace: [String] = []
    private(set) var failure: HTTP2ErrorCode?
    /// Ours has only ended a stream where nghttp2 has ended the connection.
    private(set) var wasMilder = false
    /// Both have ended the connection, for different reasons.
    private(set) var hasOtherCode = false
    /// After GOAWAY nothing is in flight any more; the caller closes its sessions now.
    private var isOver = false
    private(set) var answers = 0
    /// The first thing that differed.
    private(set) var difference: String?

    init(seed: UInt64, isHostile: Bool) {
        ours = TestClient(fields: Self.fields)
        script = PeerScript(seed: seed, isHostile: isHostile)
    }

    /// The peer's SETTINGS and its acknowledgement of ours; windows that never stop the connection,
    /// since whose body goes first when they do is each side's own choice.
    mutating func begin() {
        feed([Frame.settings([(3, 1000)]).bytes])
        feed([Frame(.settings, flags: Frame.ack).bytes])
        feed([Frame(.windowUpdate, Frame.word(1 << 29)).bytes])
    }

    /// Does something; false when there is nothing more to do.
    mutating func step() -> Bool {
        guard isGoingOn else { return false }
        switch script.number(0..<10) {
        case 0..<4: submit()
        case 4: reset()
        default:
            feed(
                script.next(
                    PeerScript.Facts(opened: opened, nextStream: Int32(2 * nextTag + 1))))
        }
        return isGoingOn
    }

    private var isGoingOn: Bool { failure == nil && difference == nil && !wasMilder && !isOver }

    /// The peer leaves; everything has to come to its end.
    mutating func finish() {
        guard isGoingOn else { return }
        feed([Frame.settings([(3, 1000), (4, 1 << 20)]).bytes])
        feed([Frame.goAway(last: .max, code: 0).bytes])
        let open = streams.values.filter { opened.contains($0.id) }.sorted { $0.id < $1.id }
        for stream in open {
            feed([Frame.headers(stream.id, [(":status", "200")], endStream: true).bytes])
            feed([Frame.reset(stream.id, code: 0).bytes])
        }
        guard failure == nil, difference == nil, !wasMilder else { return }
        if !streams.isEmpty { differs("streams left", streams.count, 0) }
        if !isOver { differs("wants more", true, false) }
    }

    // MARK: What happens

    private mutating func submit() {
        // nghttp2 may have given up in the middle of a field block, and ours not yet.
        guard ours.session.block.stream == 0 else { return }
        let canOpen = ours.session.canOpenStreams
        guard canOpen == reference.canOpenStreams else {
            return differs("canOpenStreams", canOpen, reference.canOpenStreams)
        }
        guard canOpen, streams.count < 500 else { return }
        let values: [String?] = [
            "/3/device/\(script.number(0..<1 << 40))",
            script.chance(90) ? "id-\(nextTag)" : nil,
            script.chance(80) ? script.pick(["com.example.app", "com.example.app.voip"]) : nil,
            script.chance(50) ? script.pick(["5", "10"]) : nil,
            script.chance(20) ? "\(script.number(0..<1 << 30))" : nil,
        ]
        let size = script.chance(5) ? 40_000 : script.pick([0, 1, 50, 1000])
        let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        var fields: [(name: String, value: String)] = []
        var place = 0
        for field in Self.fields {
            if let value = field.value {
                fields.append((field.name, value))
            } else {
                if let value = values[place] { fields.append((field.name, value)) }
                place += 1
            }
        }
        trace.append("submit \(nextTag), \(size) bytes")
        guard let stream = try? ours.submit(tag: nextTag, values: values, body: body) else {
            return differs("submit", "refused", "taken")
        }
        let id = reference.submit(fields, body: body, tag: nextTag)
        if id != stream.id { return differs("id", stream.id, id) }
        streams[nextTag] = stream
        nextTag += 1
        // Several requests may wait together.
        if script.chance(60) { compare() }
    }

    private mutating func reset() {
        let tags = streams.keys.sorted()
        guard !tags.isEmpty, let stream = streams[script.pick(tags)] else { return }
        // A request that waits for the peer's limit cannot be taken back from nghttp2.
        compare()
        guard streams.values.contains(stream), opened.contains(stream.id) else { return }
        trace.append("reset \(stream.id)")
        ours.session.reset(stream)
        reference.reset(stream.id)
        compare()
    }

    private mutating func feed(_ frames: [[UInt8]]) {
        for frame in frames where isGoingOn && !Self.isEvenGoAway(frame) {
            trace.append("receive \(frame.prefix(40)) (\(frame.count))")
            note(frame)
            lastKind = frame[3]
            reference.receive(frame)
            var rest = frame[...]
            do throws(HTTP2Error) {
                while !rest.isEmpty {
                    let piece = rest.prefix(script.number(1..<rest.count + 1))
                    rest = rest.dropFirst(piece.count)
                    try ours.receive(Array(piece))
                }
            } catch {
                failure = error.code
            }
            compare()
        }
    }

    private static func isEvenGoAway(_ frame: [UInt8]) -> Bool {
        guard frame.count >= 13, frame[3] == 7 else { return false }
        let last = frame[9..<13].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        return last > 0 && last & 1 == 0
    }

    /// The limits of the peer's table, which its decoder follows when they are acknowledged.
    private mutating func note(_ frame: [UInt8]) {
        tableLimits = []
        guard frame.count >= 9, frame[3] == 4, frame[4] & 1 == 0 else { return }
        for place in stride(from: 9, to: frame.count - 5, by: 6)
        where frame[place] == 0 && frame[place + 1] == 1 {
            tableLimits.append(frame[place + 2..<place + 6].reduce(0) { $0 << 8 | UInt32($1) })
        }
    }

    // MARK: What it has led to

    private mutating func compare() {
        // Ours looks at a field block when it is complete, nghttp2 as it comes.
        if failure == nil && ours.session.block.stream != 0 { return }
        let theirs = reference.write()
        let mine = ours.writeBytes()
        if let theirFailure = reference.failure, theirFailure == failure { return }
        if let code = reference.failure, failure == nil {
            let resets = Frame.parse(mine).filter { $0.kind == .resetStream }
            guard resets.contains(where: { $0.resetCode == code.rawValue }) else {
                return differs("failure", "none", code)
            }
            wasMilder = true
            return
        }
        if failure != nil && reference.failure == nil && lastKind == 2 { return }
        hasOtherCode = failure != nil && reference.failure != nil && failure != reference.failure
        if hasOtherCode { return }
        guard failure == reference.failure else {
            return differs("failure", failure as Any, reference.failure as Any)
        }
        let left = Written(mine, oursDecoder, tableLimits: tableLimits)
        let right = Written(theirs, referenceDecoder, tableLimits: tableLimits)
        if left != right { differs("written", left, right) }
        opened += left.fields.keys.sorted()
        let myEvents = takeEvents().map(Self.withoutMalformedAnswer)
        let theirEvents = reference.takeEvents().map(Self.withoutMalformedAnswer)
        if Set(myEvents) != Set(theirEvents) || myEvents.count != theirEvents.count {
            differs("events", myEvents, theirEvents)
        }
        isOver = !ours.session.wantsRead && !ours.session.wantsWrite
        if isOver != reference.isOver { differs("is over", isOver, reference.isOver) }
        let window = (ours.session.connectionSendWindow, reference.connectionSendWindow)
        if window.0 != window.1 { differs("window", window.0, window.1) }
    }

    /// Of a stream that has ended with PROTOCOL_ERROR, ours or the peer's, the end alone.
    private static func withoutMalformedAnswer(
        _ event: ReferenceClient.Event
    ) -> ReferenceClient.Event {
        guard case .closed(let tag, let answer) = event, answer.code == .protocolError else {
            return event
        }
        return .closed(
            tag: tag, Answer(status: 0, code: .protocolError, isComplete: false))
    }

    private mutating func takeEvents() -> [ReferenceClient.Event] {
        var events: [ReferenceClient.Event] = []
        for event in ours.events {
            switch event {
            case .settings(let limit): events.append(.settings(limit))
            case .goAway(let last, let code): events.append(.goAway(last, code))
            case .pingAcknowledged: events.append(.ping)
            case .streamClosed(_, let tag, _):
                streams[tag] = nil
                if let answer = ours.takeAnswer(tag: tag) {
                    answers += answer.isComplete ? 1 : 0
                    events.append(.closed(tag: tag, answer))
                }
            }
        }
        ours.events.removeAll()
        return events
    }

    private mutating func differs(_ what: String, _ mine: Any, _ theirs: Any) {
        guard difference == nil else { return }
        difference = """
            \(what): ours \(mine)
            theirs \(theirs)
            \(trace.suffix(12).joined(separator: "\n"))
            """
    }
}
