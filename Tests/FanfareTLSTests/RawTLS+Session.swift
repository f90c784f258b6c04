import FanfareTLS
import FanfareTestSupport
import Testing

extension RawTLS {
    /// Shakes hands with a session of ours.
    func shake(with session: inout TLSSession) throws {
        var isDone = isServer ? try session.handshake() == .complete : false
        begin()
        for _ in 0..<10 {
            let fromOurs = Dialogue.takeOutgoing(&session)
            if !fromOurs.isEmpty { receive(fromOurs) }
            let bytes = takeOutgoing()
            try bytes.withUnsafeBytes { piece in
                session.feed(piece)
                if !isDone { isDone = try session.handshake() == .complete }
                if isDone { _ = try Dialogue.readAll(&session) }
            }
        }
        #expect(isDone && isOpen)
    }
}
