internal import FanfareBase

/// The facts about a header list besides its fields.
struct HeaderListFacts {
    /// The size of the list. RFC 9113 §6.5.2
    var bytes = 0
    /// True if a pseudo-header field comes behind another field. RFC 9113 §8.3
    var hasLatePseudoField = false
    private var hasOtherField = false

    @inline(__always)
    mutating func count(_ name: AnswerField.Name, bytes: Int) {
        self.bytes &+= bytes
        if name != .status {
            hasOtherField = true
        } else if hasOtherField {
            hasLatePseudoField = true
        }
    }
}

/// A decoder of the header lists of answers.
///
/// RFC 7541
@safe
struct HeaderDecoder: ~Copyable {
    private var table = HeaderTable()
    /// The memory for a name and a value that are decoded, one behind the other.
    private let text: UnsafeMutablePointer<UInt8>
    /// The most bytes that are kept of a string, and its last byte if it is longer.
    private static let textBytes = AnswerField.valueBytesKept + 1
    private let code = unsafe HuffmanCode.shared
    private let quota: QuotaFields?

    /// - Parameter quota: The fields of a quota, if answers have them.
    init(quota: QuotaFields? = nil) {
        self.quota = quota
        unsafe text = .allocate(capacity: 2 * Self.textBytes)
    }

    deinit {
        unsafe text.deallocate()
    }

    /// Reads a whole field block.
    /// - Parameters:
    ///   - block: HEADERS and its CONTINUATION.
    ///   - isWanted: True if fields that say nothing are handed out, too.
    ///   - body: Gets each field.
    /// - Returns: The facts about all fields together.
    /// - Throws: A block that cannot be decoded.
    @inline(__always)
    mutating func decode(
        _ block: UnsafeBufferPointer<UInt8>, withOthers isWanted: Bool = false,
        _ body: (AnswerField) -> Void
    ) throws(SessionFault) -> HeaderListFacts {
        var reader = unsafe Reader(block)
        var facts = HeaderListFacts()
        var isBeginning = true
        while let first = reader.peek() {
            if first & 0x80 != 0 {
                // §6.1
                guard let place = table.place(of: try reader.integer(prefix: 7)) else {
                    throw Reader.fault
                }
                facts.count(table.name(at: place).0, bytes: table.size(at: place))
                if isWanted || table.saysSomething(at: place) { body(table.field(at: place)) }
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
                facts.count(field.name, bytes: field.size)
                if isWanted || field.saysSomething { body(field) }
                if isInserted { table.insert(field) }
            }
            isBeginning = false
        }
        return facts
    }

    // Inlined, with what it calls: as calls they would pass the reader and the field through memory.
    @inline(__always)
    private func literal(_ reader: inout Reader, prefix: Int) throws(SessionFault) -> AnswerField {
        let index = try reader.integer(prefix: prefix)
        var name = AnswerField.Name.other
        var nameBytes = 0
        var nameText = unsafe UnsafeBufferPointer<UInt8>.empty
        if index > 0 {
            guard let place = table.place(of: index) else { throw Reader.fault }
            (name, nameBytes) = table.name(at: place)
        } else {
            let string = try unsafe string(&reader, to: text, .name)
            name = unsafe AnswerField.Name(string.kept, isToken: string.isRight)
            if name == .other, let quota {
                name = unsafe AnswerField.Name(string.kept, among: quota)
            }
            nameBytes = string.count
            unsafe nameText = string.kept
        }
        // A length that is read as a number needs no look at its bytes.
        let use: Use = name == .contentLength ? .number : .value
        let value = try unsafe string(&reader, to: text + Self.textBytes, use)
        return unsafe AnswerField(
            name: name, nameBytes: nameBytes, nameText: nameText, nameIndex: index,
            valueBytes: value.count, value: value.kept,
            hasBadValue: !value.isRight)
    }

    /// A name or a value of a literal. §5.2
    @safe
    private struct Text {
        /// Its bytes, if they are not more than are kept.
        var kept: UnsafeBufferPointer<UInt8>
        /// Their number.
        var count: Int
        /// True if HTTP allows them in a name, or in a value.
        var isRight: Bool
    }

    /// The use of a string.
    private enum Use {
        case name
        case value
        /// A value of which only digits are taken.
        case number
    }

    @inline(__always)
    private func string(
        _ reader: inout Reader, to target: UnsafeMutablePointer<UInt8>, _ use: Use
    ) throws(SessionFault) -> Text {
        let isCoded = (reader.peek() ?? 0) & 0x80 != 0
        let count = try reader.integer(prefix: 7)
        let bytes = try unsafe reader.bytes(count)
        let room = AnswerField.valueBytesKept
        guard isCoded else {
            let isRight =
                switch use {
                case .name: unsafe FieldText.isName(bytes)
                case .value: unsafe FieldText.isValue(bytes)
                case .number: true
                }
            return unsafe Text(
                kept: count <= room ? bytes : .empty,
                count: count, isRight: isRight)
        }
        guard let string = unsafe code.decode(bytes, to: target, room: room) else {
            throw Reader.fault
        }
        let isRight: Bool
        switch use {
        case .name:
            isRight = string.count > 0 && string.marks & FieldText.Mark.notInName == 0
        case .value:
            isRight =
                unsafe string.count == 0
                || string.marks & FieldText.Mark.notInValue == 0 && !FieldText.isBlank(target[0])
                    && !FieldText.isBlank(target[min(string.count &- 1, room)])
        case .number:
            isRight = true
        }
        let kept = string.count <= room ? string.count : 0
        return unsafe Text(
            kept: UnsafeBufferPointer(start: target, count: kept), count: string.count,
            isRight: isRight)
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
            unsafe next = start + count
            rest -= count
            return unsafe UnsafeBufferPointer(start: start, count: count)
        }

        private mutating func byte() throws(SessionFault) -> Int {
            guard rest > 0, let start = unsafe next else { throw Self.fault }
            unsafe next = start + 1
            rest -= 1
            return unsafe Int(start.pointee)
        }

        /// Reads an integer that begins with so many bits. §5.1
        @inline(__always)
        mutating func integer(prefix: Int) throws(SessionFault) -> Int {
            let most = 1 << prefix - 1
            let value = try byte() & most
            return value == most ? try integer(from: value) : value
        }

        @inline(__always)
        private mutating func integer(from value: Int) throws(SessionFault) -> Int {
            var value = value
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
