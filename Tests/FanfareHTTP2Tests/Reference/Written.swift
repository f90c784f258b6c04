import FanfareBase

/// The bytes that a side has written, as far as it does not matter in which order.
struct Written: Equatable {
    var fields: [Int32: Set<FieldDecoder.Field>] = [:]
    var bodies: [Int32: [UInt8]] = [:]
    var ended: Set<Int32> = []
    var resets: [Int32: UInt32] = [:]
    var pings: [[UInt8]] = []
    var settings = 0
    var credits: [Int32: Int] = [:]

    /// Reads frames as the peer would; the decoder is the one of this side's connection, the limits
    /// of its table what the peer has said in the SETTINGS that are acknowledged here.
    init(_ bytes: [UInt8], _ decoder: FieldDecoder, tableLimits: [UInt32]) {
        var block: [UInt8] = []
        for frame in Frame.parse(bytes) {
            let isFlagged = frame.flags & 1 != 0
            switch frame.kind {
            case .headers, .continuation:
                block += frame.payload
                if frame.kind == .headers && isFlagged { ended.insert(frame.stream) }
                guard frame.flags & Frame.endHeaders != 0 else { break }
                fields[frame.stream] = Set(decoder.decode(block) ?? [])
                block = []
            case .data:
                bodies[frame.stream, default: []] += frame.payload
                if isFlagged { ended.insert(frame.stream) }
            case .resetStream:
                resets[frame.stream] = frame.resetCode
            case .settings where isFlagged:
                settings += 1
                for limit in tableLimits { decoder.setTableLimit(limit) }
            case .ping:
                pings.append(frame.payload)
            case .windowUpdate:
                credits[frame.stream, default: 0] += Int(frame.goAwayLast)
            default:
                break
            }
        }
    }
}
