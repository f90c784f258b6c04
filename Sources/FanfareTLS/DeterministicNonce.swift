internal import COpenSSL

/// The secret numbers for a signature, made from the key and the message's digest alone.
///
/// The same key signs the same message with the same bytes on each machine, and a weak source of random numbers cannot
/// give the key away. It is for P-256 with SHA-256, whose numbers are as long as their digests.
///
/// RFC 6979 §3.2
@safe
struct DeterministicNonce {
    private var key: Secret
    private var value: [UInt8]

    /// - Parameters:
    ///   - privateKey: The key's number in 32 bytes.
    ///   - digest: The digest modulo the order of the group, in 32 bytes.
    init(privateKey: Secret, digest: [UInt8]) {
        // (b), (c)
        value = Array(repeating: 0x01, count: 32)
        key = Secret(zeros: 32)
        // (d) to (g)
        for tag: UInt8 in [0x00, 0x01] {
            // At once: an array that grows leaves its bytes behind.
            var message: [UInt8] = []
            message.reserveCapacity(value.count + 1 + 2 * 32)
            message += value
            message.append(tag)
            unsafe privateKey.withBytes { unsafe message.append(contentsOf: $0) }
            message += digest
            mix(&message)
        }
    }

    /// Returns the next candidate in 32 bytes, which is to be refused unless it lies between 0 and the order.
    mutating func next() -> Secret {
        // (h)
        turn()
        return Secret(value)
    }

    /// Goes on after a candidate that was refused.
    mutating func refuse() {
        var message = value + [0x00]
        mix(&message)
    }

    /// Wipes what the numbers came from.
    mutating func wipe() { Secret.wipe(&value) }

    private mutating func mix(_ message: inout [UInt8]) {
        var code = HMAC.sha256(message, key: key)
        Secret.wipe(&message)
        key = Secret(wiping: &code)
        turn()
    }

    /// Puts the value's code in its place.
    private mutating func turn() {
        let next = HMAC.sha256(value, key: key)
        wipe()
        value = next
    }
}
