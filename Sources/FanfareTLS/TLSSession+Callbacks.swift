internal import COpenSSL
import FanfareBase
import Glibc

/// The two directions of one connection's ciphertext, at a fixed address for OpenSSL's BIO.
@safe
struct Wire: ~Copyable {
    /// Bytes of the owner's that are not read yet; its memory, borrowed between `feed` and the end of
    /// reading.
    var borrowed = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// Bytes for the network.
    var outgoing = ByteBuffer(capacity: 1024)
    /// Bytes for the network that OpenSSL has made without being asked to `write`, in answer to the peer:
    /// new keys, refusals to renegotiate.
    ///
    /// They count since data last arrived, with those that waited then.
    var unasked = 0
    /// True if the server has asked for a client's certificate.
    var wasAskedForCertificate = false
    /// Sessions that have arrived and that the context does not have yet.
    var newSessions: [ResumableSession] = []

    /// Looks whether the peer makes OpenSSL answer without end: in memory, if it does not read the
    /// answers, and in time, if it has nothing else to say.
    mutating func isUnaskedBounded(afterData: Bool) -> Bool {
        guard unasked > 0 else { return true }
        if afterData { unasked = min(unasked, outgoing.count) }
        return unasked <= Limits.unaskedCiphertextBytesMax
    }

    /// Copies the bytes that are there.
    mutating func take(into target: UnsafeMutableRawPointer, count: Int) -> Int {
        guard let source = unsafe borrowed.baseAddress, unsafe !borrowed.isEmpty else { return 0 }
        let taken = unsafe min(count, borrowed.count)
        unsafe target.copyMemory(from: source, byteCount: taken)
        unsafe borrowed = UnsafeRawBufferPointer(rebasing: borrowed[taken...])
        return taken
    }
}

// All functions that OpenSSL calls. They record and never call out.

/// The table of functions of our BIO.
///
/// Read-only after it was made: hence safe to share.
@safe
struct WireMethod: @unchecked Sendable {
    let handle: OpaquePointer?

    fileprivate init() {
        unsafe handle = BIO_meth_new(
            BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "fanfare wire")
        unsafe BIO_meth_set_read(handle, readFromWire)
        unsafe BIO_meth_set_write(handle, writeToWire)
        // OpenSSL insists on being able to flush; nothing else that it may ask has an answer here.
        unsafe BIO_meth_set_ctrl(handle) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    }
}

/// Made once for the process and never freed.
let wireMethod = WireMethod()

private func readFromWire(
    bio: OpaquePointer?, target: UnsafeMutablePointer<CChar>?, count: Int32
) -> Int32 {
    unsafe fanfare_BIO_clear_retry_flags(bio)
    guard let target = unsafe target, count > 0 else { return 0 }
    let taken = unsafe Pinned<Wire>.withValue(behind: BIO_get_data(bio)) {
        unsafe $0.take(into: target, count: Int(count))
    }
    if taken > 0 { return Int32(taken) }
    unsafe fanfare_BIO_set_retry_read(bio)
    return -1
}

private func writeToWire(
    bio: OpaquePointer?, source: UnsafePointer<CChar>?, count: Int32
) -> Int32 {
    unsafe fanfare_BIO_clear_retry_flags(bio)
    guard let source = unsafe source, count > 0 else { return 0 }
    let bytes = unsafe UnsafeRawBufferPointer(start: source, count: Int(count))
    unsafe Pinned<Wire>.withValue(behind: BIO_get_data(bio)) {
        unsafe $0.outgoing.append(bytes.assumingMemoryBound(to: UInt8.self))
        $0.unasked += bytes.count
    }
    return count
}

/// Takes over a session that can be resumed; 1 says that its reference is now ours.
func keepNewSession(ssl: OpaquePointer?, session: OpaquePointer?) -> Int32 {
    guard let session = unsafe session, let userData = unsafe SSL_get_ex_data(ssl, 0) else {
        return 0
    }
    unsafe Pinned<Wire>.withValue(behind: userData) {
        unsafe $0.newSessions.append(ResumableSession(takingOwnershipOf: session))
    }
    return 1
}

/// Notes that the server asks for a certificate; 1 tells OpenSSL to go on with the present one, if any.
func noteCertificateRequest(ssl: OpaquePointer?, argument: UnsafeMutableRawPointer?) -> Int32 {
    guard let userData = unsafe SSL_get_ex_data(ssl, 0) else { return 1 }
    unsafe Pinned<Wire>.withValue(behind: userData) { $0.wasAskedForCertificate = true }
    return 1
}

/// Selects the server's one protocol, whose wire form is the argument, or ends the handshake with
/// no_application_protocol.
///
/// RFC 7301 §3.2
func selectProtocol(
    ssl: OpaquePointer?, selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    selectedCount: UnsafeMutablePointer<UInt8>?, offered: UnsafePointer<UInt8>?,
    offeredCount: UInt32, argument: UnsafeMutableRawPointer?
) -> Int32 {
    guard let wire = unsafe argument?.assumingMemoryBound(to: UInt8.self),
        let offered = unsafe offered
    else {
        return SSL_TLSEXT_ERR_ALERT_FATAL
    }
    // OpenSSL has checked that the offered list is well formed before it calls.
    var place = 0
    while place < Int(offeredCount) {
        let count = unsafe Int(offered[place])
        if unsafe memcmp(offered + place, wire, min(count, Int(wire[0])) + 1) == 0 {
            unsafe selected?.pointee = offered + place + 1
            unsafe selectedCount?.pointee = offered[place]
            return SSL_TLSEXT_ERR_OK
        }
        place += count + 1
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}

/// Accepts every certificate of a client, from any issuer.
func acceptAnyCertificate(isGood: Int32, store: OpaquePointer?) -> Int32 { 1 }
