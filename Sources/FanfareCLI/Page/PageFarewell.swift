package import FanfareBase

/// The time for which a job that has ended stays for the viewers of its page.
///
/// One that asks for the last page gets the time to read it. One that says nothing may read nothing at all, and must not
/// hold up the job's end.
package struct PageFarewell: Equatable, Sendable {
    private let ended: Instant
    /// True if a viewer has asked for the last page.
    package var isAsked = false

    package init(at ended: Instant) { self.ended = ended }

    /// Returns the moment at which to look again; `nil` if no viewer is waited for any longer.
    package func end(at now: Instant) -> Instant? {
        let end = ended.advanced(by: isAsked ? Limits.pageGrace : Limits.pageSilence)
        return now < end ? end : nil
    }
}
