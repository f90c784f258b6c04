import FanfareBase
import FanfareCore
import FanfareHTTP2
import FanfareSimulator

/// A client session and a simulated connection that exchange bytes in memory, on a clock of ours.
final class SimulatedDialogue {
    /// The end of one request, from the client's view.
    struct Ending: Equatable {
        var status: UInt16
        var body = ""
        var id = ""
        var retryAfter = ""
        var code = HTTP2ErrorCode.noError
    }

    let core: SimulatorCore
    let server: SimulatedConnection
    var client: ClientSession
    private let headers: RequestHeaders
    /// The memory that the client keeps for the session until the end of a request.
    private var kept: [UnsafeMutableBufferPointer<UInt8>] = []

    var now = Instant(nanoseconds: 0)
    var unixMilliseconds: UInt64 = 1_700_000_000_000
    private(set) var endings: [UInt32: Ending] = [:]
    /// The stream limits that the server announced.
    private(set) var limits: [UInt32] = []
    /// The server's newest bytes.
    private(set) var lastFlight: [UInt8] = []
    private(set) var goAways: [(last: Int32, code: HTTP2ErrorCode, debug: String)] = []

    init(
        _ configuration: SimulatorConfiguration = SimulatorConfiguration(),
        authorization: String? = RequestProbe.bearer, isCertified: Bool = false,
        places: AnsweringPlaces? = nil, fields: [HeaderField]? = nil
    ) throws {
        core = SimulatorCore(configuration, places: places)
        server = try SimulatedConnection(
            core: core, number: 1, isCertified: isCertified, now: now)
        client = ClientSession(ClientSessionConfiguration())
        headers = RequestHeaders(fields ?? Self.fields(authorization: authorization))
        exchange()
    }

    /// Those of requests to APNs.
    private static func fields(authorization: String?) -> [HeaderField] {
        var fields = [
            HeaderField(":method", "POST"), HeaderField(":scheme", "https"),
            HeaderField(":path", nil), HeaderField("apns-topic", "com.example.app"),
            HeaderField("apns-push-type", "alert"), HeaderField("apns-id", nil, .nameOnly),
        ]
        if let authorization {
            fields.append(HeaderField("authorization", authorization, .neverIndexed))
        }
        return fields
    }

    deinit {
        for memory in kept { memory.deallocate() }
    }

    private func keep(_ text: String) -> UnsafeBufferPointer<UInt8> {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = memory.initialize(from: text.utf8)
        kept.append(memory)
        return UnsafeBufferPointer(memory)
    }

    /// Queues a request for a token that starts with the given characters.
    @discardableResult
    func submit(
        _ tag: UInt32, token: String = "", id: String? = nil, body: String = #"{"aps":{}}"#
    ) throws -> StreamHandle {
        let rest = String(repeating: "0", count: 64 - token.utf8.count)
        return try submit(tag, values: ["/3/device/\(token)\(rest)", id], body: body)
    }

    /// Queues a request with these values of its header fields, of which nil leaves one out.
    @discardableResult
    func submit(_ tag: UInt32, values: [String?], body: String) throws -> StreamHandle {
        let values = values.map { value in value.map { keep($0) } ?? .empty }
        let body = keep(body)
        let result: Result<StreamHandle, HTTP2Error> = values.withUnsafeBufferPointer { values in
            do throws(HTTP2Error) {
                return .success(try client.submit(headers, values: values, body: body, tag: tag))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Carries bytes both ways until no side has any more.
    func exchange() {
        var isQuiet = false
        while !isQuiet {
            var toServer = ByteBuffer()
            client.write(into: &toServer, limit: 1 << 20)
            if !toServer.isEmpty {
                server.receive(
                    UnsafeRawBufferPointer(toServer.bytes), now: now,
                    unixMilliseconds: unixMilliseconds)
            }
            var toClient = ByteBuffer()
            server.write(into: &toClient, limit: 1 << 20)
            if !toClient.isEmpty {
                lastFlight = Array(toClient.bytes)
                try? client.receive(UnsafeRawBufferPointer(toClient.bytes))
            }
            drain()
            isQuiet = toServer.isEmpty && toClient.isEmpty
        }
    }

    /// Moves the clock, and lets the server do what is due.
    func advance(by duration: Duration) {
        now = now.advanced(by: duration)
        server.timerFired(now: now)
        exchange()
    }

    /// Sends one request and waits for its end, without any time passing.
    func send(
        _ tag: UInt32, token: String = "", id: String? = nil, body: String = #"{"aps":{}}"#
    ) throws -> Ending? {
        try submit(tag, token: token, id: id, body: body)
        exchange()
        return endings[tag]
    }

    private func drain() {
        while let event = client.nextEvent() {
            switch event {
            case .settings(let limit): limits.append(limit)
            case .goAway(let last, let code):
                goAways.append(
                    (last, code, String(decoding: client.goAwayDebugData, as: UTF8.self)))
            case .streamClosed(let stream, let tag, let code):
                let response = client.response(stream)
                endings[tag] = Ending(
                    status: response.status,
                    body: String(decoding: response.body, as: UTF8.self),
                    id: String(decoding: response.messageID, as: UTF8.self),
                    retryAfter: String(decoding: response.retryAfter, as: UTF8.self), code: code)
                client.release(stream)
            case .pingAcknowledged: break
            }
        }
    }
}
