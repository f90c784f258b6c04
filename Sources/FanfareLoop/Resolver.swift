internal import CUV
internal import FanfareBase
package import FanfareSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// A resolver of names, on libuv's worker threads.
///
/// Dropping it cancels the lookup that is under way.
///
/// Use it only on its loop's thread.
@safe
package final class Resolver {
    package typealias Answer = Result<[SocketAddress], SystemError>

    private let loop: EventLoop
    private var lookups: [ObjectIdentifier: Lookup] = [:]

    /// Answers that needed no lookup.
    ///
    /// They wait for the timer, so that an answer never comes before `resolve` has returned.
    private var ready: [(answer: Answer, completion: (Answer) -> Void)] = []
    private let readyTimer: LoopTimer

    package init(loop: EventLoop) {
        self.loop = loop
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
    ///   - completion: Called once, later, on the loop; not after `cancel`. The addresses are in the
    ///     system's order (RFC 6724) and at least one.
    package func resolve(
        host: String, port: UInt16, completion: @escaping (Answer) -> Void
    ) {
        if let address = SocketAddress(host, port: port) {
            return deliverLater(.success([address]), completion)
        }
        let operation = "look up \(host)"
        guard !host.isEmpty, !host.utf8.contains(0) else {
            return deliverLater(
                .failure(SystemError(UV_EAI_NONAME.rawValue, operation)), completion)
        }
        let lookup = Lookup(resolver: self, operation: operation, port: port, completion)
        let status = lookup.start(host: host, loop: loop)
        guard status == 0 else {
            return deliverLater(.failure(SystemError(status, operation)), completion)
        }
        lookups[ObjectIdentifier(lookup)] = lookup
    }

    /// Forgets all that was asked; no completion follows.
    package func cancel() {
        ready = []
        readyTimer.cancel()
        for lookup in lookups.values { lookup.cancel() }
        lookups = [:]
    }

    private func deliverLater(_ answer: Answer, _ completion: @escaping (Answer) -> Void) {
        ready.append((answer, completion))
        readyTimer.schedule(at: Instant(nanoseconds: 0))
    }

    private func deliverReady() {
        // A completion may drop the resolver, so nothing is read from it in the loop.
        let ready = self.ready
        self.ready = []
        for (answer, completion) in ready { completion(answer) }
    }

    fileprivate func ended(_ lookup: Lookup) {
        lookups[ObjectIdentifier(lookup)] = nil
    }
}

/// One request to the name service.
///
/// libuv keeps it until it calls back, even when no caller waits.
@safe
private final class Lookup {
    private weak var resolver: Resolver?
    private let request = unsafe allocateZeroed(uv_getaddrinfo_t.self)
    private let operation: String
    private let port: UInt16
    private var completion: ((Resolver.Answer) -> Void)?

    init(
        resolver: Resolver, operation: String, port: UInt16,
        _ completion: @escaping (Resolver.Answer) -> Void
    ) {
        self.resolver = resolver
        self.operation = operation
        self.port = port
        self.completion = completion
    }

    deinit {
        unsafe request.deallocate()
    }

    func start(host: String, loop: EventLoop) -> Int32 {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        // Addresses of a family that this machine does not have would only fail later.
        unsafe hints.ai_flags = AI_ADDRCONFIG
        let retained = unsafe Unmanaged.passRetained(self)
        unsafe request.pointee.data = unsafe retained.toOpaque()
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
        resolver?.ended(self)
        guard status == 0 else {
            return completion(.failure(SystemError(status, operation)))
        }
        var addresses: [SocketAddress] = []
        var next = unsafe first
        while let info = unsafe next {
            if let address = unsafe SocketAddress(info.pointee.ai_addr) {
                addresses.append(address.with(port: port))
            }
            unsafe next = unsafe info.pointee.ai_next
        }
        completion(
            addresses.isEmpty
                ? .failure(SystemError(UV_EAI_NODATA.rawValue, operation)) : .success(addresses))
    }
}
