import FanfareBase

/// Bounds of sending windows.
extension Limits {
    /// The most transitions, types or letters of a zone's file that are believed: the largest of the
    /// real ones, Africa/Casablanca, has under 300 of them.
    package static let zoneCountMax = 10_000

    /// How many edges and jumps of a clock are looked at for the next change of a window.
    ///
    /// Between two edges there is hardly ever more than one jump.
    package static let windowStepsMax = 64
}
