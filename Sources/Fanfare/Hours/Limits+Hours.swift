import FanfareBase

/// Bounds of window.
extension Limits {
    /// The bytes of a zone's file: the largest of the real ones has 4 KiB.
    package static let zoneFileBytesMax = 256 * 1024

    /// The zones that are kept: the system's data has some 600 names.
    package static let zonesMax = 1024

    /// The longest name of a zone; America/Argentina/ComodRivadavia has 32 bytes.
    package static let zoneNameBytesMax = 64

    /// The openings and closings that a plan looks ahead: with one zone 27 years, with all of them a
    /// month.
    package static let hoursPlanStepsMax = 20_000

    /// The bytes of waiting rows that are written at once, for each of some forty moments of a day.
    package static let waitingBlockBytes = 64 * 1024
}
