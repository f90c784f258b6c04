import FanfareBase

/// Bounds of the page that shows a job while it runs.
extension Limits {
    /// Browsers that watch at once.
    ///
    /// A team has no more, and each one costs a socket and a few KB a second.
    package static let pageViewersMax = 16

    /// The interval between two looks at the job, for all viewers together.
    package static let pageInterval = Duration.seconds(1)

    /// The longest time that a viewer may leave its data unread.
    ///
    /// A browser that has gone to sleep reconnects by itself.
    package static let pageStandstillMax = Duration.seconds(30)

    /// The time without taking a byte after which a viewer gives up its place to another one.
    ///
    /// One that reads over a slow line takes some of what waits within a second.
    package static let pageStandstill = Duration.seconds(3)

    /// The bytes that the kernel is asked to keep for a viewer, of which it makes twice as many.
    ///
    /// One that reads nothing is known when its own kernel and ours take no more: at some KB a second within a
    /// minute. The kernel's own bound is megabytes.
    package static let pageBufferBytes = 16 * 1024

    /// The longest time that a job that has ended waits for its viewers to get its last page.
    ///
    /// A browser fetches 300 KB from its own machine within a tenth of that, also when both are busy.
    package static let pageGrace = Duration.seconds(5)

    /// The longest wait for a viewer of a job that has ended to ask for the last page: a slow way there and back.
    package static let pageSilence = Duration.seconds(2)

    /// The longest order: `rate PROVIDER=N/UNIT` has some 60 bytes.
    package static let pageOrderBytesMax = 256

    /// Events that a page shows, the last ones: some 200 bytes each.
    package static let pageEventsMax = 200

    /// The moments to keep for drawings over time, some 60 bytes each.
    ///
    /// If there are more, every second one goes.
    package static let pageMomentsMax = 600
}
