import FanfareBase
import FanfareLoop
import FanfareSystem
import Testing

@Suite struct TCPConnectionTests {
    init() { ProcessSignal.blockBrokenPipe() }

    @Test func `bytes come back from an echo`() throws {
        let pair = try Pair { client, server in
            server.onReceived = { server in
                let taken = server.received.withUnsafeBytes { server.connection?.write($0) }
                #expect(taken == server.received.count)
            }
            client.onReceived = { $0.connection?.close() }
            #expect(client.write("fanfare") == 7)
        }
        pair.loop.run()
        #expect(pair.client.received == Array("fanfare".utf8))
        #expect(pair.client.closings == [nil])
        #expect(pair.server?.closings.map(\.?.kind) == [.endOfFile])
    }

    @Test func `both ends know each other's port`() throws {
        let pair = try Pair { client, server in
            #expect(client.connection?.localPort == server.connection?.remoteAddress?.port)
            #expect(server.connection?.localPort == client.connection?.remoteAddress?.port)
            #expect(client.connection?.remoteAddress?.host == "127.0.0.1")
            #expect(client.connection?.leadsToItself == true)
            client.connection?.userTimeout = .seconds(10)
            client.connection?.close()
        }
        pair.loop.run()
        #expect(pair.client.closings.count == 1)
    }

    /// The whole block is this machine's; the system gives such a connection the block's first address at our end.
    @Test func `another address of this machine does not show at both ends`() throws {
        let loop = try EventLoop()
        let address = try #require(SocketAddress("127.0.0.2", port: 0))
        let listener = try TCPListener(loop: loop, address: address)
        let client = Recorder(TCPConnection(loop: loop))
        client.onConnected = { client in
            #expect(client.connection?.leadsToItself == false)
            client.connection?.close()
            listener.close()
        }
        client.connection?.connect(to: address.with(port: listener.localPort))
        loop.run()
        #expect(client.isConnected)
    }

    @Test func `addresses of this machine are known for a second`() throws {
        let now = Instant(nanoseconds: 5_000_000_000)
        let here = SocketAddress.loopback(port: 80)
        let elsewhere = try #require(SocketAddress("203.0.114.7", port: 80))
        let real = OwnAddresses()
        #expect(real.contains(here, now: now) && !real.contains(elsewhere, now: now))
        var addresses = [here]
        let own = OwnAddresses { addresses }
        #expect(!own.contains(elsewhere, now: now))
        addresses.append(elsewhere)
        #expect(!own.contains(elsewhere, now: now.advanced(by: .milliseconds(999))))
        #expect(own.contains(elsewhere, now: now.advanced(by: .seconds(1))))
    }

    @Test func `a connection that no process accepts is refused`() throws {
        let loop = try EventLoop()
        let listener = try TCPListener(loop: loop, address: .loopback(port: 0))
        let address = SocketAddress.loopback(port: listener.localPort)
        listener.close()
        loop.run()
        let client = Recorder(TCPConnection(loop: loop))
        client.connection?.connect(to: address)
        #expect(client.closings.isEmpty)
        loop.run()
        let error = try #require(client.closings.first ?? nil)
        #expect(client.closings.count == 1)
        #expect(!client.isConnected)
        #expect(error.kind == .connectionRefused)
        #expect(
            error.description == "connect to \(address): connection refused (ECONNREFUSED)")
    }

    @Test func `a reset is not an end of file`() throws {
        let pair = try Pair { client, server in client.connection?.close(reset: true) }
        pair.loop.run()
        #expect(pair.client.closings == [nil])
        #expect(pair.server?.closings.map(\.?.kind) == [.connectionReset])
    }

    @Test func `the peer may answer after we have finished writing`() throws {
        let pair = try Pair { client, server in
            #expect(client.write("question") == 8)
            client.connection?.finishWriting()
            #expect(client.write("more") == 0)
            server.onReceived = { #expect($0.write("answer") == 6) }
        }
        pair.loop.run()
        #expect(pair.server?.received == Array("question".utf8))
        #expect(pair.server?.closings.map(\.?.kind) == [.endOfFile])
        #expect(pair.client.closings.map(\.?.kind).count == 1)
    }

    @Test func `ten megabytes go both ways past slow readers`() throws {
        let total = 10_000_000
        let pattern = (0..<1_000_003).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var shortWrites = 0
        var mistakes = 0
        var resumptions: [LoopTimer] = []

        func start(_ end: Recorder, _ loop: EventLoop) {
            var sent = 0
            var checked = 0
            end.keepsBytes = true
            let pump: (Recorder) -> Void = { end in
                while sent < total {
                    let from = sent % pattern.count
                    let count = min(pattern.count - from, total - sent)
                    let taken = pattern[from..<from + count].withUnsafeBytes {
                        end.connection?.write($0) ?? 0
                    }
                    sent += taken
                    if taken < count {
                        shortWrites += 1
                        return
                    }
                }
            }
            let timer = LoopTimer(loop: loop) { [unowned end] in end.connection?.startReading() }
            resumptions.append(timer)
            end.onReceived = { end in
                for byte in end.received {
                    if byte != pattern[checked % pattern.count] { mistakes += 1 }
                    checked += 1
                }
                end.received = []
                end.connection?.pauseReading()
                timer.schedule(at: loop.now)
                if checked == total { end.onReceived = nil }
                if sent == total && checked == total { end.connection?.finishWriting() }
            }
            end.onWritable = { end in
                pump(end)
                if sent == total && checked == total { end.connection?.finishWriting() }
            }
            pump(end)
        }

        weak var loop: EventLoop?
        let pair = try Pair { client, server in
            guard let loop else { return }
            start(client, loop)
            start(server, loop)
        }
        loop = pair.loop
        pair.loop.run()
        #expect(pair.client.receivedCount == total)
        #expect(pair.server?.receivedCount == total)
        #expect(mistakes == 0)
        #expect(shortWrites > 0)
        #expect(pair.client.closings.count == 1)
        #expect(pair.server?.closings.count == 1)
    }

    @Test func `nothing is heard while reading is paused`() throws {
        var heardWhilePaused = 0
        var timer: LoopTimer?
        weak var loop: EventLoop?
        let pair = try Pair { client, server in
            guard let loop else { return }
            server.connection?.pauseReading()
            _ = client.write("early")
            timer = LoopTimer(loop: loop) {
                heardWhilePaused = server.receivedCount
                server.connection?.startReading()
                client.connection?.close()
                timer = nil
            }
            timer?.schedule(at: loop.now.advanced(by: .milliseconds(3)))
        }
        loop = pair.loop
        pair.loop.run()
        #expect(heardWhilePaused == 0)
        #expect(pair.server?.received == Array("early".utf8))
    }
}

