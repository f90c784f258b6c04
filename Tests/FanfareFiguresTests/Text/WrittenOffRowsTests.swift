import FanfareCore
import FanfareFigures
import FanfareTestSupport
import Testing

/// The summary of a worker that has written rows off for others.
@Suite struct WrittenOffRowsTests {
    @Test func `rows that were written off for other workers are not to be sent again from here`() {
        func table(_ own: Int) -> String {
            SummaryTable(
                SummaryTests.summary {
                    $0.tally = Tally()
                    for _ in 0..<1_200 {
                        TallySample.record(&$0.tally, .unknown, 0, "worker lost")
                    }
                    for _ in 0..<own { TallySample.record(&$0.tally, .unknown, 0, "interrupted") }
                    TallySample.record(&$0.tally, .accepted, 200)
                    $0.tally.rowsRead = UInt64(1_201 + own)
                    $0.retryRowsPath = "again.csv"
                    $0.retryCommand = "fanfare send again.csv"
                }
            ).render()
        }
        let none = table(0)
        #expect(none.contains("1,200 written off for other workers"))
        #expect(!none.contains("to send again") && !none.contains("again.csv"), "\(none)")
        #expect(
            none.contains(
                """
                1,200 rows were written off for other workers, whose reports may have the
                outcome. What is to be sent again is in the reports of all workers together:
                collect them, and select from all of them at once.

                """), "\(none)")
        let some = table(2)
        #expect(some.contains("; 2 to send again;") && some.contains("  fanfare send again.csv\n"))
        #expect(some.contains("2 rows ended unknown: they may have arrived"), "\(some)")
    }
}
