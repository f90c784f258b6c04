/// Why a client session gives its connection up.
///
/// Plain bytes, because it is thrown from where each frame is looked at; `HTTP2Error` is made of it
/// once.
struct SessionFault: Error {
    var kind = HTTP2Error.Kind.connectionFailed
    /// What the peer is told.
    var code: HTTP2ErrorCode
    var reason: StaticString

    /// The peer has broken a rule.
    init(_ code: HTTP2ErrorCode, _ reason: StaticString) {
        self.code = code
        self.reason = reason
    }

    static var outOfMemory: SessionFault {
        var fault = SessionFault(.internalError, "out of memory")
        fault.kind = .outOfMemory
        return fault
    }

    var error: HTTP2Error {
        HTTP2Error(
            kind, kind == .outOfMemory ? .us : .peer, code: code, text: reason.description)
    }
}
