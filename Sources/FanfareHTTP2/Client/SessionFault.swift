/// The reason why a client session gives its connection up.
///
/// It is plain bytes, because it is thrown where each frame is looked at; `HTTP2Error` is made of
/// it once.
struct SessionFault: Error {
    /// The error code for the peer.
    var code: HTTP2ErrorCode
    var reason: StaticString

    /// Makes the fault of a peer that has broken a rule.
    init(_ code: HTTP2ErrorCode, _ reason: StaticString) {
        self.code = code
        self.reason = reason
    }

    var error: HTTP2Error {
        HTTP2Error(.connectionFailed, .peer, code: code, text: reason.description)
    }
}
