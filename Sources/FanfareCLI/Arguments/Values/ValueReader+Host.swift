import FanfareCore

extension ValueReader {
    /// Reads a host that rows may name: `hooks.example.org`, `.example.org`, `*`, with a port or without.
    package static func allowedHost(_ text: String) throws(ValueFault) -> String {
        guard DeclaredHost(text) != nil else {
            throw ValueFault(
                "is no host; write a name, .example.org for all below it, or *, with a port behind a "
                    + "colon if need be", example: "hooks.example.org")
        }
        return text
    }
}
