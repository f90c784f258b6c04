import FanfareBase
import FanfareCore
import Testing

@Suite struct NoticePolicyTests {
    @Test(arguments: [200, 202, 204, 299] as [UInt16])
    func `what the receiver takes is done`(status: UInt16) {
        #expect(
            NoticePolicy.action(after: 1, .answered(status: status, retryAfter: nil)) == .done)
    }

    // Of Standard Webhooks: 410 says that the receiver wants no more, redirects are not followed.
    @Test(arguments: [301, 400, 401, 403, 404, 410, 422] as [UInt16])
    func `a refusal is not asked again`(status: UInt16) {
        #expect(
            NoticePolicy.action(after: 1, .answered(status: status, retryAfter: .seconds(1)))
                == .giveUp)
    }

    @Test(arguments: [408, 429, 500, 502, 503, 504] as [UInt16])
    func `an answer that passes is asked again, up to three times`(status: UInt16) {
        let answer = NoticePolicy.Try.answered(status: status, retryAfter: nil)
        #expect(NoticePolicy.action(after: 1, answer) == .again(after: .seconds(1)))
        #expect(NoticePolicy.action(after: 2, answer) == .again(after: .seconds(4)))
        #expect(NoticePolicy.action(after: 3, answer) == .giveUp)
    }

    @Test func `a broken connection is asked again, a bad certificate is not`() {
        #expect(
            NoticePolicy.action(after: 1, .failed(isPermanent: false)) == .again(after: .seconds(1))
        )
        #expect(NoticePolicy.action(after: 1, .failed(isPermanent: true)) == .giveUp)
    }

    @Test(arguments: [
        (Duration.seconds(7), Duration.seconds(7)), (.seconds(3600), .seconds(30)),
        (.zero, .seconds(1)),
    ])
    func `a wish for a wait is kept within bounds`(wish: Duration, wait: Duration) {
        let answer = NoticePolicy.Try.answered(status: 429, retryAfter: wish)
        #expect(NoticePolicy.action(after: 1, answer) == .again(after: wait))
    }
}
