import FanfareBase
import FanfareJSON
import FanfareTLS

/// Members of a JSON object that has secrets in it, in memory that is wiped.
struct SecretMembers {
    /// The text, and behind it the strings that had escapes.
    private let whole: Secret
    private let fields: [String: Field]

    /// Finds members; nil if the text is no JSON object.
    /// - Parameters:
    ///   - text: The object.
    ///   - names: The members' names, or dotted paths.
    init?(_ text: UnsafeBufferPointer<UInt8>, _ names: [String]) {
        var bytes = [UInt8](repeating: 0, count: text.count * 2)
        let found = unsafe bytes.withUnsafeMutableBufferPointer { space -> [Field]? in
            let (copy, scratch) = unsafe (
                UnsafeMutableBufferPointer(rebasing: space[..<text.count]),
                UnsafeMutableBufferPointer(rebasing: space[text.count...])
            )
            _ = unsafe copy.update(from: text)
            return unsafe JSONMembers(names).find(
                in: UnsafeBufferPointer(copy), scratch: scratch)
        }
        whole = Secret(wiping: &bytes)
        guard let found else { return nil }
        fields = Dictionary(zip(names, found)) { first, _ in first }
    }

    /// Returns true if the object has a member of any kind; `null` counts as missing.
    func has(_ name: String) -> Bool { fields[name]?.isMissing == false }

    /// A string as it is; `nil` if there is none, or something else.
    func secret(_ name: String) -> Secret? {
        guard let field = fields[name], field.kind == .text else { return nil }
        return unsafe whole.withBytes { unsafe Secret(Self.slice($0, field)) }
    }

    /// A string that is no secret.
    func string(_ name: String) -> String? {
        guard let field = fields[name], field.kind == .text else { return nil }
        return unsafe whole.withBytes {
            unsafe String(decoding: Self.slice($0, field), as: UTF8.self)
        }
    }

    /// A whole number, or a string of digits.
    func integer(_ name: String) -> Int64? {
        guard let field = fields[name], field.kind == .json || field.kind == .text else {
            return nil
        }
        return unsafe whole.withBytes {
            unsafe Int64(String(decoding: Self.slice($0, field), as: UTF8.self))
        }
    }

    private static func slice(
        _ bytes: UnsafeBufferPointer<UInt8>, _ field: Field
    ) -> UnsafeBufferPointer<UInt8> {
        unsafe UnsafeBufferPointer(rebasing: bytes[field.offset..<field.offset + field.length])
    }
}
