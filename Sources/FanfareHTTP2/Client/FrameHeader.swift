/// The nine bytes before each frame's payload.
///
/// RFC 9113 §4.1
struct FrameHeader {
    static let byteCount = 9

    enum Kind {
        static let data: UInt8 = 0x0
        static let headers: UInt8 = 0x1
        static let priority: UInt8 = 0x2
        static let resetStream: UInt8 = 0x3
        static let settings: UInt8 = 0x4
        static let pushPromise: UInt8 = 0x5
        static let ping: UInt8 = 0x6
        static let goAway: UInt8 = 0x7
        static let windowUpdate: UInt8 = 0x8
        static let continuation: UInt8 = 0x9
    }

    enum Flag {
        static let endStream: UInt8 = 0x1
        static let acknowledgement: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    /// The bytes of the payload.
    var length: Int
    var kind: UInt8
    var flags: UInt8
    /// 0 for the connection; the reserved bit is ignored.
    var stream: Int32

    init(length: Int, kind: UInt8, flags: UInt8, stream: Int32) {
        self.length = length
        self.kind = kind
        self.flags = flags
        self.stream = stream
    }

    /// Reads nine bytes.
    init(_ bytes: UnsafePointer<UInt8>) {
        let word = unsafe bytes.bigEndianWord
        length = Int(word >> 8)
        kind = UInt8(truncatingIfNeeded: word)
        flags = unsafe bytes[4]
        stream = unsafe Int32(bitPattern: (bytes + 5).bigEndianWord & 0x7FFF_FFFF)
    }

    /// Writes nine bytes.
    func write(to target: UnsafeMutablePointer<UInt8>) {
        unsafe target.storeBigEndian(UInt32(truncatingIfNeeded: length) << 8 | UInt32(kind))
        unsafe target[4] = flags
        unsafe (target + 5).storeBigEndian(UInt32(bitPattern: stream))
    }

    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }
}

/// A frame that is complete; its payload is borrowed from the code that gave it.
@safe
struct Frame {
    var header: FrameHeader
    var payload: UnsafeBufferPointer<UInt8>
}

extension UnsafePointer<UInt8> {
    /// The four bytes here as a number in the network's order.
    var bigEndianWord: UInt32 {
        unsafe UnsafeRawPointer(self).loadUnaligned(as: UInt32.self).bigEndian
    }
}

extension UnsafeMutablePointer<UInt8> {
    /// Writes a number as four bytes in the network's order.
    func storeBigEndian(_ value: UInt32) {
        unsafe UnsafeMutableRawPointer(self).storeBytes(of: value.bigEndian, as: UInt32.self)
    }
}
