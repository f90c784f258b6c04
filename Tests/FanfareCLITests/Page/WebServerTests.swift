import FanfareBase
import FanfareLoop
import FanfareSystem
import FanfareTestSupport
import Glibc
import Synchronization
import Testing

@testable import FanfareCLI

/// The server of a job's page and metrics, with a client that does what no browser does.
@Suite struct WebServerTests {
    /// Runs a loop until a condition has come true, or for half a minute.
    private func run(_ loop: EventLoop, until condition: @escaping () -> Bool) {
        let end = MachineClock.now.advanced(by: .seconds(30))
        let timer = LoopTimer(loop: loop)
        timer.onFire = { [unowned timer, unowned loop] in
            if condition() || MachineClock.now >= end { return loop.stop() }
            timer.schedule(at: MachineClock.now.advanced(by: .milliseconds(1)))
        }
        timer.schedule(at: MachineClock.now)
        loop.run()
        timer.cancel()
    }

    private func count(_ number: Int32) -> Int {
        var space = [UInt8](repeating: 0, count: 1 << 20)
        var count = 0
        while true {
            let new = recv(number, &space, space.count, 0)
            guard new > 0 else { return count }
            count += new
        }
    }

    /// Hands over a viewer that has asked for the stream, and reads nothing.
    private func withSilentViewer(_ body: (WebClient) throws -> Void) throws {
        let loop = try EventLoop()
        let server = try WebServer(.loopback(port: 0), loop: loop)
        var viewer: WebClient?
        server.answer = { _, _ in .stream(Array("head".utf8)) { viewer = $0 } }
        let number = try LoopbackSocket.connect(server.port)
        defer { close(number) }
        #expect(send(number, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
        run(loop) { viewer != nil }
        let taken = try #require(viewer)
        try body(taken)
        viewer = nil
        server.close()
        withExtendedLifetime(taken) {}
    }

    @Test func `a viewer that reads nothing is known by its standstill, and can be let go`() throws
    {
        try withSilentViewer { viewer in
            #expect(!viewer.isBehind && viewer.standsStillSince == nil)
            // More than any kernel keeps for a reader that does not read.
            viewer.send([UInt8](repeating: 0x61, count: 32 << 20))
            #expect(viewer.isBehind)
            let moment = try #require(viewer.standsStillSince)
            viewer.send([0x62])
            #expect(viewer.standsStillSince == moment)
        }
    }

    /// Without a bound the kernel takes some 4 MB, which are half an hour of news.
    @Test func `a viewer that reads nothing is known before half a megabyte was sent to it`() throws
    {
        try withSilentViewer { viewer in
            var count = 0
            while !viewer.isBehind, count < 1 << 20 {
                viewer.send([UInt8](repeating: 0x61, count: 4096))
                count += 4096
            }
            #expect(count < 512 << 10)
        }
    }

    @Test func `an answer goes out whole, however slowly it is read, and then the connection ends`()
        throws
    {
        let loop = try EventLoop()
        let server = try WebServer(.loopback(port: 0), loop: loop)
        let answer = [UInt8](repeating: 0x61, count: 1 << 20)
        var requests: [Int] = []
        server.answer = { bytes, isFull in
            requests.append(bytes.count)
            return isFull ? .whole(answer) : .incomplete
        }
        let number = try LoopbackSocket.connect(server.port)
        defer { close(number) }
        let request = [UInt8](repeating: 0x62, count: Limits.metricsRequestBytesMax + 1000)
        #expect(send(number, request, request.count, Int32(MSG_NOSIGNAL)) == request.count)
        let received = KnownCount()
        let thread = try WorkerThread(name: "reader") { received.set(count(number)) }
        run(loop) { received.value != nil }
        thread.join()
        #expect(received.value == answer.count)
        // No more of it was kept than a request may have, and what came behind was passed over.
        #expect(requests.last == Limits.metricsRequestBytesMax)
        server.close()
    }
}

/// A number that another thread finds out.
private final class KnownCount: Sendable {
    private let number = Mutex<Int?>(nil)

    var value: Int? { number.withLock { $0 } }

    func set(_ value: Int) { number.withLock { $0 = value } }
}
