import FanfareCore
import FanfareTestSupport
import Testing

@testable import FanfareCLI

/// The advice of `report` about a report that ends in the midst of a line.
@Suite struct TornReportAdviceTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func advice(isShared: Bool = false) -> String {
        let file = ReportDigest.File(name: folder.path("r.csv"), lines: 1, torn: "it has no end")
        return ReportCommand.advice(ofTorn: file, isShared)
    }

    @Test func `only a job of its own that can be carried on is to be resumed`() throws {
        #expect(advice().contains("Where its checkpoint is, send --resume"))
        try folder.write("", to: "r.csv.checkpoint")
        #expect(advice().contains("and send --resume writes it anew"))
        // A worker's report goes on by itself, or never.
        #expect(advice(isShared: true).contains("copy it again"))
        #expect(!advice(isShared: true).contains("--resume"))
        try folder.write("fanfare cluster 2\n", to: "r.csv.cluster")
        #expect(advice() == advice(isShared: true))
    }
}
