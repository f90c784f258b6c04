import FanfareBase

/// Bounds of server sessions.
extension Limits {
    /// The memory that a server session takes from the system at a time.
    ///
    /// 64 KiB hold the blocks of about 60 requests in flight, so that a connection reaches its full
    /// width with few steps.
    package static let sessionSlabBytes = 64 * 1024

    /// All memory of nghttp2 in one server session.
    ///
    /// 1,000 requests in flight need about 1 MiB; beyond this bound a peer is making us hold
    /// things, and the session fails with `outOfMemory`.
    package static let sessionBytesMax = 64 * 1024 * 1024

    /// The bytes of a request's body that the server session keeps; APNs allows 5,120.
    package static let requestBodyBytes = 64 * 1024
}
