import FanfareBase
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The file with a line for each measured request.
@Suite struct RequestFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `turns without a request take no place among those that wait for the disk`() throws {
        let file = try RequestFile(folder.path("requests"))
        for _ in 0..<Limits.requestBlocksMax { file.submit([]) }
        file.submit([
            RequestFile.Record(
                step: 2, sentMilliseconds: 951_782_400_000, service: 1_500_000,
                response: 2_750_499, status: 200)
        ])
        file.close()
        file.run()
        #expect(file.result.written == 1 && file.result.dropped == 0)
        // Of 1.250499 ms the microseconds are whole.
        #expect(
            try folder.read("requests")
                == #"{"step":2,"sent_at":"2000-02-29T00:00:00.000Z","wait_ms":1.250,"#
                + #""service_ms":1.500,"response_ms":2.750,"status":200}"# + "\n")
    }

    @Test func `requests that come while too many wait are dropped, and counted`() throws {
        let file = try RequestFile(folder.path("requests"))
        let record = RequestFile.Record(
            step: 1, sentMilliseconds: 0, service: 0, response: 0, status: 0, failure: "reset")
        for _ in 0..<Limits.requestBlocksMax { file.submit([record]) }
        file.submit([record, record, record])
        file.close()
        file.run()
        #expect(file.result.written == UInt64(Limits.requestBlocksMax))
        #expect(file.result.dropped == 3)
    }
}
