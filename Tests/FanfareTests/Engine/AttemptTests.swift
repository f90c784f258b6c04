import FanfareCore
import Testing

@testable import Fanfare

@Suite struct AttemptTests {
    private func attempt(
        _ status: UInt16, _ retry: ResponseClass.Retry,
        connection: ResponseClass.Connection = .keep
    ) -> Attempt {
        var attempt = Attempt()
        attempt.status = status
        attempt.class = ResponseClass(.failed, retry: retry, connection: connection)
        return attempt
    }

    @Test(
        arguments: [
            (299, false), (300, true), (404, true), (407, true), (408, false), (409, true),
            (428, true), (429, false), (430, true), (499, true), (500, false),
        ] as [(UInt16, Bool)])
    func `redirects and statuses 4xx to be sent later are another server's`(
        status: UInt16, isForeign: Bool
    ) {
        #expect(attempt(status, .afterDelay).isForeign == isForeign)
        #expect(!attempt(status, .never).isForeign)
    }

    @Test(
        arguments: [(428, false), (429, true), (430, false), (503, true), (504, false)]
            as [(UInt16, Bool)])
    func `a status for too many requests is an overload, if it is about all devices`(
        status: UInt16, isOverload: Bool
    ) {
        #expect(attempt(status, .afterDelay).isOverload == isOverload)
        #expect(attempt(status, .inDoubt).isOverload == isOverload)
        #expect(!attempt(status, .afterOwnDelay).isOverload)
        #expect(!attempt(status, .afterDelay, connection: .retire).isOverload)
    }

    @Test func `nothing without an answer retires a connection or is throttled`() {
        #expect(attempt(500, .never, connection: .retire).retiresConnection)
        #expect(!attempt(0, .never, connection: .retire).retiresConnection)
        #expect(attempt(503, .afterDelay).isThrottled)
        #expect(attempt(429, .afterOwnDelay).isThrottled)
        #expect(!attempt(0, .afterDelay).isThrottled)
        #expect(!attempt(429, .inDoubt).isThrottled)
    }
}
