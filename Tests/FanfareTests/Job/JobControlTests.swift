import FanfareBase
import FanfareSystem
import Testing

@testable import Fanfare

/// The words of other workers to the lanes of a job.
@Suite struct JobControlTests {
    /// A process that was stopped goes on in all of its threads at once.
    @Test func `nothing starts after the time that was named last`() {
        let control = JobControl()
        let now = MachineClock.now
        #expect(!control.startsAreOver(now: .distantFuture.advanced(by: .seconds(-1))))
        // The time before has not passed, so no lane rests.
        #expect(!control.mayStart(until: now))
        #expect(!control.startsAreOver(now: now.advanced(byNanoseconds: -1)))
        #expect(control.startsAreOver(now: now))
        // Lanes may have seen it pass, and are to look again.
        let later = now.advanced(by: .seconds(600))
        #expect(control.mayStart(until: later))
        #expect(!control.startsAreOver(now: now.advanced(by: .seconds(599))))
        #expect(!control.mayStart(until: later))
    }
}
