internal import CUV
internal import FanfareBase
package import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// A resolver of names, on libuv's worker threads.
///
/// Connections that want the same name share one look-up, and names that are answered late leave threads to the
/// others. Dropping it cancels the look-ups that are under way.
///
/// Use it only on its loop's thread.
@safe
package final class Resolver {
    package typealias Answer = Result<[SocketAddress], SystemError>

    /// Looks a name up in the system: begins or fails, and calls back later on the loop if it has begun.
    package typealias System = (
        _ host: String, _ loop: EventLoop, _ completion: @escaping (Answer) -> Void
    ) -> Result<any SystemLookup, SystemError>

    /// The threads that libuv should have where rows name many hosts; it takes the number from the environment.
    ///
    /// On half of them names are looked up, and on three quarters of these such as were not asked before: so a list may
    /// have 192 names whose name servers are silent before another one waits for them. A thread without
    /// work takes some 10 KB, and one with a look-up some 50 KB.
    package static let threadsWanted = 512

    /// The look-ups that libuv runs at a time, of all loops of the process: half of its threads.
    ///
    /// One that waits for a thread would be taken for a slow one, so no more should begin.
    ///
    /// libuv's `src/threadpool.c`: `slow_work_thread_threshold` and `init_threads`
    package static var threadsOfProcess: Int {
        let text = unsafe getenv("UV_THREADPOOL_SIZE").map { unsafe String(cString: $0) }
        let threads = min(max(text.map { Int($0) ?? 0 } ?? 4, 1), 1024)
        return (threads + 1) / 2
    }

    /// A place among those who want to know.
    package struct Waiter: Sendable {
        fileprivate let host: String
        fileprivate let number: UInt64
    }

    private struct Waiting {
        var number: UInt64
        var port: UInt16
        var begun: () -> Void
        var completion: (Answer) -> Void
    }

    private let loop: EventLoop
    private let system: System
    private var line: LookupLine
    /// The look-ups that run, by their names.
    private var lookups: [String: any SystemLookup] = [:]
    /// Those who want to know, by the names that they have asked for.
    private var waiting: [String: [Waiting]] = [:]
    /// The number of those who have ever asked.
    private var askers: UInt64 = 0

    /// Answers that needed no lookup.
    ///
    /// They wait for the timer, so that an answer never comes before `resolve` has returned.
    private var ready: [(answer: Answer, waiting: Waiting)] = []
    private let readyTimer: LoopTimer

    /// - Parameters:
    ///   - loop: The loop that answers come on.
    ///   - places: The places for look-ups, which other resolvers may have, too.
    ///   - system: Looks names up.
    package init(
        loop: EventLoop, places: LookupPlaces = LookupPlaces(most: 8),
        system: @escaping System = { Lookup.begin($0, on: $1, $2) }
    ) {
        self.loop = loop
        self.system = system
        line = LookupLine(places)
        readyTimer = LoopTimer(loop: loop)
        readyTimer.onFire = { [unowned self] in deliverReady() }
    }

    deinit {
        cancel()
    }

    /// Looks a name up.
    ///
    /// A numeric address is its own answer.
    /// - Parameters:
    ///   - host: A name or a numeric address.
    ///   - port: The port that the addresses get.
    ///   - begun: Called once when the look-up begins, maybe at once; until then the name waits for a thread.
    ///   - completion: Called once, later, on the loop; not after `cancel` or `leave`. The addresses are
    ///     in the system's order (RFC 6724) and at least one.
    /// - Returns: The asker's place, to leave it before the answer.
    @discardableResult
    package func resolve(
        host: String, port: UInt16, begun: @escaping () -> Void = {},
        completion: @escaping (Answer) -> Void
    ) -> Waiter {
        askers += 1
        let asker = Waiting(number: askers, port: port, begun: begun, completion: completion)
        if let address = SocketAddress(host, port: port) {
            begun()
            deliverLater(.success([address]), asker)
        } else if host.isEmpty || host.utf8.contains(0) {
            begun()
            let error = SystemError(UV_EAI_NONAME.rawValue, "look up \(host)")
            deliverLater(.failure(error), asker)
        } else {
            waiting[host, default: []].append(asker)
            if lookups[host] != nil { begun() }
            line.add(host)
            lookUpNext()
        }
        return Waiter(host: host, number: asker.number)
    }

    /// Takes back a question; does nothing if it is answered.
    ///
    /// A name that no one asks for any more leaves the line. One that is being looked up keeps its thread until
    /// the name service answers, as the system cannot stop; the next one who asks for it shares that look-up.
    package func leave(_ waiter: Waiter) {
        ready.removeAll { $0.waiting.number == waiter.number }
        guard var others = waiting[waiter.host],
            let place = others.firstIndex(where: { $0.number == waiter.number })
        else { return }
        others.remove(at: place)
        waiting[waiter.host] = others.isEmpty ? nil : others
        if others.isEmpty { line.remove(waiter.host) }
    }

    /// True if a name was answered late when it was asked last, or not at all.
    package func isSlow(_ host: String) -> Bool { line.isSlow(host) }

    /// Looks up names that wait, as far as there are places.
    ///
    /// If other resolvers have these as well, call it from time to time: their places become free without a word.
    package func lookUpNext() {
        while let host = line.next(now: loop.now) {
            let begun = system(host, loop) { [weak self] answer in self?.ended(host, answer) }
            switch begun {
            case .success(let lookup):
                lookups[host] = lookup
                for asker in waiting[host] ?? [] { asker.begun() }
            case .failure(let error):
                line.ended(host, now: loop.now)
                for asker in waiting.removeValue(forKey: host) ?? [] {
                    deliverLater(.failure(error), asker)
                }
            }
        }
    }

    private func ended(_ host: String, _ answer: Answer) {
        lookups[host] = nil
        line.ended(host, now: loop.now)
        let askers = waiting.removeValue(forKey: host) ?? []
        lookUpNext()
        // A completion may drop the resolver, so nothing is read from it in the loop.
        for asker in askers {
            asker.completion(
                answer.map { addresses in addresses.map { $0.with(port: asker.port) } })
        }
    }

    /// Forgets all that was asked; no completion follows.
    package func cancel() {
        ready = []
        readyTimer.cancel()
        for lookup in lookups.values { lookup.cancel() }
        lookups = [:]
        waiting = [:]
        line.clear()
    }

    private func deliverLater(_ answer: Answer, _ asker: Waiting) {
        ready.append((answer, asker))
        readyTimer.schedule(at: Instant(nanoseconds: 0))
    }

    private func deliverReady() {
        // A completion may drop the resolver, so nothing is read from it in the loop.
        let ready = self.ready
        self.ready = []
        for (answer, asker) in ready { asker.completion(answer) }
    }
}

