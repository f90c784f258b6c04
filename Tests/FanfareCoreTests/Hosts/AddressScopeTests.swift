import FanfareCore
import Testing

/// Blocks, their first and last addresses, and the neighbors outside are those of IANA's registries of special
/// purposes (IPv4 of 2024-10, IPv6 of 2025-05), and of multicast (RFC 5771, RFC 4291).
@Suite struct AddressScopeTests {
    @Test(
        arguments: [
            ("0.0.0.0/8", 0x0000_0000, 0x00ff_ffff), ("10.0.0.0/8", 0x0a00_0000, 0x0aff_ffff),
            ("100.64.0.0/10", 0x6440_0000, 0x647f_ffff), ("127.0.0.0/8", 0x7f00_0000, 0x7fff_ffff),
            ("168.63.129.16/32", 0xa83f_8110, 0xa83f_8110),
            ("169.254.0.0/16", 0xa9fe_0000, 0xa9fe_ffff),
            ("172.16.0.0/12", 0xac10_0000, 0xac1f_ffff),
            ("192.0.0.0/24", 0xc000_0000, 0xc000_00ff), ("192.0.2.0/24", 0xc000_0200, 0xc000_02ff),
            ("192.88.99.0/24", 0xc058_6300, 0xc058_63ff),
            ("192.168.0.0/16", 0xc0a8_0000, 0xc0a8_ffff),
            ("198.18.0.0/15", 0xc612_0000, 0xc613_ffff),
            ("198.51.100.0/24", 0xc633_6400, 0xc633_64ff),
            ("203.0.113.0/24", 0xcb00_7100, 0xcb00_71ff), ("224.0.0.0/4", 0xe000_0000, 0xefff_ffff),
            ("240.0.0.0/4", 0xf000_0000, 0xffff_ffff),
        ] as [(String, UInt32, UInt32)])
    func `a special block of IPv4 ends where its registry says`(
        block: String, first: UInt32, last: UInt32
    ) {
        #expect(AddressScope.of(ipv4: first)?.block == block)
        #expect(AddressScope.of(ipv4: last)?.block == block)
        if first > 0 { #expect(AddressScope.of(ipv4: first - 1)?.block != block) }
        if last < .max { #expect(AddressScope.of(ipv4: last + 1)?.block != block) }
    }

    /// Public resolvers, the neighbors of private blocks, and two blocks that the registry calls globally
    /// reachable: 192.31.196.0/24 and 192.52.193.0/24.
    @Test(
        arguments: [
            0x0808_0808, 0x0101_0101, 0x0909_0909, 0x0b00_0000, 0x643f_ffff, 0x6480_0000,
            0xac0f_ffff,
            0xac20_0000, 0xc0a9_0000, 0xc611_ffff, 0xc614_0000, 0xc01f_c401, 0xc034_c101,
            0xdfff_ffff,
        ] as [UInt32])
    func `an address of the public Internet has no scope`(address: UInt32) {
        #expect(AddressScope.of(ipv4: address) == nil)
    }

    @Test(
        arguments: [
            ("::/128", 0, 0), ("::1/128", 0, 1), ("::ffff:0:0/96", 0, 0xffff_0808_0808),
            ("::/3", 0, 2), ("64:ff9b:1::/48", 0x0064_ff9b_0001_0000, 1),
            ("100::/64", 0x0100_0000_0000_0000, 0xff), ("2001::/23", 0x2001_0000_0000_0000, 1),
            ("2001::/23", 0x2001_01ff_ffff_ffff, .max), ("2001:db8::/32", 0x2001_0db8_0000_0000, 1),
            ("2002::/16", 0x2002_0808_0808_0000, 1), ("3fff::/20", 0x3fff_0fff_0000_0000, 1),
            ("5f00::/16", 0x5f00_0000_0000_0000, 1), ("fc00::/7", 0xfd00_0000_0000_0000, 1),
            ("fc00::/7", 0xfc00_0000_0000_0000, 0), ("fe80::/10", 0xfe80_0000_0000_0000, 1),
            ("fe80::/10", 0xfebf_ffff_ffff_ffff, .max), ("fec0::/10", 0xfec0_0000_0000_0000, 1),
            ("ff00::/8", 0xff02_0000_0000_0000, 1), ("4000::/2", 0x4000_0000_0000_0000, 1),
            ("8000::/1", 0xabcd_0000_0000_0000, 1),
        ] as [(String, UInt64, UInt64)])
    func `an address of IPv6 outside the public block has a scope`(
        block: String, high: UInt64, low: UInt64
    ) {
        #expect(AddressScope.of(ipv6: UInt128(high) << 64 | UInt128(low))?.block == block)
    }

    /// Public resolvers, the first and the last of 2000::/3 that are neither special nor reserved, and AS112.
    @Test(
        arguments: [
            (0x2001_4860_4860_0000, 0x8888), (0x2606_4700_4700_0000, 0x1111),
            (0x2001_0200_0000_0000, 1),
            (0x2000_0000_0000_0000, 1), (0x3fff_1000_0000_0000, 1), (0x2620_004f_8000_0000, 1),
        ] as [(UInt64, UInt64)])
    func `an address of 2000::/3 has no scope`(high: UInt64, low: UInt64) {
        #expect(AddressScope.of(ipv6: UInt128(high) << 64 | UInt128(low)) == nil)
    }

    /// RFC 6052: 64:ff9b::/96 with the address of IPv4 behind it.
    @Test func `a translated address is judged by the one that it stands for`() {
        func translated(_ address: UInt32) -> UInt128 {
            UInt128(0x0064_ff9b_0000_0000) << 64 | UInt128(address)
        }
        #expect(AddressScope.of(ipv6: translated(0x0808_0808)) == nil)
        #expect(AddressScope.of(ipv6: translated(0x0a00_0001))?.block == "10.0.0.0/8")
        #expect(AddressScope.of(ipv6: translated(0x7f00_0001))?.block == "127.0.0.0/8")
        #expect(AddressScope.of(ipv6: translated(0xa9fe_a9fe))?.block == "169.254.0.0/16")
    }
}
