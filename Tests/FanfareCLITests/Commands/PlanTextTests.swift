import Testing

@testable import FanfareCLI

/// The last line of a check about a job with hours or an end.
@Suite struct PlanTextTests {
    @Test func `the end and the rows that do not fit are one sentence`() {
        #expect(PlanText.text(end: nil, unsent: []) == nil)
        #expect(
            PlanText.text(end: "Sunday 11:42", unsent: [])
                == "done about Sunday 11:42 here, at that rate")
        #expect(
            PlanText.text(
                end: "Sunday 11:42", unsent: [("America/Los_Angeles", 2100)])
                == "done about Sunday 11:42 here, at that rate; 2,100 rows of America/Los_Angeles "
                + "do not fit")
        #expect(
            PlanText.text(end: nil, unsent: [("UTC", 1)])
                == "1 row of UTC does not fit")
    }

    @Test func `rows of a job without hours have no zone`() {
        #expect(
            PlanText.text(end: "Sunday 11:42", unsent: [("", 2100)])
                == "done about Sunday 11:42 here, at that rate; 2,100 rows do not fit")
    }

    @Test func `the zones with most rows are named, the others counted`() {
        let zones: [(zone: String, rows: UInt64)] = [
            ("A", 1), ("B", 5), ("C", 3), ("D", 2), ("E", 5),
        ]
        #expect(
            PlanText.text(end: nil, unsent: zones)
                == "5 rows of B, 5 rows of E, 3 rows of C, 3 rows of 2 other zones do not fit")
        #expect(
            PlanText.text(end: nil, unsent: Array(zones.prefix(4)))
                == "5 rows of B, 3 rows of C, 2 rows of D, 1 row of A do not fit")
    }
}
