import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareSystem

/// The socket at which a job listens for requests; its file lives as long as the object.
final class ControlSocket {
    private let path: String
    private let identity: (device: UInt64, inode: UInt64)?
    private let listener: FileDescriptor

    /// Listens from now on; who connects waits until the job serves.
    init(_ path: String) throws(FanfareError) {
        do throws(FileError) {
            listener = try LocalSocket.listen(at: path)
        } catch {
            throw FanfareError(
                .configuration, "--control: \(path) cannot be made: \(error.reason)")
        }
        self.path = path
        identity = LocalSocket.identity(of: path)
    }

    deinit {
        // A process that has put another one in its place keeps it.
        if let identity, let now = LocalSocket.identity(of: path), now == identity {
            try? FileDescriptor.remove(path)
        }
    }

    /// Answers requests on a loop.
    /// - Returns: The server, which answers requests until it is dropped.
    func serve(
        on loop: EventLoop, _ answer: @escaping (ControlRequest) -> ControlAnswer
    ) throws(SystemError) -> ControlServer {
        try ControlServer(self, loop, answer)
    }

    fileprivate func accept() throws(FileError) -> FileDescriptor? {
        try LocalSocket.accept(listener)
    }

    fileprivate func watch(
        on loop: EventLoop, _ onReadable: @escaping () -> Void
    ) throws(SystemError) -> ReadinessWatcher {
        try ReadinessWatcher(loop: loop, descriptor: listener, onReadable: onReadable)
    }
}

/// Takes in clients and answers them: one line in, one line out.
///
/// Use only on its loop's thread, which is none that works on rows: a client that says nothing, or
/// too much, does not disturb the job.
final class ControlServer {
    private let socket: ControlSocket
    private let loop: EventLoop
    private let answer: (ControlRequest) -> ControlAnswer
    private var watcher: ReadinessWatcher?
    private var clients: [ControlClient] = []
    private let timer: LoopTimer

    fileprivate init(
        _ socket: ControlSocket, _ loop: EventLoop,
        _ answer: @escaping (ControlRequest) -> ControlAnswer
    ) throws(SystemError) {
        self.socket = socket
        self.loop = loop
        self.answer = answer
        timer = LoopTimer(loop: loop)
        timer.onFire = { [unowned self] in look() }
        watcher = try socket.watch(on: loop) { [unowned self] in accept() }
    }

    /// Ends it; who has not been answered is sent away.
    func close() {
        watcher = nil
        clients = []
        timer.cancel()
    }

    private func accept() {
        do throws(FileError) {
            while let descriptor = try socket.accept() { takeIn(descriptor) }
        } catch {
            // No descriptor is left: to be asked again at once would keep the thread busy.
            watcher = nil
            schedule(MachineClock.now.advanced(by: Limits.controlPause))
        }
    }

    private func takeIn(_ descriptor: consuming FileDescriptor) {
        guard clients.count < Limits.controlClientsMax else {
            ControlClient.send(ControlAnswer("too many clients", isError: true), to: descriptor)
            return
        }
        let deadline = MachineClock.now.advanced(by: Limits.controlPatience)
        let client = ControlClient(descriptor, deadline: deadline)
        do throws(SystemError) {
            try client.serve(on: loop, answer) { [unowned self] client in
                clients.removeAll { $0 === client }
            }
        } catch {
            return
        }
        clients.append(client)
        schedule(deadline)
    }

    /// Sends those away who have said nothing for too long, and takes in others again.
    private func look() {
        let now = MachineClock.now
        clients.removeAll { $0.deadline <= now }
        if watcher == nil { watcher = try? socket.watch(on: loop) { [unowned self] in accept() } }
        let next = clients.map(\.deadline).min()
        if let next { timer.schedule(at: next) }
        if watcher == nil { schedule(now.advanced(by: Limits.controlPause)) }
    }

    private func schedule(_ moment: Instant) {
        if !timer.isScheduled { timer.schedule(at: moment) }
    }
}

/// One client: its line is read, answered, and then it is closed.
private final class ControlClient {
    let deadline: Instant
    private var watcher: ReadinessWatcher?
    private var line: [UInt8] = []
    private let descriptor: FileDescriptor

    init(_ descriptor: consuming FileDescriptor, deadline: Instant) {
        self.descriptor = descriptor
        self.deadline = deadline
    }

    /// - Parameters:
    ///   - loop: The loop that serves the client.
    ///   - answer: Returns the answer to a request.
    ///   - onEnd: Called when no work is left; the client may be dropped then.
    /// - Throws: `SystemError` if it cannot be watched.
    func serve(
        on loop: EventLoop, _ answer: @escaping (ControlRequest) -> ControlAnswer,
        onEnd: @escaping (ControlClient) -> Void
    ) throws(SystemError) {
        watcher = try ReadinessWatcher(loop: loop, descriptor: descriptor) { [unowned self] in
            let isOver = read(answer)
            if isOver { onEnd(self) }
        }
    }

    /// - Returns: True if the client was answered, or has gone.
    private func read(_ answer: (ControlRequest) -> ControlAnswer) -> Bool {
        let room = Limits.controlLineBytesMax
        let count = unsafe withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { space in
            guard let count = unsafe try? descriptor.receive(into: space) ?? -1 else { return 0 }
            if count > 0 { unsafe line += space.prefix(count) }
            return count
        }
        // Without a line end it is not known whether that was all of a rate.
        if count == 0 { return true }
        guard count > 0 else { return false }
        if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
            Self.send(Self.answer(to: line[..<end], answer), to: descriptor)
            return true
        }
        guard line.count >= room else { return false }
        Self.send(
            ControlAnswer("a request has \(room) bytes at most", isError: true), to: descriptor)
        return true
    }

    private static func answer(
        to line: ArraySlice<UInt8>, _ answer: (ControlRequest) -> ControlAnswer
    ) -> ControlAnswer {
        do throws(ControlRequest.Fault) {
            return answer(try ControlRequest(line: String(decoding: line, as: UTF8.self)))
        } catch {
            return ControlAnswer(error.problem, isError: true)
        }
    }

    /// Says it if the client takes it now: a fresh socket has room for much more.
    static func send(_ answer: ControlAnswer, to descriptor: borrowing FileDescriptor) {
        var text = answer.line + "\n"
        text.withUTF8 { bytes in
            _ = unsafe descriptor.sendAtOnce(UnsafeRawBufferPointer(bytes))
        }
    }
}

extension Limits {
    /// The pause before new clients, after the process had no descriptor for one.
    static let controlPause = Duration.seconds(1)

    /// The longest request, and the longest answer: the longest of either has some 400 bytes.
    static let controlLineBytesMax = 4096
}
