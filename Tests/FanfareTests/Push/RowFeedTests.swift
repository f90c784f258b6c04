import FanfareBase
import FanfareCore
import FanfareTestSupport
import Synchronization
import Testing

@testable import Fanfare

@Suite struct RowFeedTests {
    @Test func `a sequence is no further ahead than there is room`() async throws {
        let given = Mutex(0)
        let row = PushRow(token: String(repeating: "a", count: 1000))
        var line = ByteBuffer()
        row.appendLine(to: &line)
        let (lineBytes, count) = (line.count, 5000)
        let feed = RowFeed { feed in
            for _ in 0..<count {
                given.withLock { $0 += 1 }
                guard await feed.put(row) else { return }
            }
            feed.end()
        }
        #expect(feed.start())
        // The rows read, those that find room, the row that does not, and the one behind it.
        let most = try await onOwnThread {
            var (read, most) = (0, 0)
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_000, alignment: 1)
            defer { space.deallocate() }
            reading: while true {
                switch feed.read(into: space, isCancelled: { false }) {
                case .bytes(let bytes): read += bytes
                case .end: break reading
                case .failure: break reading
                }
                let ahead = given.withLock { $0 } - read / lineBytes
                most = max(most, ahead)
            }
            #expect(read == count * lineBytes)
            return most
        }
        #expect(most <= Limits.rowFeedBytes / lineBytes + 3)
    }

    @Test func `a feed that is closed lets its sequence go`() async throws {
        let row = PushRow(token: String(repeating: "a", count: 100_000))
        let ends = AsyncStream<Bool>.makeStream()
        let feed = RowFeed { feed in
            while await feed.put(row) {}
            ends.continuation.yield(Task.isCancelled)
        }
        #expect(feed.start())
        try await onOwnThread {
            let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 10, alignment: 1)
            defer { space.deallocate() }
            _ = feed.read(into: space, isCancelled: { false })
        }
        feed.close()
        var iterator = ends.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
    }

    @Test func `a sequence serves one job`() async throws {
        let error = try await onOwnThread {
            var configuration = Preparation.configuration("")
            configuration.inputs = [.sequence(RowSequence([PushRow(token: "aa")]))]
            configuration.report.path = ReportOptions.noFile
            _ = try PreparedJob(configuration, identity: Preparation.identity)
            return fanfareError {
                _ = try PreparedJob(configuration, identity: Preparation.identity)
            }
        }
        #expect(error?.code == .input)
        #expect(error?.message.contains("another job") == true)
    }
}
