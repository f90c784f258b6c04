internal import FanfareCore

/// Reads the header lists of answers.
///
/// RFC 7541
@safe
struct HeaderDecoder: ~Copyable {
    private var table = HeaderTable()
    /// Where a name and a value are decoded to, one behind the other.
    private let text: UnsafeMutablePointer<UInt8>
    private let code = unsafe HuffmanCode.shared

    init() {
        unsafe text = .allocate(capacity: 2 * AnswerField.valueBytesKept)
    }

    deinit {
        unsafe text.deallocate()
    }

    /// Reads a whole field block.
    /// - Parameters:
    ///   - block: HEADERS and its CONTINUATION.
    ///   - body: Gets each field.
    /// - Throws: A block that cannot be decoded.
    @inline(__always)
    mutating func decode(
        _ block: UnsafeBufferPointer<UInt8>, _ body: (AnswerField) -> Void
    ) throws(SessionFault) {
        var reader = unsafe Reader(block)
        var isBeginning = true
        while let first = reader.peek() {
            if first & 0x80 != 0 {
                // §6.1
                guard let field = table.field(try reader.integer(prefix: 7)) else {
                    throw Reader.fault
                }
                body(field)
            } else if first & 0xE0 == 0x20 {
                // §6.3, and only before the first field: §4.2
                let limit = try reader.integer(prefix: 5)
                guard isBeginning, limit <= HeaderTable.bytesMax else { throw Reader.fault }
                table.setLimit(limit)
                continue
            } else {
                // §6.2.1 with, §6.2.2 and §6.2.3 without a trace in the table.
                let isInserted = first & 0x40 != 0
                let field = try literal(&reader, prefix: isInserted ? 6 : 4)
                body(field)
                if isInserted { table.insert(field) }
            }
            isBeginning = false
        }
    }

    private func literal(_ reader: inout Reader, prefix: Int) throws(SessionFault) -> AnswerField {
        let index = try reader.integer(prefix: prefix)
        var name = AnswerField.Name.other
        var nameBytes = 0
        if index > 0 {
            guard let known = table.field(index) else { throw Reader.fault }
            name = known.name
            nameBytes = known.nameBytes
        } else {
            let string = try unsafe string(&reader, to: text)
            name = unsafe AnswerField.Name(string.kept)
            nameBytes = unsafe string.count
        }
        let value = try unsafe string(&reader, to: text + AnswerField.valueBytesKept)
        return unsafe AnswerField(
            name: name, nameBytes: nameBytes, valueBytes: value.count, value: value.kept)
    }

    /// A string: its bytes, if they are not more than are kept, and how many they are. §5.2
    private func string(
        _ reader: inout Reader, to target: UnsafeMutablePointer<UInt8>
    ) throws(SessionFault) -> (kept: UnsafeBufferPointer<UInt8>, count: Int) {
        let isCoded = (reader.peek() ?? 0) & 0x80 != 0
        let count = try reader.integer(prefix: 7)
        let bytes = try unsafe reader.bytes(count)
        guard isCoded else {
            return unsafe count <= AnswerField.valueBytesKept
                ? (bytes, count) : (UnsafeBufferPointer(start: nil, count: 0), count)
        }
        guard let count = unsafe code.decode(bytes, to: target, room: AnswerField.valueBytesKept)
        else {
            throw Reader.fault
        }
        let kept = count <= AnswerField.valueBytesKept ? count : 0
        return unsafe (UnsafeBufferPointer(start: target, count: kept), count)
    }

    /// The bytes of a block, from the first to the last.
    @safe
    private struct Reader {
        private var next: UnsafePointer<UInt8>?
        private var rest: Int

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            unsafe next = bytes.baseAddress
            rest = bytes.count
        }

        static var fault: SessionFault {
            SessionFault(.compressionError, "a field block that cannot be decoded")
        }

        func peek() -> UInt8? {
            unsafe rest > 0 ? next?.pointee : nil
        }

        mutating func bytes(_ count: Int) throws(SessionFault) -> UnsafeBufferPointer<UInt8> {
            guard count <= rest, let start = unsafe next else { throw Self.fault }
            unsafe next = unsafe start + count
            rest -= count
            return unsafe UnsafeBufferPointer(start: start, count: count)
        }

        private mutating func byte() throws(SessionFault) -> Int {
            guard rest > 0, let start = unsafe next else { throw Self.fault }
            unsafe next = unsafe start + 1
            rest -= 1
            return unsafe Int(start.pointee)
        }

        /// Reads an integer that begins with so many bits. §5.1
        mutating func integer(prefix: Int) throws(SessionFault) -> Int {
            let most = 1 << prefix - 1
            var value = try byte() & most
            guard value == most else { return value }
            var shift = 0
            while true {
                let more = try byte()
                // Nothing in a block is as long as 2²⁸.
                guard shift <= 21 else { throw Self.fault }
                value += (more & 0x7F) << shift
                guard more & 0x80 != 0 else { return value }
                shift += 7
            }
        }
    }
}
