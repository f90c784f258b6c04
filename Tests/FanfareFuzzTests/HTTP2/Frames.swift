import CNghttp2
import FanfareBase
import FanfareCore

@testable import FanfareHTTP2

extension FuzzTarget {
    /// Frames, however they are cut.
    static let frames = FuzzTarget("frames", bytesMax: 40_000) { bytes throws(Violation) in
        var first: [String]?
        for pieces in Pieces.ways(bytes) {
            var reader = FrameReader()
            var found: [String] = []
            do throws(SessionFault) {
                for piece in pieces {
                    try read(Array(piece), &reader) { frame in
                        found.append("\(frame.header) \(Array(frame.payload))")
                    }
                }
            } catch {
                found.append("\(error)")
            }
            try Violation.check(reader.allocatedBytes < 1 << 16, "too much is kept")
            if let first, first != found { throw Violation("pieces make a difference") }
            first = first ?? found
        }
    }

    private static func read(
        _ piece: [UInt8], _ reader: inout FrameReader, _ each: (Frame) -> Void
    ) throws(SessionFault) {
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: piece.count)
        defer { memory.deallocate() }
        _ = memory.update(fromContentsOf: piece)
        var rest = UnsafeBufferPointer(memory)
        while let frame = try reader.next(&rest) { each(frame) }
    }

    /// Field blocks, each behind a byte with its length, for one connection; nghttp2 must agree.
    static let fields = FuzzTarget("fields") { bytes throws(Violation) in
        var input = InputReader(bytes)
        var decoder = HeaderDecoder()
        let reference = ReferenceInflater()
        while !input.rest.isEmpty {
            let block = input.bytes(input.byte())
            var found: [ReferenceInflater.Field]? = []
            do throws(SessionFault) {
                let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: block.count)
                defer { memory.deallocate() }
                _ = memory.update(fromContentsOf: block)
                _ = try decoder.decode(UnsafeBufferPointer(memory), withOthers: true) { field in
                    let value = ReferenceInflater.isCompared(field.name) ? Array(field.value) : []
                    found?.append(
                        .init(
                            name: field.name, nameBytes: field.nameBytes,
                            valueBytes: field.valueBytes, value: value))
                }
            } catch {
                found = nil
            }
            let expected = reference.decode(block)
            try Violation.check(
                found == expected,
                "\(block): \(String(describing: found)), "
                    + "nghttp2 has \(String(describing: expected))")
            if found == nil { return }
        }
    }
}

/// nghttp2's reader of field blocks, seen as ours.
private final class ReferenceInflater {
    struct Field: Equatable {
        var name: AnswerField.Name
        var nameBytes: Int
        var valueBytes: Int
        /// Of the fields that are looked at, unless it is longer than is kept.
        var value: [UInt8]
    }

    /// True if a field's value is looked at: a malformed name has refused the answer already.
    static func isCompared(_ name: AnswerField.Name) -> Bool {
        name != .other && name != .malformed
    }

    private var inflater: OpaquePointer?

    init() { precondition(nghttp2_hd_inflate_new(&inflater) == 0) }

    deinit { nghttp2_hd_inflate_del(inflater) }

    /// - Returns: The fields; nil if the block cannot be read.
    func decode(_ block: [UInt8]) -> [Field]? {
        var rest = block[...]
        var fields: [Field] = []
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let used = Array(rest).withUnsafeBufferPointer {
                nghttp2_hd_inflate_hd2(inflater, &pair, &flags, $0.baseAddress, $0.count, 1)
            }
            guard used >= 0 else { return nil }
            rest = rest.dropFirst(used)
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 { fields.append(field(pair)) }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
        }
    }

    private func field(_ pair: nghttp2_nv) -> Field {
        let name = UnsafeBufferPointer(start: UnsafePointer(pair.name), count: pair.namelen)
        let known = AnswerField.Name(name, isToken: FieldText.isName(name))
        let isKept = Self.isCompared(known) && pair.valuelen <= AnswerField.valueBytesKept
        return Field(
            name: known, nameBytes: pair.namelen, valueBytes: pair.valuelen,
            value: isKept
                ? Array(UnsafeBufferPointer(start: pair.value, count: pair.valuelen)) : [])
    }
}
