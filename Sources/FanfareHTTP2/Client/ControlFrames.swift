internal import FanfareBase

/// Frames that are ready to be written: all but HEADERS and DATA, which are made when there is room.
@safe
struct ControlFrames: ~Copyable {
    private var buffer = ByteBuffer(capacity: 256)
    /// Answers to the peer's SETTINGS and PING that it has not fetched.
    private var acknowledgements = 0

    private static let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    var isEmpty: Bool { buffer.isEmpty }

    var allocatedBytes: Int { buffer.allocatedBytes }

    /// Moves frames over, at most about 16 KiB of them.
    mutating func write(into output: inout ByteBuffer) {
        let count = min(buffer.count, FrameReader.payloadBytesMax)
        unsafe output.append(UnsafeBufferPointer(rebasing: buffer.bytes[..<count]))
        buffer.removeFirst(count)
        if buffer.isEmpty { acknowledgements = 0 }
    }

    mutating func append(preface settings: [(id: UInt16, value: UInt32)]) {
        buffer.append(Self.preface)
        begin(FrameHeader.Kind.settings, length: 6 * settings.count)
        for setting in settings {
            buffer.append(UInt8(setting.id >> 8))
            buffer.append(UInt8(setting.id & 0xFF))
            append(word: setting.value)
        }
    }

    mutating func append(windowUpdate increment: UInt32, stream: Int32 = 0) {
        begin(FrameHeader.Kind.windowUpdate, length: 4, stream: stream)
        append(word: increment)
    }

    mutating func append(reset stream: Int32, _ code: HTTP2ErrorCode) {
        begin(FrameHeader.Kind.resetStream, length: 4, stream: stream)
        append(word: code.rawValue)
    }

    mutating func appendPing() {
        begin(FrameHeader.Kind.ping, length: 8)
        append(word: 0)
        append(word: 0)
    }

    mutating func append(goAway code: HTTP2ErrorCode, _ reason: StaticString) {
        begin(FrameHeader.Kind.goAway, length: 8 + reason.utf8CodeUnitCount)
        // The last of the peer's streams that we have seen: it has none.
        append(word: 0)
        append(word: code.rawValue)
        buffer.append(reason)
    }

    mutating func appendSettingsAcknowledgement() throws(SessionFault) {
        try countAcknowledgement()
        begin(
            FrameHeader.Kind.settings, flags: FrameHeader.Flag.acknowledgement, length: 0)
    }

    mutating func append(
        pingAcknowledgement payload: UnsafeBufferPointer<UInt8>
    ) throws(SessionFault) {
        try countAcknowledgement()
        begin(FrameHeader.Kind.ping, flags: FrameHeader.Flag.acknowledgement, length: 8)
        unsafe buffer.append(payload)
    }

    private mutating func countAcknowledgement() throws(SessionFault) {
        acknowledgements += 1
        guard acknowledgements <= Limits.unsentAcknowledgementsMax else {
            throw SessionFault(.enhanceYourCalm, "more PING or SETTINGS than are answered")
        }
    }

    private mutating func begin(
        _ kind: UInt8, flags: UInt8 = 0, length: Int, stream: Int32 = 0
    ) {
        unsafe FrameHeader(length: length, kind: kind, flags: flags, stream: stream)
            .write(to: buffer.space(FrameHeader.byteCount))
        buffer.commit(FrameHeader.byteCount)
    }

    private mutating func append(word: UInt32) {
        unsafe buffer.space(4).storeBigEndian(word)
        buffer.commit(4)
    }
}
