import FanfareBase
import FanfareLoop
import FanfareSystem
import Glibc
import Synchronization
import Testing

@Suite struct EventLoopTests {
    @Test func `a loop with nothing to do returns`() throws {
        let loop = try EventLoop()
        loop.run()
        loop.run()
    }

    /// In a process of its own, which libuv would end where it has no descriptors for signals.
    @Test func `a loop that finds too few descriptors is an error, however few`() async {
        await #expect(processExitsWith: .success) {
            var limit = rlimit()
            precondition(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            let all = limit.rlim_cur
            let next = open("/dev/null", O_RDONLY)
            close(next)
            var failures = 0
            for room in 0...12 {
                limit.rlim_cur = rlim_t(next) + rlim_t(room)
                precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                do throws(SystemError) {
                    _ = try EventLoop()
                } catch {
                    precondition(error.kind == .tooManyOpenFiles && error.isShortage)
                    failures += 1
                }
            }
            // The first loop of a process wants six, and one that there is room for is whole.
            precondition(failures >= 6)
            limit.rlim_cur = all
            precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
            try EventLoop().run()
        }
    }

    @Test func `the iteration hook follows timers before the loop sleeps`() throws {
        let loop = try EventLoop()
        var facts = 0
        var handled = 0
        // The second timer is far away: if the hook came only after sleeping, this would hang.
        let far = LoopTimer(loop: loop)
        far.schedule(at: loop.now.advanced(by: .seconds(3600)))
        let near = LoopTimer(loop: loop) { facts += 1 }
        near.schedule(at: loop.now.advanced(by: .milliseconds(1)))
        loop.onIteration = { [unowned loop] in
            handled = facts
            if handled == 1 { loop.stop() }
        }
        loop.run()
        #expect(handled == 1)
    }

    @Test func `timers fire in order and never early`() throws {
        let loop = try EventLoop()
        let start = loop.now
        var order: [Int] = []
        var timers: [LoopTimer] = []
        for (index, microseconds) in [2900, 100, 1001, 0, 999, -5000].enumerated() {
            let due = start.advanced(by: .microseconds(microseconds))
            let timer = LoopTimer(loop: loop) {
                #expect(loop.now >= due)
                order.append(index)
            }
            timer.schedule(at: due)
            timers.append(timer)
        }
        loop.run()
        // 100 and 999 µs may round to the same millisecond, then the first armed is first.
        #expect(order.last == 0)
        #expect(order.first == 5)
        #expect(order.sorted() == [0, 1, 2, 3, 4, 5])
        timers = []
    }

    /// libuv's own clock stands still then.
    @Test func `a timer comes soon behind a sleep of the machine, not late by it`() throws {
        let slept = Atomic<Int64>(0)
        let loop = try EventLoop {
            MachineClock.now.advanced(byNanoseconds: slept.load(ordering: .relaxed))
        }
        let start = loop.now
        var fired: [Instant] = []
        let far = LoopTimer(loop: loop) { [unowned loop] in fired.append(loop.now) }
        far.schedule(at: start.advanced(by: .seconds(3600)))
        let sleep = LoopTimer(loop: loop) {
            slept.store(3_600_000_000_000, ordering: .relaxed)
        }
        sleep.schedule(at: start)
        loop.run()
        #expect(fired.count == 1)
        #expect(try #require(fired.first) >= start.advanced(by: .seconds(3600)))
    }

    @Test func `a timer that looks at the clock meanwhile fires once, and not before`() throws {
        let passed = Atomic<Int64>(0)
        let start = MachineClock.now
        // It goes on by a nanosecond when told to.
        let loop = try EventLoop {
            start.advanced(byNanoseconds: passed.load(ordering: .relaxed))
        }
        var count = 0
        let timer = LoopTimer(loop: loop) { count += 1 }
        timer.schedule(at: start.advanced(byNanoseconds: 3))
        let steps = LoopTimer(loop: loop)
        steps.onFire = { [unowned steps] in
            #expect(count == 0)
            let now = passed.wrappingAdd(1, ordering: .relaxed).newValue
            if now < 3 { steps.schedule(at: start) }
        }
        steps.schedule(at: start)
        loop.run()
        #expect(count == 1)
    }

    @Test func `the clock goes on while the machine sleeps`() {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let now = MachineClock.now
        let before = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        clock_gettime(CLOCK_BOOTTIME, &time)
        let after = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        #expect((before...after).contains(now.nanoseconds))
    }

    @Test func `a timer can be armed again from its callback, moved and canceled`() throws {
        let loop = try EventLoop()
        var count = 0
        let timer = LoopTimer(loop: loop)
        timer.onFire = { [unowned timer] in
            count += 1
            if count < 5 { timer.schedule(at: loop.now.advanced(byNanoseconds: 1)) }
        }
        timer.schedule(at: loop.now.advanced(by: .seconds(3600)))
        timer.schedule(at: loop.now)
        let canceled = LoopTimer(loop: loop) { Issue.record("a canceled timer fired") }
        canceled.schedule(at: loop.now)
        canceled.cancel()
        canceled.schedule(at: .distantFuture)
        #expect(!canceled.isScheduled)
        loop.run()
        #expect(count == 5)
    }

    @Test func `a timer may be dropped from its callback`() throws {
        let loop = try EventLoop()
        var timer: LoopTimer?
        timer = LoopTimer(loop: loop) { timer = nil }
        timer?.schedule(at: loop.now)
        loop.run()
        #expect(timer == nil)
    }

