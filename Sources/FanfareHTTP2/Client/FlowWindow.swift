/// The number of bytes of bodies that the peer still takes, on a stream or on the connection.
///
/// RFC 9113 §6.9
struct SendWindow {
    static let bytesMax = Int(Int32.max)

    /// The bytes that may be sent; negative after the peer has lowered its initial size by more
    /// than the rest. §6.9.2
    private(set) var available: Int

    init(_ available: Int) {
        self.available = available
    }

    /// Takes bytes that are sent.
    mutating func take(_ count: Int) {
        available &-= count
    }

    /// Moves the window by the peer's number.
    /// - Returns: True if it is no larger now than a window may be.
    mutating func move(by count: Int) -> Bool {
        available &+= count
        return available <= Self.bytesMax
    }
}

/// The number of bytes of answers that we still take, on a stream or on the connection.
///
/// The bytes that have come count as read, and we give them back to the peer when they are half of
/// the window, so that a peer is never held up and hears of it seldom.
struct ReceiveWindow {
    private let size: UInt32
    private var taken: UInt32 = 0

    init(_ size: Int32) {
        self.size = UInt32(size)
    }

    /// Notes bytes of a DATA frame, padding included.
    /// - Returns: True if the peer had room for them.
    mutating func receive(_ count: Int) -> Bool {
        taken &+= UInt32(truncatingIfNeeded: count)
        return taken <= size
    }

    /// Takes the credit to give back to the peer now, if there is any.
    mutating func credit() -> UInt32? {
        guard taken >= size / 2, taken > 0 else { return nil }
        defer { taken = 0 }
        return taken
    }
}
