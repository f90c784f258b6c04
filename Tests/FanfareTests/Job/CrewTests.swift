import FanfareCore
import FanfareSystem
import Synchronization
import Testing

@testable import Fanfare

/// The threads of a run, without rows.
@Suite struct CrewTests {
    private let control = JobControl()
    private let cancellation = CancellationFlag()

    @Test func `workers end first and the reader behind them`() {
        let rows = RowFlow(batches: 1, slotCount: 1, control: control)
        let ends = Ends()
        let crew = Crew(rows: rows, control: control, cancellation: cancellation)
        let results = crew.run(3, "worker") {
            // Nothing comes until the flow is closed.
            while rows.queue.waitForBatch() != nil {}
            ends.add("reader")
        } work: { number in
            ends.add("worker")
            return number == 1 ? nil : number
        }
        #expect(results.sorted() == [0, 2])
        #expect(ends.all == ["worker", "worker", "worker", "reader"])
        #expect(cancellation.isSet)
        #expect(control.stop == nil)
    }

    /// The threads that have ended, in order.
    private final class Ends: Sendable {
        private let list = Mutex<[String]>([])

        var all: [String] { list.withLock { $0 } }

        func add(_ name: String) { list.withLock { $0.append(name) } }
    }
}
