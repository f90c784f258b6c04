import CNghttp2
import FanfareBase

/// nghttp2's decoder for the field blocks of one side.
final class FieldDecoder {
    struct Field: Hashable {
        var nameBytes: [UInt8]
        var valueBytes: [UInt8]
        /// True if a proxy may put it into a table. RFC 7541 §6.2.3
        var isSecret = false

        var name: String { String(decoding: nameBytes, as: UTF8.self) }
        var value: String { String(decoding: valueBytes, as: UTF8.self) }
    }

    private var inflater: OpaquePointer?

    init() {
        precondition(nghttp2_hd_inflate_new(&inflater) == 0)
    }

    deinit {
        nghttp2_hd_inflate_del(inflater)
    }

    /// The entries of the static and the dynamic table.
    var tableEntries: Int { nghttp2_hd_inflate_get_num_table_entries(inflater) }

    /// The size of the dynamic table, as RFC 7541 §4.1 counts it.
    var tableBytes: Int { nghttp2_hd_inflate_get_dynamic_table_size(inflater) }

    /// The limit that the other side has acknowledged.
    func setTableLimit(_ bytes: UInt32) {
        precondition(nghttp2_hd_inflate_change_table_size(inflater, Int(bytes)) == 0)
    }

    /// Decodes a whole field block, nil if it cannot be.
    func decode(_ block: [UInt8]) -> [Field]? {
        var rest = block[...]
        var fields: [Field] = []
        while true {
            var pair = nghttp2_nv()
            var flags: Int32 = 0
            let used = Array(rest).withUnsafeBufferPointer { bytes in
                nghttp2_hd_inflate_hd2(
                    inflater, &pair, &flags, bytes.baseAddress, bytes.count, 1)
            }
            guard used >= 0 else { return nil }
            rest = rest.dropFirst(used)
            if flags & Int32(NGHTTP2_HD_INFLATE_EMIT.rawValue) != 0 {
                fields.append(
                    Field(
                        nameBytes: Self.bytes(pair.name, pair.namelen),
                        valueBytes: Self.bytes(pair.value, pair.valuelen),
                        isSecret: pair.flags & UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) != 0))
            }
            if flags & Int32(NGHTTP2_HD_INFLATE_FINAL.rawValue) != 0 {
                nghttp2_hd_inflate_end_headers(inflater)
                return fields
            }
        }
    }

    private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
        Array(UnsafeBufferPointer(start: start, count: count))
    }
}
