internal import FanfareCore
import Glibc

// What is kept of an answer. Called for every header field and every frame, so each function is a
// straight line; what a peer sends that makes no sense is answered with false, never with a trap.
extension ClientState {
    /// Records one header field.
    /// - Returns: False if the stream is to be reset because the answer is malformed or too large.
    mutating func received(
        headerField name: UnsafePointer<UInt8>, _ nameCount: Int,
        _ value: UnsafePointer<UInt8>, _ valueCount: Int, slot: UInt32
    ) -> Bool {
        headerListBytes += nameCount + valueCount + 32
        guard headerListBytes <= Limits.headerListBytes else { return false }
        let stream = unsafe streams + Int(slot)
        if unsafe stream.pointee.hasAnswer { return true }
        switch nameCount {
        case 7 where unsafe memcmp(name, ":status", 7) == 0:
            guard unsafe stream.pointee.status == 0,
                let status = unsafe Self.status(value, valueCount)
            else { return false }
            unsafe stream.pointee.status = status
        case 7 where unsafe memcmp(name, "apns-id", 7) == 0 && valueCount <= Self.apnsIDBytes:
            unsafe memcpy(apnsID(slot), value, valueCount)
            unsafe stream.pointee.apnsIDCount = UInt8(valueCount)
        case 11
        where unsafe memcmp(name, "retry-after", 11) == 0 && valueCount <= Self.retryAfterBytes:
            unsafe memcpy(retryAfter(slot), value, valueCount)
            unsafe stream.pointee.retryAfterCount = UInt8(valueCount)
        default:
            break
        }
        return true
    }

    /// Three digits, 100 … 999, but not 101: HTTP/2 has no such answer (RFC 9113 §8.6).
    private static func status(_ value: UnsafePointer<UInt8>, _ count: Int) -> UInt16? {
        guard count == 3 else { return nil }
        var status: UInt16 = 0
        for place in 0..<3 {
            let digit = unsafe value[place] &- 48
            guard digit < 10 else { return nil }
            status = status * 10 + UInt16(digit)
        }
        return status >= 100 && status != 101 ? status : nil
    }

    /// Notes the end of a header list.
    /// - Returns: False if the stream is to be reset.
    mutating func receivedHeaderList(slot: UInt32, endsStream: Bool) -> Bool {
        headerListBytes = 0
        let stream = unsafe streams + Int(slot)
        if unsafe !stream.pointee.hasAnswer {
            guard unsafe stream.pointee.status != 0 else { return false }
            if unsafe stream.pointee.status < 200 {
                // An informational answer: the real one is still to come (RFC 9113 §8.1).
                unsafe stream.pointee.status = 0
                unsafe stream.pointee.apnsIDCount = 0
                unsafe stream.pointee.retryAfterCount = 0
                return !endsStream
            }
            unsafe stream.pointee.hasAnswer = true
        }
        if endsStream { unsafe stream.pointee.isComplete = true }
        return true
    }

    /// Records bytes of an answer's body.
    /// - Returns: False if the stream is to be reset.
    mutating func received(body bytes: UnsafePointer<UInt8>, _ count: Int, slot: UInt32) -> Bool {
        let stream = unsafe streams + Int(slot)
        guard unsafe stream.pointee.hasAnswer else { return false }
        let kept = unsafe Int(stream.pointee.bodyKept)
        let more = min(count, bodyLimit - kept)
        // `kept + more` is at most `bodyLimit`, which the slot has room for.
        unsafe memcpy(body(slot) + kept, bytes, more)
        unsafe stream.pointee.bodyKept = UInt32(kept + more)
        unsafe stream.pointee.bodyTotal &+= UInt64(count)
        return true
    }

    mutating func receivedClose(slot: UInt32, code: UInt32) {
        let stream = unsafe streams + Int(slot)
        unsafe assert(stream.pointee.phase == .open, "BUG: a stream ends twice")
        unsafe stream.pointee.phase = .closed
        let isMalformed = unsafe stream.pointee.isMalformed && code == 0
        unsafe stream.pointee.code = isMalformed ? HTTP2ErrorCode.protocolError.rawValue : code
        openStreams &-= 1
        closed.append(slot)
        recentID = 0
        headerListBytes = 0
    }
}
