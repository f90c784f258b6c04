internal import CSimdjson
package import FanfareBase

/// A reader of a few members of one JSON object, which copies nothing but into memory of the
/// caller's.
///
/// It is for texts with secrets in them, and for one thread at a time.
@safe
package struct JSONMembers: ~Copyable {
    private let scanner = JSONScanner()
    private let count: Int

    /// Asks for members.
    /// - Parameter names: Their names, or dotted paths to members of objects in the object.
    package init(_ names: [String]) {
        count = names.count
        for (slot, name) in names.enumerated() { scanner.want(name, slot: slot) }
    }

    /// Finds the members of a text.
    /// - Parameters:
    ///   - text: The object.
    ///   - scratch: As many bytes as the text has; strings with escapes are written there without them.
    /// - Returns: A field for each name; nil if the text is no JSON object. An offset counts from
    ///   the text's beginning; from the text's end on, it goes on in `scratch`.
    package func find(
        in text: UnsafeBufferPointer<UInt8>, scratch: UnsafeMutableBufferPointer<UInt8>
    ) -> [Field]? {
        precondition(scratch.count >= text.count, "BUG: strings without escapes need room")
        guard let start = text.baseAddress, let scratch = scratch.baseAddress else { return nil }
        let missing = fanfare_json_field(start: 0, kind_and_length: 0)
        var fields = [fanfare_json_field](repeating: missing, count: count)
        let fault = unsafe fanfare_json_pick(
            scanner.parser, start, text.count, scratch, &fields, count)
        guard fault.code == UInt32(FANFARE_JSON_OK) else { return nil }
        return fields.map { Field($0) }
    }
}
