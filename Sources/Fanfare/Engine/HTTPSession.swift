import FanfareHTTP1
import FanfareHTTP2

/// The way in which an answer broke HTTP.
struct Malformation {
    /// The rule; `nil` in HTTP/1.1, where the end of the connection tells of it.
    var fault: MalformedAnswer?
    /// The name of the header field that broke it, if it is known.
    var field: String?
}

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
    /// Returns the way in which the answer to a request broke HTTP, which has ended without one; `nil` if it did not.
    func malformation(_ stream: StreamHandle) -> Malformation?

    var isLeaving: Bool { get }
    mutating func release(_ stream: StreamHandle)
}

extension ClientSession: HTTPSession {
    static var isSerial: Bool { false }

    func malformation(_ stream: StreamHandle) -> Malformation? {
        guard let fault = fault(of: stream) else { return nil }
        return Malformation(fault: fault, field: faultyField(of: stream))
    }
}

extension HTTP1Session: HTTPSession {
    static var isSerial: Bool { true }

    /// There are no others behind one that is alone.
    func tagOfEnd(_ offset: Int) -> UInt32? { nil }

    /// It resets no stream: a request that ends by itself without an answer had one that broke HTTP.
    func malformation(_ stream: StreamHandle) -> Malformation? { Malformation() }

    /// It has no way to say which requests it leaves.
    var isLeaving: Bool { false }
}
