import FanfareBase
import FanfareLoop
import FanfareSystem

/// The names under which the servers of a job may be asked: addresses, names of this machine, and those that were given.
///
/// A browser that shows a page of another site can be led here by a name that its owner has pointed here (DNS
/// rebinding), and then takes what it reads for that site's own. Unlike a name, an address cannot be made to lead
/// elsewhere; and no other owns the names of this machine.
package struct ServerNames: Equatable, Sendable {
    /// The names that the command line gives, behind which a proxy may be.
    private let given: Set<String>
    /// The names of this machine.
    private let own: Set<String>

    /// - Parameters:
    ///   - given: Further names.
    ///   - machine: The machine's name, with a domain or without one; empty if it has none.
    ///   - domains: The domains in which it looks names up.
    package init(given: [String] = [], machine: String = "", domains: [String] = []) {
        self.given = Set(given.map(Self.plain))
        var own: Set = ["localhost"]
        let whole = Self.plain(machine)
        if !whole.isEmpty {
            let label = String(whole.prefix { $0 != "." })
            own.formUnion([whole, label])
            // Multicast DNS (RFC 6762) has the machines of a network in a domain of its own.
            own.formUnion((domains + ["local"]).map { "\(label).\(Self.plain($0))" })
        }
        self.own = own
    }

    /// Returns those of this machine and some more.
    static func ofMachine(given: [String]) -> ServerNames {
        let settings = try? SmallFile.read("/etc/resolv.conf", bytesMax: 64 << 10)
        return ServerNames(
            given: given, machine: Machine.hostName,
            domains: domains(String(decoding: settings ?? [], as: UTF8.self)))
    }

    /// Returns the domains of the resolver's settings, as resolv.conf(5) has them.
    package static func domains(_ settings: String) -> [String] {
        settings.split(whereSeparator: \.isNewline).flatMap { line in
            let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
            return ["search", "domain"].contains(words.first) ? Array(words.dropFirst()) : []
        }
    }

    /// True if a request may name this host, with or without a port; no browser names none.
    package func contain(_ host: String?) -> Bool {
        guard let host, !host.isEmpty else { return true }
        if host.hasPrefix("[") {
            guard let (inside, rest) = String(host.dropFirst()).parts(at: "]") else { return false }
            return (rest.isEmpty || rest.hasPrefix(":"))
                && SocketAddress(inside, port: 0)?.ipv6 != nil
        }
        let name = Self.name(host)
        return own.contains(name) || given.contains(name)
            || SocketAddress(name, port: 0)?.ipv4 != nil
    }

    /// True if this host was given, so that there may be a proxy before the server, with TLS.
    func wereGiven(_ host: String) -> Bool { given.contains(Self.name(host)) }

    /// The reason why a request to another host is refused, and what to do about it; without a full stop.
    package func refusal(of host: String?) -> String {
        let option = "--\(Options.pageHost.name)"
        guard let host, let name = try? ValueReader.serverName(Self.name(host)) else {
            return "this server has no such name; \(option) gives it another one"
        }
        return "this server is not known as \(name); if that is a name of it, give the job "
            + "\(option) \(name)"
    }

    /// A host without its port.
    private static func name(_ host: String) -> String { plain(String(host.prefix { $0 != ":" })) }

    /// A name in lower case, without the dot of the root.
    private static func plain(_ name: String) -> String {
        let name = name.lowercased()
        return name.hasSuffix(".") ? String(name.dropLast()) : name
    }
}