/// A look-up that was begun.
package protocol SystemLookup: AnyObject {
    /// Forgets it; it does not call back any more.
    func cancel()
}

/// One request to the name service.
///
/// libuv keeps it until it calls back, even when no caller waits.
@safe
private final class Lookup: SystemLookup {
    private let request = unsafe allocateZeroed(uv_getaddrinfo_t.self)
    private let operation: String
    private var completion: ((Resolver.Answer) -> Void)?

    private init(_ host: String, _ completion: @escaping (Resolver.Answer) -> Void) {
        operation = "look up \(host)"
        self.completion = completion
    }

    deinit {
        unsafe request.deallocate()
    }

    static func begin(
        _ host: String, on loop: EventLoop, _ completion: @escaping (Resolver.Answer) -> Void
    ) -> Result<any SystemLookup, SystemError> {
        let lookup = Lookup(host, completion)
        let status = lookup.start(host: host, loop: loop)
        return status == 0 ? .success(lookup) : .failure(SystemError(status, lookup.operation))
    }

    private func start(host: String, loop: EventLoop) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Addresses of a family that this machine does not have would only fail later.
        unsafe hints.ai_flags = AI_ADDRCONFIG
        let retained = unsafe Unmanaged.passRetained(self)
        unsafe request.pointee.data = retained.toOpaque()
        let status = unsafe uv_getaddrinfo(
            loop.loop, request,
            { request, status, first in
                guard let data = unsafe request?.pointee.data else { return }
                unsafe Unmanaged<Lookup>.fromOpaque(data).takeRetainedValue().ended(status, first)
                unsafe uv_freeaddrinfo(first)
            }, host, nil, &hints)
        if status != 0 { unsafe retained.release() }
        return status
    }

    func cancel() {
        completion = nil
        // Refused once a worker has begun; then the answer comes and no caller hears it.
        unsafe uv_cancel(UnsafeMutableRawPointer(request).assumingMemoryBound(to: uv_req_t.self))
    }

    private func ended(_ status: Int32, _ first: UnsafeMutablePointer<addrinfo>?) {
        guard let completion else { return }
        self.completion = nil
        guard status == 0 else {
            return completion(.failure(SystemError(status, operation)))
        }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let info = unsafe next {
            if let address = unsafe SocketAddress(info.pointee.ai_addr) {
                addresses.append(address)
            }
            unsafe next = info.pointee.ai_next
        }
        completion(
            addresses.isEmpty
                ? .failure(SystemError(UV_EAI_NODATA.rawValue, operation)) : .success(addresses))
    }
}
