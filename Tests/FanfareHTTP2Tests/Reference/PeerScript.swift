/// Frames that a server might send, or should not, from a seed.
struct PeerScript {
    /// The facts that a frame may be about.
    struct Facts {
        /// Streams whose requests are on the wire.
        var opened: [Int32]
        var nextStream: Int32
    }

    var random: SplitMix
    /// True if frames may break the rules.
    var isHostile: Bool
    /// Streams whose final header list, or whose end, was sent.
    private var answered: Set<Int32> = []
    private var ended: Set<Int32> = []
    /// The bytes that an honest peer has announced and not yet sent.
    private var owed: [Int32: Int] = [:]

    init(seed: UInt64, isHostile: Bool) {
        random = SplitMix(state: seed)
        self.isHostile = isHostile
    }

    mutating func number(_ range: Range<Int>) -> Int { .random(in: range, using: &random) }
    mutating func chance(_ percent: Int) -> Bool { number(0..<100) < percent }

    mutating func pick<T>(_ values: [T]) -> T { values[number(0..<values.count)] }

    /// A frame, or several that belong together.
    mutating func next(_ facts: Facts) -> [[UInt8]] {
        var frames = honest(facts).map(\.bytes)
        guard isHostile, chance(12) else { return frames }
        let index = number(0..<frames.count)
        switch number(0..<4) {
        case 0: frames[index] = wrong(facts).bytes
        case 1: frames[index] = Self.resized(frames[index], by: number(-4..<5))
        default:
            // The length stays as it is, so that what follows is still in step.
            let place = number(3..<frames[index].count)
            frames[index][place] = UInt8(number(0..<256))
        }
        return frames
    }

    private mutating func stream(_ facts: Facts) -> Int32 {
        // Mostly one of the newest, which are those that are open.
        facts.opened.isEmpty
            ? 1 : chance(80) ? pick(Array(facts.opened.suffix(6))) : pick(facts.opened)
    }

    private mutating func honest(_ facts: Facts) -> [Frame] {
        let id = stream(facts)
        let canSend = !facts.opened.isEmpty && (isHostile || !ended.contains(id))
        let canSendBody = canSend && (isHostile || answered.contains(id))
        let owesBody = !isHostile && owed[id, default: 0] > 0
        switch number(0..<20) {
        case 0..<8 where canSend: return owesBody ? [data(id)] : headers(id)
        case 8..<12 where canSendBody: return [data(id)]
        case 12 where canSend && chance(30): return [.reset(id, code: UInt32(number(0..<14)))]
        case 13 where canSend: return [update(id, number(1..<3000))]
        case 14: return [update(0, number(1..<70_000))]
        case 15: return [settings()]
        case 16: return [Frame(.ping, flags: chance(30) ? Frame.ack : 0, bytes(8))]
        case 17: return [Frame(.priority, stream: id, [0, 0, 0, 0, 16])]
        default: return [Frame(.ping, bytes(8))]
        }
    }

