internal import FanfareBase

/// The settings that the peer has sent.
///
/// RFC 9113 §6.5.2
struct PeerSettings {
    enum Identifier {
        static let headerTableSize: UInt16 = 0x1
        static let enablePush: UInt16 = 0x2
        static let maxConcurrentStreams: UInt16 = 0x3
        static let initialWindowSize: UInt16 = 0x4
        static let maxFrameSize: UInt16 = 0x5
        static let maxHeaderListSize: UInt16 = 0x6
        static let enableConnectProtocol: UInt16 = 0x8
        static let noRFC7540Priorities: UInt16 = 0x9
    }

    private var headerTableSize: UInt32 = 4096
    /// The lowest size that was said since an encoder has heard of it. RFC 7541 §4.2
    private var lowestHeaderTableSize: UInt32 = 4096
    /// Until the peer has said anything, the number that the RFC asks servers to allow at least.
    var maxConcurrentStreams: UInt32 = 100
    var initialWindowSize: UInt32 = 65_535
    var maxFrameSize: UInt32 = 16_384
    /// True if any SETTINGS have come.
    private(set) var hasArrived = false

    /// Takes the payload of a SETTINGS frame.
    mutating func receive(_ payload: UnsafeBufferPointer<UInt8>) throws(SessionFault) {
        guard payload.count % 6 == 0, payload.count / 6 <= Limits.settingsEntriesMax else {
            throw payload.count % 6 == 0
                ? SessionFault(.enhanceYourCalm, "SETTINGS: too many entries")
                : SessionFault(.frameSizeError, "SETTINGS: a wrong length")
        }
        if !hasArrived {
            hasArrived = true
            maxConcurrentStreams = .max
        }
        guard let start = payload.baseAddress else { return }
        for offset in stride(from: 0, to: payload.count, by: 6) {
            let identifier = unsafe UInt16(start[offset]) << 8 | UInt16(start[offset + 1])
            try unsafe set(identifier, (start + offset + 2).bigEndianWord)
        }
    }

    /// Takes the changes of the header table since the last time: its lowest size and its last.
    mutating func takeHeaderTableSizes() -> (lowest: UInt32, last: UInt32) {
        defer { lowestHeaderTableSize = headerTableSize }
        return (lowestHeaderTableSize, headerTableSize)
    }

    private mutating func set(_ identifier: UInt16, _ value: UInt32) throws(SessionFault) {
        switch identifier {
        case Identifier.headerTableSize:
            headerTableSize = value
            lowestHeaderTableSize = min(lowestHeaderTableSize, value)
        case Identifier.enablePush where value != 0:
            throw SessionFault(.protocolError, "SETTINGS: a server cannot allow push")
        case Identifier.maxConcurrentStreams:
            maxConcurrentStreams = value
        case Identifier.initialWindowSize:
            guard value <= SendWindow.bytesMax else {
                throw SessionFault(.flowControlError, "SETTINGS: too large a window")
            }
            initialWindowSize = value
        case Identifier.maxFrameSize:
            guard value >= 1 << 14, value < 1 << 24 else {
                throw SessionFault(.protocolError, "SETTINGS: no size for frames")
            }
            maxFrameSize = value
        case Identifier.enableConnectProtocol where value > 1,
            Identifier.noRFC7540Priorities where value > 1:
            throw SessionFault(.protocolError, "SETTINGS: neither 0 nor 1")
        default:
            // Unknown ones are ignored, as §6.5.2 says.
            break
        }
    }
}
