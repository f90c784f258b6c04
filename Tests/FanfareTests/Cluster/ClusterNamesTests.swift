import FanfareCore
import Testing

@testable import Fanfare

/// The words by which commands call the workers of a job.
@Suite struct ClusterNamesTests {
    private func names(_ names: String...) -> ClusterNames {
        ClusterNames(names.enumerated().map { (WorkerID(bits: UInt128($0 + 1)), $1) })
    }

    @Test func `a name that several have gets the number of the worker`() {
        #expect(names("a", "b", "a", "").labels == ["a#1", "b", "a#3", "#4"])
    }

    @Test func `a worker is found by each of its words`() throws {
        let found = names("a", "b", "a")
        #expect(try found.place(of: "b", in: "july") == 1)
        #expect(try found.place(of: "a#3", in: "july") == 2)
        #expect(try found.place(of: "00000000-0000-0000-0000-000000000001", in: "july") == 0)
    }

    @Test func `a word that fits none or several is refused with those that fit one`() {
        let several = #expect(throws: FanfareError.self) {
            try names("a", "b", "a").place(of: "a", in: "july")
        }
        #expect(
            several?.message == "2 workers of july are called a; name one of them: a#1, a#3")
        let none = #expect(throws: FanfareError.self) {
            try names("a").place(of: "x", in: "july")
        }
        #expect(none?.message == "july has no worker x; fanfare cluster status names them")
        // One that has the word of another one for its name.
        let same = #expect(throws: FanfareError.self) {
            try names("a", "a", "a#2").place(of: "a#2", in: "july")
        }
        #expect(
            same?.message
                == "2 workers of july are called a#2; name one of them: 00000000-0000-0000-0000-000000000002, "
                + "00000000-0000-0000-0000-000000000003")
    }
}
