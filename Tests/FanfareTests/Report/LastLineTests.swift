import FanfareBase
import Testing

@testable import Fanfare

/// The lines of several workers' reports, merged.
struct LastLineTests {
    /// Merges lines that are in the order of their rows.
    private func merged(_ lines: [(row: UInt64, text: String)]) -> String {
        var last = LastLine()
        var block = ByteBuffer(capacity: 1024)
        for line in lines {
            var text = line.text + "\n"
            text.withUTF8 { last.follow(by: $0, ofRow: line.row, into: &block) }
        }
        last.end(into: &block)
        return String(decoding: block.bytes, as: UTF8.self)
    }

    @Test(arguments: ["worker lost", "report lost"])
    func `a row that was written off has the line of the worker that came back`(reason: String) {
        let lost = "2,…,unknown,,\(reason)"
        let found = "2,…,accepted,200,"
        for pair in [[lost, found], [found, lost]] {
            #expect(
                merged([(1, "1,…,accepted,200,")] + pair.map { (2, $0) } + [(3, "3,…")])
                    == "1,…,accepted,200,\n\(found)\n3,…\n")
        }
        // Without another one it stays, once.
        #expect(merged([(2, lost), (2, lost)]) == lost + "\n")
    }

    @Test func `two lines that say different things both stay`() {
        #expect(
            merged([(1, "1,a"), (1, "1,b"), (2, "2,worker lost")]) == "1,a\n1,b\n2,worker lost\n")
    }
}
