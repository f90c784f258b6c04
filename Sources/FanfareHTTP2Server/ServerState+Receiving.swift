internal import FanfareBase
import FanfareHTTP2
import Glibc

// The parts of a request that are kept. A field that comes twice is kept as it came first, and
// marked.
extension ServerState {
    /// Records one header field.
    /// - Returns: True if the stream goes on; false if the server must reset it because the list is
    ///   too large.
    mutating func received(
        headerField name: UnsafePointer<UInt8>, _ nameCount: Int,
        _ value: UnsafePointer<UInt8>, _ valueCount: Int, slot: UInt32
    ) -> Bool {
        headerListBytes += nameCount + valueCount + 32
        guard headerListBytes <= Limits.headerListBytes else { return false }
        let stream = unsafe streams + Int(slot)
        guard unsafe !stream.pointee.hasHeaders, let field = unsafe Self.field(name, nameCount)
        else {
            return true
        }
        let bit: UInt16 = 1 << UInt16(field.rawValue)
        if unsafe stream.pointee.seen & bit != 0 {
            unsafe stream.pointee.hasDuplicate = true
            return true
        }
        unsafe stream.pointee.seen |= bit
        unsafe stream.pointee.ranges[field.rawValue] = ByteRange(
            start: stream.pointee.fields.count, count: valueCount)
        unsafe stream.pointee.fields.append(UnsafeBufferPointer(start: value, count: valueCount))
        return true
    }

    /// Tells a recorded field by the length of its name, then by the name.
    private static func field(_ name: UnsafePointer<UInt8>, _ count: Int) -> RequestField? {
        func matches(_ text: StaticString) -> Bool {
            unsafe memcmp(name, text.utf8Start, count) == 0
        }
        switch count {
        case 5: return matches(":path") ? .path : nil
        case 7:
            if matches(":method") { return .method }
            if matches("apns-id") { return .apnsID }
            return matches(":scheme") ? .scheme : nil
        case 10:
            if matches("apns-topic") { return .apnsTopic }
            return matches(":authority") ? .authority : nil
        case 12: return matches("content-type") ? .contentType : nil
        case 13:
            if matches("authorization") { return .authorization }
            return matches("apns-priority") ? .apnsPriority : nil
        case 14: return matches("apns-push-type") ? .apnsPushType : nil
        case 15: return matches("apns-expiration") ? .apnsExpiration : nil
        case 16: return matches("apns-collapse-id") ? .apnsCollapseID : nil
        default: return nil
        }
    }

    /// Notes the end of a header list.
    /// - Returns: True if the stream goes on; false if it is to be reset: every request has a
    ///   method, a scheme and a path (RFC 9113 §8.3.1).
    mutating func receivedHeaderList(slot: UInt32, endsStream: Bool) -> Bool {
        headerListBytes = 0
        let stream = unsafe streams + Int(slot)
        let needed: UInt16 = 0b111
        guard unsafe stream.pointee.seen & needed == needed else { return false }
        unsafe stream.pointee.hasHeaders = true
        if endsStream { receivedEnd(slot: slot) }
        return true
    }

    mutating func received(body bytes: UnsafePointer<UInt8>, _ count: Int, slot: UInt32) {
        let stream = unsafe streams + Int(slot)
        let more = unsafe min(count, bodyBytes - stream.pointee.body.count)
        unsafe stream.pointee.body.append(UnsafeBufferPointer(start: bytes, count: more))
    }

    mutating func receivedEnd(slot: UInt32) {
        let stream = unsafe streams + Int(slot)
        guard unsafe stream.pointee.hasHeaders, unsafe !stream.pointee.isComplete else { return }
        unsafe stream.pointee.isComplete = true
        events.append(slot)
    }

    mutating func receivedClose(slot: UInt32, code: UInt32) {
        let stream = unsafe streams + Int(slot)
        unsafe assert(stream.pointee.phase == .open, "BUG: a stream ends twice")
        unsafe stream.pointee.phase = .closed
        unsafe stream.pointee.code = code
        openStreams &-= 1
        events.append(slot | Self.closedMark)
        recentID = 0
        headerListBytes = 0
    }
}
