/// The reason why a stream or a connection ended, as the peers tell each other.
///
/// RFC 9113 §7
@frozen
package struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// True if the peer has had too much of something.
    ///
    /// By number: each stream's end has a code, and `==` of another module is a call through its conformance.
    @inlinable package var asksForCalm: Bool { rawValue == 0xb }

    package static let noError = HTTP2ErrorCode(rawValue: 0x0)
    package static let protocolError = HTTP2ErrorCode(rawValue: 0x1)
    package static let internalError = HTTP2ErrorCode(rawValue: 0x2)
    package static let flowControlError = HTTP2ErrorCode(rawValue: 0x3)
    package static let settingsTimeout = HTTP2ErrorCode(rawValue: 0x4)
    package static let streamClosed = HTTP2ErrorCode(rawValue: 0x5)
    package static let frameSizeError = HTTP2ErrorCode(rawValue: 0x6)
    /// The request was provably not processed; never used for an own cancel.
    package static let refusedStream = HTTP2ErrorCode(rawValue: 0x7)
    package static let cancel = HTTP2ErrorCode(rawValue: 0x8)
    package static let compressionError = HTTP2ErrorCode(rawValue: 0x9)
    package static let connectError = HTTP2ErrorCode(rawValue: 0xa)
    package static let enhanceYourCalm = HTTP2ErrorCode(rawValue: 0xb)
    package static let inadequateSecurity = HTTP2ErrorCode(rawValue: 0xc)
    package static let http11Required = HTTP2ErrorCode(rawValue: 0xd)

    private static let names: [StaticString] = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name in the RFC, or `UNKNOWN`: codes that are not registered are allowed.
    package var name: StaticString {
        rawValue < UInt32(Self.names.count) ? Self.names[Int(rawValue)] : "UNKNOWN"
    }
}

extension HTTP2ErrorCode: CustomStringConvertible {
    package var description: String { "\(name) (\(rawValue))" }
}
