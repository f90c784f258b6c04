/// A message of TLS for the time after the handshake, to be cut over records.
package enum CutTicket {
    /// A NewSessionTicket: lifetime, age, nonce, 32 bytes of ticket, no extensions.
    ///
    /// RFC 8446 §4.6.1
    package static let message: [UInt8] = {
        let head: [UInt8] = [4, 0, 0, 46, 0, 0, 28, 32, 1, 2, 3, 4, 1, 0, 0, 32]
        return head + [UInt8](repeating: 7, count: 32) + [0, 0]
    }()

    package static let firstHalf = Array(message[..<25])
    package static let secondHalf = Array(message[25...])
}
