/// Bounds of sending windows.
extension Limits {
    /// The most transitions, types or letters of a zone's file that are believed: the largest of the
    /// real ones, Africa/Casablanca, has under 300 of them.
    package static let zoneCountMax = 10_000

    /// The bytes of a zone's file: the largest of the real ones has 4 KiB.
    package static let zoneFileBytesMax = 256 * 1024

    /// The zones that are kept: the system's data has some 600 names.
    package static let zonesMax = 1024

    /// The longest name of a zone; America/Argentina/ComodRivadavia has 32 bytes.
    package static let zoneNameBytesMax = 64

    /// How many edges and jumps of a clock are looked at for the next change of a window.
    ///
    /// Between two edges there is hardly ever more than one jump.
    package static let windowStepsMax = 64

    /// The openings and closings that a plan looks ahead: with one zone 27 years, with all of them a
    /// month.
    package static let windowPlanStepsMax = 20_000
}

extension Limits {
    /// The bytes of waiting rows that are written at once, for each of some forty moments of a day.
    package static let waitingBlockBytes = 64 * 1024

    /// How long the reader sleeps at most before it looks at the clock on the wall again, which may be
    /// set, or go on while the machine sleeps.
    package static let windowLookMax = Duration.seconds(60)
}
