internal import FanfareBase

/// The code in which strings of header lists may come.
///
/// It is canonical: codes of one length follow each other in the order of their symbols, shorter ones
/// come first. So the lengths are all there is to know.
///
/// RFC 7541 §5.2, appendix B
@safe
struct HuffmanCode {
    /// Made once; in use from all threads, changed by none.
    nonisolated(unsafe) static let shared = HuffmanCode()

    /// The symbols that twelve bits begin with: two if both fit, one, or none if its code is longer.
    private struct Pair {
        /// The first symbol in the lower byte, the second one in the upper byte.
        var symbols: UInt16 = 0
        /// The bits of `FieldText.Mark` for both symbols, and `isTwo`.
        var marks: UInt8 = 0
        /// The bits of the symbols' codes together; more than there ever are if there is no symbol.
        var bits: UInt8 = .max

        static let window = 12
        static let isTwo: UInt8 = 0x40

        /// The number of symbols, if there are any.
        var count: Int { 1 &+ Int(marks &>> 6) }
    }

    private static let endOfString = 256
    /// The bits of each symbol's code, the end of the string as the last one.
    private static let lengths: [UInt8] = [
        13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28,
        28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 28,
        6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6,
        5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
        13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7,
        7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6,
        15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5,
        6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28,
        20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23,
        24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24,
        22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23,
        21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23,
        26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
        19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27,
        20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23,
        26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26,
        30,
    ]

    /// The longest code, which is the end of the string's.
    private static let longest = 30

    /// The symbols in the order of their codes.
    private let order: [Int]
    /// For each symbol its code, in the lower bits.
    private let codes: [UInt32]
    /// For each length the first code that is longer, its bits in the upper part.
    private let bounds: [UInt64]
    /// For each length the place in `order` of the symbol whose code has only zeros, if it were that long.
    private let bases: [Int]
    /// The pair for each of the 4,096 windows; lives as long as the process.
    private let pairs: UnsafeMutablePointer<Pair>

    private init() {
        order = (0...Self.endOfString).sorted {
            (Self.lengths[$0], $0) < (Self.lengths[$1], $1)
        }
        var codes = [UInt32](repeating: 0, count: order.count)
        var bounds = [UInt64](repeating: 0, count: Self.longest + 1)
        var bases = [Int](repeating: 0, count: Self.longest + 1)
        var next: UInt32 = 0
        var place = 0
        for length in 1...Self.longest {
            next <<= 1
            bases[length] = place - Int(next)
            while place < order.count, Int(Self.lengths[order[place]]) == length {
                codes[order[place]] = next
                (next, place) = (next + 1, place + 1)
            }
            bounds[length] = UInt64(next) << UInt64(32 - length)
        }
        (self.codes, self.bounds, self.bases) = (codes, bounds, bases)
        unsafe pairs = .allocate(capacity: 1 << Pair.window)
        for window in 0..<(1 << Pair.window) {
            unsafe (pairs + window).initialize(to: pair(in: window))
        }
    }

    /// Finds the symbols that a window begins with.
    private func pair(in window: Int) -> Pair {
        var pair = Pair()
        let bits = UInt64(window) << UInt64(64 - Pair.window)
        let (first, firstBits) = symbol(in: bits)
        guard firstBits <= Pair.window else { return pair }
        pair.symbols = UInt16(first)
        pair.bits = UInt8(firstBits)
        pair.marks = FieldText.marks(of: UInt8(first))
        let (second, secondBits) = symbol(in: bits << UInt64(firstBits))
        guard firstBits + secondBits <= Pair.window else { return pair }
        pair.symbols |= UInt16(second) << 8
        pair.bits += UInt8(secondBits)
        pair.marks |= FieldText.marks(of: UInt8(second)) | Pair.isTwo
        return pair
    }

    /// Finds the symbol whose code is the upper bits, and the code's length.
    private func symbol(in bits: UInt64) -> (symbol: Int, bits: Int) {
        let upper = bits >> 32
        // The longest code has only ones, so that there is a length for all bits.
        var length = 5
        while length < Self.longest, upper >= bounds[length] { length += 1 }
        return (order[bases[length] + Int(upper >> UInt64(32 - length))], length)
    }

    /// A string that was decoded.
    struct Decoded {
        var count: Int
        /// The marks of `FieldText.Mark` that its bytes have, all together.
        var marks: UInt8
    }

