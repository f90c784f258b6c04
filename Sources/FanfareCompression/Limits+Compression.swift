import FanfareBase

/// Bounds of compressed files.
extension Limits {
    /// The largest window of a zstd frame, as a power of two: 128 MiB.
    ///
    /// `zstd -d` takes as much unless it is told more, so level 22 is read and `--long=31` is not.
    /// Level 3 needs 2 MiB, level 19 8 MiB. gzip's window has 32 KiB always.
    package static let zstdWindowLogMax = 27
}
