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

    /// What four bits lead to.
    ///
    /// No code is shorter than five, so they complete one symbol at most.
    private struct Step {
        var next: UInt8 = 0
        var symbol: UInt8 = 0
        /// Bits of `Flag`, and those of `FieldText.Mark` for a symbol that is completed.
        var marks: UInt8 = 0

        enum Flag {
            static let completes: UInt8 = 0x40
            static let fails: UInt8 = 0x80
        }
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

    /// For each of the tree's 256 inner nodes the 16 steps from it; lives as long as the process.
    private let steps: UnsafeMutablePointer<Step>
    /// For each symbol its code, in the lower bits.
    private let codes: [UInt32]
    /// For each node whether a string may end there: only ones, fewer than eight, lead to it.
    private let ends: [Bool]

    private init() {
        let order = (0...Self.endOfString).sorted {
            (Self.lengths[$0], $0) < (Self.lengths[$1], $1)
        }
        var codes = [UInt32](repeating: 0, count: order.count)
        var tree = Tree()
        var code: UInt32 = 0
        var length: UInt8 = 0
        for symbol in order {
            code <<= UInt32(Self.lengths[symbol] - length)
            length = Self.lengths[symbol]
            codes[symbol] = code
            tree.insert(symbol, code, length: length)
            code += 1
        }
        self.codes = codes
        ends = tree.ends
        unsafe steps = .allocate(capacity: tree.nodes.count * 16)
        for node in 0..<tree.nodes.count {
            for bits in 0..<16 {
                unsafe (steps + node * 16 + bits).initialize(to: Self.step(from: node, bits, tree))
            }
        }
    }

    private static func step(from start: Int, _ bits: Int, _ tree: Tree) -> Step {
        var step = Step()
        var node = start
        for place in [3, 2, 1, 0] {
            switch tree.nodes[node][bits >> place & 1] {
            case .node(let next):
                node = next
            case .symbol(endOfString), .none:
                // The end itself must not come. §5.2
                step.marks |= Step.Flag.fails
                return step
            case .symbol(let symbol):
                step.symbol = UInt8(symbol)
                step.marks |= Step.Flag.completes | FieldText.marks(of: UInt8(symbol))
                node = 0
            }
        }
        step.next = UInt8(node)
        return step
    }

    /// A string that was decoded.
    struct Decoded {
        var count: Int
        /// What `FieldText.Mark` says of its bytes, all together.
        var marks: UInt8
    }

    /// Decodes a string.
    /// - Parameters:
    ///   - bytes: The coded string.
    ///   - target: Gets the first bytes, as many as there is room for, and of a longer string the
    ///     last byte behind them.
    ///   - room: The bytes that `target` holds, less that last one.
    /// - Returns: What the whole string is, nil if it is none.
    func decode(
        _ bytes: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<UInt8>, room: Int
    ) -> Decoded? {
        var count = 0
        var node = 0
        var marks: UInt8 = 0
        for index in 0..<bytes.count {
            let byte = unsafe Int(bytes[index])
            for place in 0..<2 {
                let step = unsafe steps[node << 4 | (place == 0 ? byte >> 4 : byte & 15)]
                marks |= step.marks
                if step.marks & Step.Flag.completes != 0 {
                    unsafe target[min(count, room)] = step.symbol
                    count &+= 1
                }
                node = Int(step.next)
            }
        }
        guard ends[node], marks & Step.Flag.fails == 0 else { return nil }
        return Decoded(count: count, marks: marks)
    }

    /// The bytes that a string takes in this code.
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

    /// The codes as a tree, while the steps are made.
    private struct Tree {
        enum Child {
            case none
            case node(Int)
            case symbol(Int)
        }

        var nodes: [[Child]] = [[.none, .none]]

        mutating func insert(_ symbol: Int, _ code: UInt32, length: UInt8) {
            var node = 0
            for place in (1..<Int(length)).reversed() {
                let bit = Int(code >> UInt32(place) & 1)
                if case .node(let next) = nodes[node][bit] {
                    node = next
                } else {
                    nodes.append([.none, .none])
                    nodes[node][bit] = .node(nodes.count - 1)
                    node = nodes.count - 1
                }
            }
            nodes[node][Int(code & 1)] = .symbol(symbol)
        }

        var ends: [Bool] {
            var ends = [Bool](repeating: false, count: nodes.count)
            var node = 0
            for _ in 0..<8 {
                ends[node] = true
                guard case .node(let next) = nodes[node][1] else { break }
                node = next
            }
            return ends
        }
    }
}
