import FanfareLoop

/// The hosts that need no proxy, as `no_proxy` has them.
///
/// The rules are curl's: words between commas or spaces. `*` is every host; a name, with or without a
/// point before it, is that host and all below it; an address is itself, with `/8` its network. A
/// port behind it makes the word hold for that port alone.
package struct NoProxyList {
    private let words: [Substring]

    package init(_ text: String) {
        words = text.split { $0 == "," || $0 == " " || $0 == "\t" }
    }

    package func contains(_ host: String, port: UInt16) -> Bool {
        words.contains { Self.matches(String($0), host, port) }
    }

    private static func matches(_ word: String, _ host: String, _ port: UInt16) -> Bool {
        if word == "*" { return true }
        if let address = SocketAddress(host, port: 0) {
            return matches(word, address, port)
        }
        var name = word
        if let colon = name.lastIndex(of: ":") {
            guard UInt16(name[name.index(after: colon)...]) == port else { return false }
            name = String(name[..<colon])
        }
        // Some users write it so for the names below a name.
        if name.hasPrefix("*.") { name.removeFirst() }
        if name.hasPrefix(".") { name.removeFirst() }
        let pattern = canonical(name)
        let host = canonical(host)
        return !pattern.isEmpty && (host == pattern || host.hasSuffix("." + pattern))
    }

    /// Names have no case, and a point at their end says nothing here.
    private static func canonical(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }

    /// The same for an address, whose own port says nothing.
    private static func matches(_ word: String, _ address: SocketAddress, _ port: UInt16) -> Bool {
        var text = word
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest == ":\(port)" else { return false }
            text = String(text[text.index(after: text.startIndex)..<end])
        } else if let colon = text.firstIndex(of: ":"), colon == text.lastIndex(of: ":") {
            guard UInt16(text[text.index(after: colon)...]) == port else { return false }
            text = String(text[..<colon])
        }
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let other = SocketAddress(String(first), port: 0) else {
            return false
        }
        guard parts.count == 2 else { return other == address }
        guard let bits = Int(parts[1]) else { return false }
        return address.matches(other, bits: bits)
    }
}
