import FanfareCore
import Testing

@Suite struct FirstAnswersTests {
    private func stops(_ jobs: [ResponseClass.Job]) -> [Bool] {
        var answers = FirstAnswers()
        return jobs.map { answers.heard($0) }
    }

    @Test func `twenty answers that blame the job stop it, once`() {
        let stops = stops(Array(repeating: .stopAtStart, count: 40))
        #expect(stops.firstIndex(of: true) == 19)
        #expect(stops.count { $0 } == 1)
    }

    @Test(arguments: [0, 1, 19])
    func `one that does not lets it go on for good`(before: Int) {
        let many = Array(repeating: ResponseClass.Job.stopAtStart, count: 40)
        #expect(!stops(many.prefix(before) + [.goOn] + many).contains(true))
    }
}
