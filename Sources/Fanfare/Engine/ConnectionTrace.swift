import FanfareBase
import FanfareCore
import FanfareHTTP2

/// The frames of one connection for the log, in both directions and in the order of their turns.
struct ConnectionTrace {
    struct Entry {
        var frame: FrameTrace.Frame
        var isOutgoing: Bool
        var at: Instant
    }

    private(set) var entries: [Entry] = []
    /// Frames beyond the bound of a turn's log.
    private(set) var dropped: UInt64 = 0
    private var incoming = FrameTrace(isFromClient: false)
    private var outgoing = FrameTrace(isFromClient: true)

    mutating func received(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
        unsafe add(incoming.take(bytes), isOutgoing: false, at: now)
    }

    mutating func made(_ bytes: UnsafeRawBufferPointer, at now: Instant) {
        unsafe add(outgoing.take(bytes), isOutgoing: true, at: now)
    }

    private mutating func add(_ frames: [FrameTrace.Frame], isOutgoing: Bool, at now: Instant) {
        for frame in frames {
            guard entries.count < Limits.logEventsPerTurn else {
                dropped += 1
                continue
            }
            entries.append(Entry(frame: frame, isOutgoing: isOutgoing, at: now))
        }
    }

    /// Hands over the frames.
    mutating func take() -> (entries: [Entry], dropped: UInt64) {
        defer {
            entries.removeAll()
            dropped = 0
        }
        return (entries, dropped)
    }
}
