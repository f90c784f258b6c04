internal import CSimdjson
package import FanfareBase
package import FanfareCore

/// A check whether a text is JSON, strictly by RFC 8259.
///
/// Each thread has one; it stops allocating after the longest text.
///
/// The whole text is checked: grammar, numbers, escapes, UTF-8. Beyond the RFC's grammar two things are
/// refused that it leaves to implementations: nesting deeper than 1,024, and escapes of one half of
/// a surrogate pair. No byte behind the text is ever read, so it needs no padding.
@safe
package final class JSONValidator {
    private let scanner = JSONScanner()

    package init() {}

    /// True if the bytes are one JSON value of any kind.
    package func isValid(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let code = unsafe scanner.check(bytes).code
        return code == .none || code == .notAnObject
    }

    /// True if the bytes are one JSON object.
    package func isObject(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe scanner.check(bytes).code == .none
    }

    /// Returns the fault of a text that should be an object; the column counts its bytes from 1.
    package func fault(ofObject bytes: UnsafeBufferPointer<UInt8>) -> RowFault {
        unsafe scanner.check(bytes)
    }

    /// Appends a text without the white space between its tokens; false, and nothing, if it is not JSON.
    package func minify(_ bytes: UnsafeBufferPointer<UInt8>, into out: inout ByteBuffer) -> Bool {
        guard let start = bytes.baseAddress, unsafe isValid(bytes) else { return false }
        let count = unsafe fanfare_json_minify(start, bytes.count, out.space(bytes.count))
        out.commit(count)
        return count > 0
    }
}
