/// The network that an address is for, where that is not the public Internet.
///
/// A row may name any host, and the host's owner may have its name lead to any address: to a machine behind
/// our firewall, to this one, to the credentials of a cloud. So only addresses of the public Internet are
/// asked. The registries of IANA say which blocks are something else; addresses of IPv6 are public only inside
/// 2000::/3, the one block that is given out.
/// <https://www.iana.org/assignments/iana-ipv4-special-registry>,
/// <https://www.iana.org/assignments/iana-ipv6-special-registry>
package struct AddressScope: Equatable, Sendable {
    /// The block as the registries write it: `10.0.0.0/8`.
    package let block: String
    /// The purpose of the block, as a phrase that follows "an address": `of a private network`.
    package let text: String

    /// Finds the scope of an address of IPv4.
    /// - Parameter address: Its 32 bits; the first byte is the highest.
    /// - Returns: The scope; `nil` for one of the public Internet.
    package static func of(ipv4 address: UInt32) -> AddressScope? {
        ipv4.first { $0.holds(address) }?.scope
    }

    /// Finds the scope of an address of IPv6.
    ///
    /// An address that stands for one of IPv4 is judged by that one: in a network with IPv6 alone the
    /// resolver gives such addresses for all hosts that have none of IPv6 (RFC 6052, RFC 6147).
    /// - Parameter address: Its 128 bits; the first byte is the highest.
    /// - Returns: The scope; `nil` for one of the public Internet.
    package static func of(ipv6 address: UInt128) -> AddressScope? {
        if address >> 32 == translated { return of(ipv4: UInt32(truncatingIfNeeded: address)) }
        return ipv6.first { $0.holds(address) }?.scope
    }

    /// A block of addresses.
    private struct Block<Number: FixedWidthInteger & Sendable>: Sendable {
        let first: Number
        let bits: Int
        let scope: AddressScope

        init(_ first: Number, _ bits: Int, _ block: String, _ text: String) {
            self.first = first
            self.bits = bits
            scope = AddressScope(block: block, text: text)
        }

        func holds(_ address: Number) -> Bool {
            let rest = Number.bitWidth - bits
            return rest == Number.bitWidth || address >> rest == first >> rest
        }
    }

    /// The first 96 bits of `64:ff9b::/96`.
    private static let translated: UInt128 = 0x64_ff9b_0000_0000_0000_0000

    private static let ipv4: [Block<UInt32>] = [
        Block(0x0000_0000, 8, "0.0.0.0/8", "of this machine (RFC 791)"),
        Block(0x0a00_0000, 8, "10.0.0.0/8", "of a private network (RFC 1918)"),
        Block(0x6440_0000, 10, "100.64.0.0/10", "of a provider's own network (RFC 6598)"),
        Block(0x7f00_0000, 8, "127.0.0.0/8", "of this machine (RFC 1122)"),
        // Azure's machines have their credentials and settings from it, though its block is a public one.
        Block(0xa83f_8110, 32, "168.63.129.16/32", "of a cloud's own services (Azure)"),
        Block(0xa9fe_0000, 16, "169.254.0.0/16", "of this network link (RFC 3927)"),
        Block(0xac10_0000, 12, "172.16.0.0/12", "of a private network (RFC 1918)"),
        Block(0xc000_0000, 24, "192.0.0.0/24", "for protocols (RFC 6890)"),
        Block(0xc000_0200, 24, "192.0.2.0/24", "for documents (RFC 5737)"),
        Block(0xc058_6300, 24, "192.88.99.0/24", "of relays to IPv6 (RFC 7526)"),
        Block(0xc0a8_0000, 16, "192.168.0.0/16", "of a private network (RFC 1918)"),
        Block(0xc612_0000, 15, "198.18.0.0/15", "for measurements (RFC 2544)"),
        Block(0xc633_6400, 24, "198.51.100.0/24", "for documents (RFC 5737)"),
        Block(0xcb00_7100, 24, "203.0.113.0/24", "for documents (RFC 5737)"),
        Block(0xe000_0000, 4, "224.0.0.0/4", "of many machines at once (RFC 5771)"),
        Block(0xf000_0000, 4, "240.0.0.0/4", "that is reserved (RFC 1112)"),
    ]

    private static func wide(
        _ first: UInt64, _ bits: Int, _ block: String, _ text: String
    ) -> Block<UInt128> {
        Block(UInt128(first) << 64, bits, block, text)
    }

    /// The last block has everything that the ones before it and the public Internet leave over.
    private static let ipv6: [Block<UInt128>] = [
        Block(0, 128, "::/128", "of this machine (RFC 4291)"),
        Block(1, 128, "::1/128", "of this machine (RFC 4291)"),
        Block(
            0xffff_0000_0000, 96, "::ffff:0:0/96", "that stands for one of IPv4 (RFC 4291)"),
        wide(0x0064_ff9b_0001_0000, 48, "64:ff9b:1::/48", "of a translator's own (RFC 8215)"),
        wide(0x0100_0000_0000_0000, 64, "100::/64", "whose packets are dropped (RFC 6666)"),
        wide(0x2001_0000_0000_0000, 23, "2001::/23", "for protocols (RFC 2928)"),
        wide(0x2001_0db8_0000_0000, 32, "2001:db8::/32", "for documents (RFC 3849)"),
        wide(0x2002_0000_0000_0000, 16, "2002::/16", "of relays from IPv4 (RFC 3056)"),
        wide(0x3fff_0000_0000_0000, 20, "3fff::/20", "for documents (RFC 9637)"),
        wide(0x5f00_0000_0000_0000, 16, "5f00::/16", "of segment routing (RFC 9602)"),
        wide(0xfc00_0000_0000_0000, 7, "fc00::/7", "of a private network (RFC 4193)"),
        wide(0xfe80_0000_0000_0000, 10, "fe80::/10", "of this network link (RFC 4291)"),
        wide(0xfec0_0000_0000_0000, 10, "fec0::/10", "of a private network (RFC 3879)"),
        wide(0xff00_0000_0000_0000, 8, "ff00::/8", "of many machines at once (RFC 4291)"),
        wide(0x0000_0000_0000_0000, 3, "::/3", "that is not given out (RFC 4291)"),
        wide(0x4000_0000_0000_0000, 2, "4000::/2", "that is not given out (RFC 4291)"),
        wide(0x8000_0000_0000_0000, 1, "8000::/1", "that is not given out (RFC 4291)"),
    ]
}