    private mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(number(0..<256)) }
    }

    private func update(_ id: Int32, _ increment: Int) -> Frame {
        Frame(.windowUpdate, stream: id, Frame.word(UInt32(increment)))
    }

    private mutating func settings() -> Frame {
        var values: [(UInt16, UInt32)] = []
        if chance(40) { values.append((1, pick([0, 64, 200, 1000, 4096, 65_536]))) }
        if chance(40) { values.append((3, pick([1, 5, 100, 1000]))) }
        if chance(40) { values.append((4, pick([0, 10, 1000, 65_535, 1 << 20]))) }
        if chance(20) { values.append((5, pick([16_384, 20_000]))) }
        if chance(20) { values.append((0x4242, 7)) }
        return .settings(values)
    }

    private mutating func headers(_ id: Int32) -> [Frame] {
        var block: [UInt8] = []
        let isTrailer = isHostile ? chance(15) : answered.contains(id)
        let status = pick(["200", "400", "410", "429", "404", "100", "103", "204", "304"])
        let isFinal = !status.hasPrefix("1")
        if isHostile && chance(4) { block += badField() }
        if !isTrailer { block += field(status: status) }
        if isHostile && chance(8) { block += badField() }
        if chance(60) { block += field("apns-id", "id-\(number(0..<50))") }
        if chance(20) { block += field("retry-after", "\(number(0..<100))") }
        if chance(30) { block += field("x-long", String(repeating: "x", count: number(0..<120))) }
        let ends = isHostile ? chance(50) : isTrailer || isFinal && chance(50)
        if isHostile {
            if chance(15) { block += field("content-length", pick(["0", "1", "20", "900", "x"])) }
        } else if !isTrailer && isFinal {
            let hasContent = status != "204" && status != "304"
            if !hasContent { owed[id] = 0 }
            if chance(30) {
                let length = ends || !hasContent ? 0 : pick([0, 1, 20, 900])
                owed[id] = length
                block += field("content-length", "\(length)")
            }
        }
        if isFinal { answered.insert(id) }
        if ends { ended.insert(id) }
        var flags: UInt8 = ends ? Frame.endStream : 0
        if chance(85) {
            flags |= Frame.endHeaders
            if chance(20) {
                let padding = number(0..<9)
                return [
                    Frame(
                        .headers, flags: flags | Frame.padded, stream: id,
                        [UInt8(padding)] + block + [UInt8](repeating: 0, count: padding))
                ]
            }
            if chance(20) {
                return [
                    Frame(.headers, flags: flags | 0x20, stream: id, [0, 0, 0, 0, 1] + block)
                ]
            }
            return [Frame(.headers, flags: flags, stream: id, block)]
        }
        let cut = number(0..<block.count + 1)
        let second = number(cut..<block.count + 1)
        return [
            Frame(.headers, flags: flags, stream: id, Array(block[..<cut])),
            Frame(.continuation, stream: id, Array(block[cut..<second])),
            Frame(.continuation, flags: Frame.endHeaders, stream: id, Array(block[second...])),
        ]
    }

    private mutating func field(status: String) -> [UInt8] {
        if isHostile && chance(10) { return field(":status", pick(["20", "2x0", "101", ""])) }
        // 200 and 404 are in the static table. RFC 7541, appendix A
        if status == "200" && chance(50) { return [0x88] }
        if status == "404" && chance(50) { return [0x8D] }
        return field(":status", status)
    }

    /// A field that no answer may have. RFC 9113 §8.2, §8.3
    private mutating func badField() -> [UInt8] {
        switch number(0..<3) {
        case 0:
            return field(
                pick(["X-UP", "a b", "", "x:y", ":path", ":foo", "connection", "upgrade", "x\u{0}"]
                ),
                "1")
        case 1: return field("x", pick(["a\u{0}", "a\r\nb", " a", "a\t", "\u{7F}", "\u{1B}"]))
        // Entries of the static table: :path, and transfer-encoding without a value.
        default: return pick([[0x84], [0xB9]])
        }
    }

    /// A literal that goes into the table, does not, or must not. RFC 7541 §6.2
    private mutating func field(_ name: String, _ value: String) -> [UInt8] {
        [pick([0x00, 0x40, 0x10]), UInt8(name.utf8.count)] + Array(name.utf8)
            + [UInt8(value.utf8.count)] + Array(value.utf8)
    }

    private mutating func data(_ id: Int32) -> Frame {
        var count = pick([0, 1, 20, 900])
        var isEnd = chance(60)
        if !isHostile, let left = owed[id] {
            count = isEnd ? left : min(count, left)
            owed[id] = left - count
        }
        if !isHostile && owed[id] == 0 { isEnd = true }
        let content = Array(String(repeating: "b", count: count).utf8)
        let ends: UInt8 = isEnd ? Frame.endStream : 0
        if ends != 0 { ended.insert(id) }
        guard chance(20) else { return Frame(.data, flags: ends, stream: id, content) }
        let padding = number(0..<200)
        return Frame(
            .data, flags: ends | Frame.padded, stream: id,
            [UInt8(padding)] + content + [UInt8](repeating: 0, count: padding))
    }

    /// The frames that a server must not send, each for its own reason.
    private mutating func wrong(_ facts: Facts) -> Frame {
        let id = stream(facts)
        let next = facts.nextStream
        return pick([
            Frame(.data, stream: 0, [1]), Frame(.data, stream: next, [1]),
            Frame(.data, flags: Frame.padded, stream: id, [9, 1]),
            Frame(.data, flags: Frame.padded, stream: id, []),
            .headers(next, [(":status", "200")]), .headers(2, [(":status", "200")]),
            .headers(0, [(":status", "200")]),
            Frame(.headers, flags: 0x24, stream: id, [0, 0, 0]),
            Frame(.headers, flags: 0x0C, stream: id, [7, 0x88]),
            Frame(.headers, flags: 0x04, stream: id, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            Frame(.priority, stream: id, [1]), Frame(.priority, stream: 0, [0, 0, 0, 0, 0]),
            .reset(0, code: 0), .reset(next, code: 0), Frame(.resetStream, stream: id, [0]),
            .settings([(2, 1)]), .settings([(4, 1 << 31)]), .settings([(5, 100)]),
            .settings([(5, 1 << 24)]), .settings([(8, 2)]), .settings([(9, 3)]),
            .settings(Array(repeating: (3, 10), count: 33)), Frame(.settings, [0, 1]),
            Frame(.settings, stream: id, []), Frame(.settings, flags: Frame.ack, []),
            Frame(.settings, flags: Frame.ack, [0, 3, 0, 0, 0, 1]),
            Frame(.ping, [0]), Frame(.ping, stream: id, [0, 0, 0, 0, 0, 0, 0, 0]),
            Frame(.goAway, [0, 0, 0, 0]),
            Frame(.goAway, stream: id, [0, 0, 0, 0, 0, 0, 0, 0]),
            update(0, 0), update(id, 0), update(0, Int(Int32.max)), update(id, Int(Int32.max)),
            update(next, 1), Frame(.windowUpdate, [1]),
            Frame(.pushPromise, flags: Frame.endHeaders, stream: id, [0, 0, 0, 2, 0x82]),
            Frame(.continuation, flags: Frame.endHeaders, stream: id, []),
            Frame(.headers, stream: id, []),
        ])
    }

    /// A frame whose length field says what it has after all.
    private static func resized(_ frame: [UInt8], by difference: Int) -> [UInt8] {
        var frame = frame
        if difference < 0 {
            frame.removeLast(min(-difference, frame.count - 9))
        } else {
            frame += [UInt8](repeating: 1, count: difference)
        }
        let count = frame.count - 9
        frame[0] = UInt8(count >> 16 & 255)
        frame[1] = UInt8(count >> 8 & 255)
        frame[2] = UInt8(count & 255)
        return frame
    }
}
