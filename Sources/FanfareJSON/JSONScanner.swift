internal import CSimdjson
import FanfareCore

/// The owner of the C parser, with which all types of this module read JSON.
///
/// The C side changes only memory of its own, so nothing here is `mutating`; one thread at a time
/// may use it.
@safe
struct JSONScanner: ~Copyable {
    let parser: OpaquePointer

    init() {
        unsafe parser = fanfare_json_create()
    }

    deinit {
        unsafe fanfare_json_destroy(parser)
    }

    /// Asks for the value of a key, or of a dotted path of keys, in a slot.
    func want(_ name: String, slot: Int) {
        var name = name
        name.withUTF8 { name in
            unsafe fanfare_json_want(parser, name.baseAddress, name.count, UInt32(slot))
        }
    }

    /// Checks a whole text against RFC 8259.
    func check(_ bytes: UnsafeBufferPointer<UInt8>) -> RowFault {
        guard let start = bytes.baseAddress else { return RowFault(.invalidJSON) }
        return RowFault(unsafe fanfare_json_check(parser, start, bytes.count))
    }
}

extension RowFault {
    init(_ fault: fanfare_json_fault) {
        // A test holds the numbers of both sides against each other.
        self.init(Code(rawValue: UInt8(fault.code)) ?? .invalidJSON, column: Int(fault.column))
    }
}
