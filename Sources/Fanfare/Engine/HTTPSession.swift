import FanfareHTTP1
import FanfareHTTP2

/// The questions that the engine asks a session of either version about ended requests.
///
/// For generic code that is compiled once for each of the two: a request meets no existential.
protocol HTTPSession: ~Copyable {
    /// True if it has one request in flight at a time, and its connection may end with each.
    static var isSerial: Bool { get }

    mutating func nextEvent() -> SessionEvent?
    func tagOfEnd(_ offset: Int) -> UInt32?
    mutating func response(_ stream: StreamHandle) -> Response
    mutating func written(_ stream: StreamHandle) -> ClientSession.Written
    /// True if a request, which has ended without an answer, had one that broke HTTP.
    func isMalformed(_ stream: StreamHandle) -> Bool

    var isLeaving: Bool { get }
    mutating func release(_ stream: StreamHandle)
}

extension ClientSession: HTTPSession {
    static var isSerial: Bool { false }
}

extension HTTP1Session: HTTPSession {
    static var isSerial: Bool { true }

    /// There are no others behind one that is alone.
    func tagOfEnd(_ offset: Int) -> UInt32? { nil }

    /// It resets no stream: a request that ends by itself without an answer had one that broke HTTP.
    func isMalformed(_ stream: StreamHandle) -> Bool { true }

    /// It has no way to say which requests it leaves.
    var isLeaving: Bool { false }
}
