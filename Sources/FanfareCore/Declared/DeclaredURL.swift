import FanfareBase

/// A URL that a description, a setting or a row names, as far as it may be asked.
///
/// URLs of rows come from the input, which may be hostile: they lead to hosts that were allowed,
/// and never to an address in place of a name. The code that connects checks where a name leads to.
package struct DeclaredURL: Equatable, Sendable {
    /// The reason why a URL is not asked.
    package enum Fault: Error, Equatable, Sendable {
        case malformed
        case tooLong
        /// Only this machine may be asked in the clear.
        case notEncrypted
        case user
        case fragment
        /// There is a path where only scheme, host and port may be.
        case path
        /// An address in place of a name, or the name of this machine.
        case address
        case otherHost(String)
        case otherPort(UInt16)

        /// The fault, as a phrase that follows the URL.
        package var text: String {
            switch self {
            case .malformed: "is no URL"
            case .tooLong: "is longer than \(DeclaredURL.bytesMax) bytes"
            case .notEncrypted: "is not https"
            case .user: "has a user's name or a password"
            case .fragment: "has a fragment"
            case .path:
                "has a path, where only scheme, host and port may stand; a service below a path needs a "
                    + "description of its own, with that path in its request"
            case .address: "has an address in place of a host's name"
            case .otherHost(let host): "names the host \(host), which is not allowed"
            case .otherPort(let port): "names the port \(port), which is not allowed"
            }
        }
    }

    /// The longest URL of a row.
    package static let bytesMax = 2048

    package var isSecure: Bool
    /// The host in small letters; an IPv6 address without brackets.
    package var host: String
    package var port: UInt16
    /// The path with the query; `/` if there is none.
    package var path: String

    /// `:authority`: the port is left out where it is the scheme's own.
    package var authority: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// Scheme, host and port.
    package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// Reads the origin to which all requests of a job go: `https://api.example.com`.
    /// - Parameter text: The URL; a lone slash at its end has no meaning.
    /// - Throws: The reason why it is not asked.
    package init(origin text: String) throws(Fault) {
        try self.init(text: text)
        guard path == "/", !text.utf8.contains(UInt8(ascii: "?")) else { throw .path }
        guard isSecure || isThisMachine else { throw .notEncrypted }
    }

    /// Reads the address of a service that is asked besides: `https://auth.example.com/token`.
    /// - Parameter text: The URL.
    /// - Throws: The reason why it is not asked.
    package init(service text: String) throws(Fault) {
        try self.init(text: text)
        guard isSecure || isThisMachine else { throw .notEncrypted }
    }

    /// Reads the URL of a row.
    /// - Parameters:
    ///   - text: The URL.
    ///   - hosts: The hosts that a row may name.
    /// - Throws: The reason why it is not asked.
    package init(row text: String, hosts: RowHosts) throws(Fault) {
        try self.init(text: text)
        let isPrivateAllowed = hosts.allowsPrivate(self)
        guard isSecure || isThisMachine && isPrivateAllowed else { throw .notEncrypted }
        guard isPrivateAllowed || !isAddress && !isThisMachine else { throw .address }
        let fitting = hosts.list.filter { $0.fits(host: host) }
        guard !fitting.isEmpty else { throw .otherHost(host) }
        guard fitting.contains(where: { $0.fits(port: port, isSecure: isSecure) }) else {
            throw .otherPort(port)
        }
    }

    private init(text: String) throws(Fault) {
        guard text.utf8.count <= Self.bytesMax else { throw .tooLong }
        guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\\\"<>^`{|}".utf8.contains($0) })
        else { throw .malformed }
        guard let (scheme, rest) = text.parts(at: "://") else { throw .malformed }
        switch scheme.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .malformed
        }
        guard !rest.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        let authority = String(rest.prefix { $0 != "/" && $0 != "?" })
        let path = String(rest.dropFirst(authority.count))
        self.path = path.hasPrefix("/") ? path : "/" + path
        guard !authority.utf8.contains(UInt8(ascii: "@")) else { throw .user }
        (host, port) = try Self.hostAndPort(authority, usual: isSecure ? 443 : 80)
    }

    private static func hostAndPort(
        _ authority: String, usual: UInt16
    ) throws(Fault) -> (String, UInt16) {
        guard let parts = AuthorityText(authority) else { throw .malformed }
        let (host, port) = (parts.host, parts.port ?? usual)
        if parts.isBracketed {
            guard host.contains(":"),
                host.utf8.allSatisfy({
                    HeaderRules.isHexadecimalDigit($0) || ":.".utf8.contains($0)
                })
            else { throw .malformed }
            return (host.lowercased(), port)
        }
        guard DeclaredHost.isName(String(host)) else { throw .malformed }
        return (host.lowercased(), port)
    }

    /// True if the host is an address, in any way of writing one.
    ///
    /// Browsers read `2130706433` and `0x7f.1` as addresses, too.
    var isAddress: Bool {
        guard !host.contains(":") else { return true }
        let last = host.split(separator: ".").last ?? ""
        let isNumber = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return isNumber || last.hasPrefix("0x")
    }

    /// True if the address is that of this machine.
    package var isThisMachine: Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}

/// A host that rows may name: `example.org`, `.example.org` for all below it, or `*`; a port may follow.
package struct DeclaredHost: Equatable, Sendable {
    private enum Ports: Equatable, Sendable {
        /// The scheme's own.
        case usual
        case one(UInt16)
        case any
    }

    /// The text as it was written.
    package let text: String
    private let host: String
    private let ports: Ports

    /// Reads a host; nil if a text is none.
    package init?(_ text: String) {
        self.text = text
        var host = text.lowercased()
        var ports = Ports.usual
        let isBare = host.hasPrefix("[") ? host.hasSuffix("]") : !host.contains(":")
        if !isBare {
            guard let colon = host.lastIndex(of: ":") else { return nil }
            let port = host[host.index(after: colon)...]
            if port == "*" {
                ports = .any
            } else {
                guard let number = UInt16(port), number > 0 else { return nil }
                ports = .one(number)
            }
            host = String(host[..<colon])
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = String(host.dropFirst().dropLast())
            guard host.contains(":") else { return nil }
        } else if host != "*" {
            guard Self.isName(host.hasPrefix(".") ? String(host.dropFirst()) : host) else {
                return nil
            }
        }
        self.host = host
        self.ports = ports
    }

    /// True if a text can be the name of a host, or an IPv4 address.
    static func isName(_ text: String) -> Bool {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        return labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { byte in
                    byte &- 48 < 10 || (byte | 0x20) &- 97 < 26 || byte == UInt8(ascii: "-")
                        || byte == UInt8(ascii: "_")
                }
        }
    }

    /// True if it stands for hosts of many owners: all there are, or all below a domain of the highest level,
    /// such as `.com`.
    ///
    /// The hosts below any other name are taken for those of its owner.
    package var isOfMany: Bool {
        host == "*" || host.hasPrefix(".") && !host.dropFirst().utf8.contains(UInt8(ascii: "."))
    }

    /// True if it is exactly the host of a URL, and not one of many.
    func names(_ url: DeclaredURL) -> Bool {
        host == url.host && fits(port: url.port, isSecure: url.isSecure)
    }

    func fits(host other: String) -> Bool {
        if host == "*" { return true }
        // `.example.org` fits what ends with it, and not `example.org` itself.
        return host.hasPrefix(".") ? other.hasSuffix(host) : other == host
    }

    func fits(port: UInt16, isSecure: Bool) -> Bool {
        switch ports {
        case .usual: port == (isSecure ? 443 : 80)
        case .one(let one): port == one
        case .any: true
        }
    }
}