    @Test func `a waker wakes the loop from other threads`() throws {
        let loop = try EventLoop()
        let queue = Handoff<Int>(capacity: 4)
        var sum = 0
        nonisolated(unsafe) var ownWaker: LoopWaker?
        let waker = try LoopWaker(loop: loop) {
            while let number = queue.tryPop() { sum += number }
            if sum == 2 * 5050 { ownWaker?.close() }
        }
        ownWaker = waker
        let threads = try (0..<2).map { index in
            try WorkerThread(name: "waker \(index)") {
                for number in 1...100 {
                    #expect(queue.push(number))
                    waker.wake()
                }
                // The loop closes the waker at some moment of this; it must not matter.
                for _ in 0..<1000 { waker.wake() }
            }
        }
        loop.run()
        for thread in threads { thread.join() }
        waker.wake()
        waker.close()
        #expect(sum == 10100)
    }

    @Test func `a waker that does not keep the loop lets it return`() throws {
        let loop = try EventLoop()
        let waker = try LoopWaker(loop: loop, keepsLoopAlive: false) {}
        loop.run()
        waker.close()
    }

    @Test func `a waker that outlives its loop does nothing`() throws {
        var loop: EventLoop? = try EventLoop()
        let waker = try LoopWaker(loop: try #require(loop)) {}
        loop = nil
        waker.wake()
    }

    @Test func `a signal arrives on the loop`() throws {
        let loop = try EventLoop()
        var count = 0
        var watcher: SignalWatcher?
        watcher = try SignalWatcher(loop: loop, signal: .user1, keepsLoopAlive: true) {
            count += 1
            #expect(watcher != nil)
            watcher = nil
        }
        // To the process, because the test runner's threads block signals.
        kill(getpid(), SIGUSR1)
        loop.run()
        #expect(count == 1)
    }
}

@Suite struct ResolverTests {
    private func resolve(_ host: String) throws -> Resolver.Answer {
        let loop = try EventLoop()
        let resolver = Resolver(loop: loop)
        var answers: [Resolver.Answer] = []
        resolver.resolve(host: host, port: 443) { answers.append($0) }
        #expect(answers.isEmpty)
        loop.run()
        #expect(answers.count == 1)
        return try #require(answers.first)
    }

    @Test func `localhost is this machine`() throws {
        let addresses = try resolve("localhost").get()
        #expect(!addresses.isEmpty)
        for address in addresses {
            #expect(address.isLoopback)
            #expect(address.port == 443)
        }
    }

    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::5"])
    func `a number is its own answer`(host: String) throws {
        #expect(try resolve(host).get() == [try #require(SocketAddress(host, port: 443))])
    }

    @Test(arguments: ["nonexistent.invalid", "", "a\0b", String(repeating: "x", count: 300)])
    func `a name that cannot be is not found`(host: String) throws {
        guard case .failure(let error) = try resolve(host) else {
            Issue.record("\(host) was found")
            return
        }
        // Without a network, the name service says that it cannot say.
        #expect([.addressNotFound, .nameServiceFailed, .other].contains(error.kind))
        #expect(error.operation == "look up \(host)")
    }

    @Test func `nothing is heard after cancel`() throws {
        let loop = try EventLoop()
        let resolver = Resolver(loop: loop)
        for host in ["localhost", "127.0.0.1", ""] {
            resolver.resolve(host: host, port: 1) { _ in Issue.record("heard after cancel") }
        }
        resolver.cancel()
        loop.run()
    }
}

@Suite struct SocketAddressTests {
    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1:80", true), ("127.9.8.7", "127.9.8.7:80", true),
        ("0.0.0.0", "0.0.0.0:80", false), ("17.188.1.2", "17.188.1.2:80", false),
        ("::1", "[::1]:80", true), ("::", "[::]:80", false),
        ("2001:DB8:0::5", "[2001:db8::5]:80", false),
        ("::ffff:127.0.0.1", "[::ffff:127.0.0.1]:80", true),
        ("::127.0.0.1", "[::127.0.0.1]:80", false),
    ])
    func `numeric addresses are read and written`(
        host: String, text: String, isLoopback: Bool
    ) throws {
        let address = try #require(SocketAddress(host, port: 80))
        #expect(address.description == text)
        #expect(address.isLoopback == isLoopback)
        #expect(address == SocketAddress(address.host, port: 80))
        #expect(address != address.with(port: 81))
    }

    @Test(arguments: ["", "localhost", "1.2.3", "1.2.3.4.5", "256.1.1.1", "::g", "127.0.0.1\0"])
    func `anything else is not an address`(host: String) {
        #expect(SocketAddress(host, port: 80) == nil)
    }

    // RFC 4632 §3.1, RFC 4291 §2.3
    @Test(
        arguments: [
            ("10.1.2.3", "10.0.0.0", 8, true), ("11.0.0.0", "10.0.0.0", 8, false),
            ("192.168.1.255", "192.168.1.0", 24, true), ("192.168.2.0", "192.168.1.0", 24, false),
            ("1.2.3.4", "9.9.9.9", 0, true), ("1.2.3.4", "1.2.3.4", 32, true),
            ("1.2.3.5", "1.2.3.4", 32, false), ("1.2.3.4", "1.2.3.4", 33, false),
            ("1.2.3.4", "1.2.3.4", -1, false), ("fd12::1", "fd00::", 8, true),
            ("fe12::1", "fd00::", 8, false), ("::2", "::1", 127, false), ("::3", "::2", 127, true),
            ("::1", "::1", 128, true), ("::1", "0.0.0.1", 0, false),
        ] as [(String, String, Int, Bool)])
    func `a network is what its addresses begin with`(
        host: String, network: String, bits: Int, expected: Bool
    ) throws {
        let address = try #require(SocketAddress(host, port: 1))
        let other = try #require(SocketAddress(network, port: 2))
        #expect(address.matches(other, bits: bits) == expected)
    }
}
