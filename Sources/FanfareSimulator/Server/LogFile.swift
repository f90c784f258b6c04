import FanfareBase
import FanfareCore
import FanfareSystem
import Glibc
import Synchronization

/// A file that several threads append whole lines to.
final class LogFile: Sendable {
    private let path: String
    private let descriptor: Int32
    /// The system's number of the first fault; 0 while all lines were written.
    private let fault = Atomic<Int32>(0)

    /// Opens the file, or creates it; `-` is standard output.
    /// - Throws: `SimulatorError` with the system's words.
    init(path: String) throws(SimulatorError) {
        self.path = path
        let flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC
        descriptor = unsafe path == "-" ? dup(STDOUT_FILENO) : open(path, flags, 0o600)
        guard descriptor >= 0 else {
            throw unsafe SimulatorError(path, String(cString: strerror(errno)))
        }
    }

    deinit {
        close(descriptor)
    }

    /// Deletes the file's content.
    ///
    /// `init` does not do it, because the lines may be those of a server that already has the port.
    /// Standard output, a device, or a descriptor by its path stays as it is.
    func empty() throws(SimulatorError) {
        guard path != "-", FileDescriptor.handedOver(path) == nil else { return }
        guard ftruncate(descriptor, 0) != 0, errno != EINVAL else { return }
        throw unsafe SimulatorError(path, String(cString: strerror(errno)))
    }

    /// Writes lines.
    ///
    /// O_APPEND makes one call's bytes stay together, so threads need no lock. A log that cannot
    /// be written (a full disk) is not worth the server's life: its lines are dropped, and
    /// `problem` says so.
    func write(_ log: inout RequestLog) {
        while !log.lines.isEmpty {
            let bytes = unsafe log.lines.bytes
            let count = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 {
                _ = fault.compareExchange(expected: 0, desired: errno, ordering: .relaxed)
            }
            log.removeFirst(count > 0 ? count : bytes.count)
        }
    }

    /// The reason why lines are missing, in the system's words; `nil` if none is.
    var problem: String? {
        let number = fault.load(ordering: .relaxed)
        return number == 0 ? nil : unsafe String(cString: strerror(number))
    }
}
