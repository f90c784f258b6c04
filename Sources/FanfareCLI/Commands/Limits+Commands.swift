import FanfareBase

/// Bounds of commands.
extension Limits {
    /// The largest payload template.
    ///
    /// A payload has at most 5 KiB, so this is a wrong file.
    package static let templateBytesMax = 1024 * 1024

    /// The notifications that the page about a check shows: enough to see whether the values fit.
    static let previewsMax = 5
}