@Suite struct TCPConnectionEndTests {
    init() { ProcessSignal.blockBrokenPipe() }

    @Test func `closing while connecting is told once and without error`() throws {
        let loop = try EventLoop()
        let listener = try TCPListener(loop: loop, address: .loopback(port: 0))
        let client = Recorder(TCPConnection(loop: loop))
        client.connection?.connect(
            to: .loopback(port: listener.localPort), timeout: .seconds(60))
        client.connection?.close()
        client.connection?.close()
        #expect(client.closings.isEmpty)
        listener.close()
        loop.run()
        #expect(client.closings == [nil])
        #expect(!client.isConnected)
    }

    @Test func `connecting ends when its time is over`() throws {
        let loop = try EventLoop()
        let listener = try TCPListener(loop: loop, address: .loopback(port: 0))
        let client = Recorder(TCPConnection(loop: loop))
        // No time at all: timers run before the loop looks at sockets.
        client.connection?.connect(
            to: .loopback(port: listener.localPort), timeout: .nanoseconds(-10_000_000))
        client.onClosed = { _ in listener.close() }
        loop.run()
        #expect(client.closings.map(\.?.kind) == [.timedOut])
    }

    @Test func `a connection may be dropped from its own callbacks`() throws {
        let pair = try Pair { client, server in
            server.onReceived = { $0.connection = nil }
            client.onClosed = { $0.connection = nil }
            _ = client.write("x")
        }
        pair.loop.run()
        #expect(pair.server?.closings.isEmpty == true)
        #expect(pair.client.closings.map(\.?.kind) == [.endOfFile])
    }

    @Test func `a connection may be closed while it connects, reads and has room again`() throws {
        for occasion in ["connected", "received", "writable"] {
            let pair = try Pair { client, server in
                let megabytes = [UInt8](repeating: 7, count: 8_000_000)
                server.onReceived = {
                    if occasion == "received" { $0.connection?.close() }
                }
                server.keepsBytes = false
                client.onWritable = { $0.connection?.close() }
                #expect(megabytes.withUnsafeBytes { client.connection?.write($0) } ?? 0 > 0)
                if occasion == "connected" { client.connection?.close() }
            }
            pair.loop.run()
            #expect(pair.client.closings.count == 1, "\(occasion)")
            #expect(pair.server?.closings.count == 1, "\(occasion)")
        }
    }

    @Test func `a dropped loop and its open handles leave nothing behind`() throws {
        weak var loopLeft: EventLoop?
        weak var clientLeft: TCPConnection?
        do {
            let loop = try EventLoop()
            let listener = try TCPListener(loop: loop, address: .loopback(port: 0))
            let client = Recorder(TCPConnection(loop: loop))
            let timer = LoopTimer(loop: loop)
            timer.schedule(at: loop.now.advanced(by: .seconds(3600)))
            client.connection?.connect(
                to: .loopback(port: listener.localPort), timeout: .seconds(60))
            let resolver = Resolver(loop: loop)
            resolver.resolve(host: "localhost", port: 1) { _ in Issue.record("canceled") }
            _ = try LoopWaker(loop: loop) {}
            let watcher = try SignalWatcher(loop: loop, signal: .user1) {}
            loopLeft = loop
            clientLeft = client.connection
            withExtendedLifetime((listener, timer, resolver, watcher)) {}
        }
        #expect(loopLeft == nil)
        #expect(clientLeft == nil)
    }

    @Test func `a port is taken once, unless it is shared`() throws {
        let loop = try EventLoop()
        let first = try TCPListener(loop: loop, address: .loopback(port: 0))
        let address = SocketAddress.loopback(port: first.localPort)
        let error = #expect(throws: SystemError.self) {
            try TCPListener(loop: loop, address: address)
        }
        #expect(error?.kind == .addressInUse)
        #expect(error?.operation == "listen on \(address)")

        let shared = try TCPListener(
            loop: loop, address: .loopback(port: 0), sharesPort: true)
        let again = try TCPListener(
            loop: loop, address: .loopback(port: shared.localPort), sharesPort: true)
        #expect(again.localPort == shared.localPort)
        first.close()
    }
}
