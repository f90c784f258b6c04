import Foundation
import Glibc
import Testing

/// A terminal that a test holds the other end of.
final class PseudoTerminal {
    private let master: Int32
    /// The device, for the process that runs in it.
    let path: String
    private var bytes: [UInt8] = []

    init(columns: UInt16) throws {
        // posix_openpt, unlockpt and ptsname are hidden from Swift; this is what they do on Linux.
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: Int32 = -1
        let unlock: UInt = 0x4004_5431
        let getNumber: UInt = 0x8004_5430
        let status = ioctl(master, unlock, &isLocked) | ioctl(master, getNumber, &number)
        path = "/dev/pts/\(number)"
        try #require(master >= 0 && status == 0)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        resize(columns: columns)
    }

    deinit { close(master) }

    func resize(columns: UInt16) {
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Types what a person would.
    func type(_ text: String) {
        var text = text
        _ = text.withUTF8 { write(master, $0.baseAddress, $0.count) }
    }

    /// All that was written to it so far.
    var text: String {
        var space = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(master, &space, space.count)
            // EIO when no process has the other end open.
            guard count > 0 else { break }
            bytes += space[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
