import FanfareCore
import FanfareTLS

/// One tunnel through a proxy while it is being opened: the rest of the request, and the answer so
/// far.
struct Tunnel {
    let settings: TunnelSettings
    private var answer = ProxyAnswer()
    /// The bytes of the request that have been taken.
    private var sent = 0

    init(_ settings: TunnelSettings) {
        self.settings = settings
    }

    /// Sends the request, or the rest of it.
    mutating func ask(_ send: (UnsafeRawBufferPointer) -> Int) {
        sent += unsafe settings.request.withBytes { bytes in
            unsafe send(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[sent...])))
        }
    }

    enum Progress {
        case waits
        /// The rest of the bytes, from this one on, come from the provider.
        case opened(byteCount: Int)
        case failed(ConnectionFailure)
    }

    mutating func received(_ bytes: UnsafeRawBufferPointer) -> Progress {
        switch unsafe answer.add(bytes) {
        case .incomplete:
            return .waits
        case .opened(let count):
            return .opened(byteCount: count)
        case .refused(let refusal):
            let text = refusal.text(
                proxy: settings.proxy.name, target: settings.target,
                isAuthenticated: settings.isAuthenticated)
            return .failed(refusal.isPermanent ? .permanent(text) : .transient(text))
        }
    }
}
