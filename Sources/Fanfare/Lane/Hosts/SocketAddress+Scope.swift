import FanfareCore
import FanfareLoop

extension SocketAddress {
    /// The network that the address is for; `nil` if that is the public Internet.
    var scope: AddressScope? {
        if let ipv4 { return .of(ipv4: ipv4) }
        return ipv6.flatMap(AddressScope.of(ipv6:))
    }
}
