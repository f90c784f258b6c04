import FanfareBase

/// Bounds of TLS.
extension Limits {
    /// The largest key, certificate or passphrase file that is read; with a chain they have some KiB.
    package static let credentialFileBytesMax = 1024 * 1024

    /// Ciphertext that a TLS session makes without being told to, in answer to the peer alone.
    ///
    /// Some 300 changes of keys (27 bytes each) without data between them, or unsent. An honest peer
    /// changes them every few million records; BoringSSL takes 32.
    package static let unaskedCiphertextBytesMax = 8 * 1024

    /// Sessions kept for resumption per server name.
    ///
    /// A server hands out two tickets a connection and
    /// each is used once, so this serves that many connections that open together.
    package static let resumableSessionsPerName = 16

    /// The number of server names whose sessions are kept; a job talks to one or two.
    package static let resumableNames = 16
}