    /// Decodes a string.
    /// - Parameters:
    ///   - bytes: The coded string.
    ///   - target: Gets the first bytes, as many as there is room for, and of a longer string the
    ///     last byte behind them.
    ///   - room: The bytes that `target` holds, less that last one.
    /// - Returns: The size and marks of the whole string; nil if the bytes are no string.
    func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, room: Int
    ) -> Decoded? {
        var count = 0
        var marks: UInt8 = 0
        var source = unsafe Bits(bytes)
        let target = UnsafeMutableRawPointer(target)
        while true {
            source.refill()
            while true {
                let pair = unsafe pairs[Int(truncatingIfNeeded: source.bits &>> 52)]
                let length = Int(pair.bits)
                guard length <= source.held, count &+ 1 < room else { break }
                // Where it is one symbol, the byte behind it is the next one's.
                unsafe target.storeBytes(
                    of: pair.symbols.littleEndian, toByteOffset: count, as: UInt16.self)
                count &+= pair.count
                marks |= pair.marks
                source.drop(length)
            }
            if source.needsRefill { continue }
            guard !source.isPadding else { break }
            let (symbol, length) = symbol(in: source.bits | UInt64.max >> UInt64(source.held))
            // The end itself must not come. §5.2
            guard length <= source.held, symbol != Self.endOfString else { return nil }
            unsafe target.storeBytes(
                of: UInt8(symbol), toByteOffset: min(count, room), as: UInt8.self)
            count &+= 1
            marks |= FieldText.marks(of: UInt8(symbol))
            source.drop(length)
        }
        return Decoded(count: count, marks: marks & ~Pair.isTwo)
    }

    /// The bits of a coded string, from the first to the last.
    @safe
    private struct Bits {
        private let start: UnsafeRawPointer?
        private let count: Int
        private var next = 0
        /// The next bits, the first one on top.
        var bits: UInt64 = 0
        var held = 0

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            unsafe start = UnsafeRawPointer(bytes.baseAddress)
            count = bytes.count
        }

        /// True if there are bytes to take for a code of any length.
        var needsRefill: Bool { held < HuffmanCode.longest && next < count }

        /// True if nothing is left but the ones that fill up the last byte. §5.2
        var isPadding: Bool { held < 8 && ~bits >> UInt64(64 - held) == 0 }

        mutating func drop(_ length: Int) {
            bits &<<= UInt64(truncatingIfNeeded: length)
            held &-= length
        }

        /// Takes as many bytes as there is room for.
        mutating func refill() {
            let rest = count &- next
            guard rest > 0, let start = unsafe start else { return }
            let taken = min((63 &- held) &>> 3, rest)
            let word: UInt64
            if rest >= 8 {
                word = unsafe UInt64(
                    bigEndian: start.loadUnaligned(fromByteOffset: next, as: UInt64.self))
            } else if count >= 8 {
                let last = unsafe UInt64(
                    bigEndian: start.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self))
                word = last &<< UInt64(truncatingIfNeeded: 64 &- rest &* 8)
            } else {
                word = unsafe few(rest, at: start)
            }
            // With the beginning of the next byte, which comes to lie upon itself.
            bits |= word &>> UInt64(truncatingIfNeeded: held)
            next &+= taken
            held &+= taken &* 8
        }

        /// The last bytes of a string that has fewer than eight, the first one on top.
        @inline(never)
        private func few(_ rest: Int, at start: UnsafeRawPointer) -> UInt64 {
            var word: UInt64 = 0
            for place in 0..<rest {
                let byte = unsafe start.load(fromByteOffset: next + place, as: UInt8.self)
                word |= UInt64(byte) << UInt64(56 - place * 8)
            }
            return word
        }
    }

    /// Returns the number of bytes that a string takes in this code.
    func codedBytes(_ text: String) -> Int {
        (text.utf8.reduce(0) { $0 + Int(Self.lengths[Int($1)]) } + 7) / 8
    }

    /// Appends a string in this code, filled up with ones.
    func append(_ text: String, to target: inout ByteBuffer) {
        var bits: UInt64 = 0
        var count = 0
        for symbol in text.utf8 {
            let length = Int(Self.lengths[Int(symbol)])
            bits = bits << UInt64(length) | UInt64(codes[Int(symbol)])
            count += length
            while count >= 8 {
                count -= 8
                target.append(UInt8(truncatingIfNeeded: bits >> UInt64(count)))
            }
        }
        if count > 0 {
            target.append(
                UInt8(truncatingIfNeeded: bits << UInt64(8 - count) | 0xFF >> UInt64(count)))
        }
    }
}
