import FanfareBase
import FanfareCore

/// Memory that the connections of a lane work in by turns.
///
/// With memory of its own each of them would find that the others' work has pushed it out of the
/// cache: frames, records and decrypted bytes come to 50 KiB of a connection's burst. Only bytes
/// that the network does not take at once stay with their connection.
final class SharedBuffers {
    /// Behind a pointer, as a connection's own frames are.
    let frames = Pinned(ByteBuffer(capacity: ClientConnection.recordBytes + 1024))
    var ciphertext = ByteBuffer(capacity: ClientConnection.recordBytes + 1024)
    var plaintext = ByteBuffer(capacity: ClientConnection.recordBytes)
}
