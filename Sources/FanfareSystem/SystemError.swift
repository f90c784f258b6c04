internal import CSystem

#if canImport(Glibc)
    internal import Glibc
#endif

/// The failure of something that was asked of the system: the operation, its object and the reason.
package struct SystemError: Error, Hashable, CustomStringConvertible {
    /// The reasons that callers decide by.
    package enum Kind: Hashable, Sendable {
        /// No process listens there.
        case connectionRefused
        /// The peer, or something between, cut the connection.
        case connectionReset
        /// No answer in the time there was.
        case timedOut
        /// The peer has ended its side in order.
        case endOfFile
        /// There is no route to the address.
        case unreachable
        /// The name does not exist, or has no address.
        case addressNotFound
        /// The name service does not answer; the name may exist.
        case nameServiceFailed
        /// Another socket has this address and port.
        case addressInUse
        /// The process or the system has no file descriptor left.
        case tooManyOpenFiles
        /// Any other reason, which is in `description`.
        case other
    }

    package let kind: Kind

    /// The operation that failed and its object, such as "connect to 127.0.0.1:9".
    package let operation: String

    /// The system's reason in plain English, such as "connection refused".
    package let reason: String

    /// The reason's symbol, such as "ECONNREFUSED".
    package let name: String

    /// - Parameters:
    ///   - kind: The kind that callers decide by.
    ///   - operation: The operation that failed and its object.
    ///   - reason: The reason in plain English.
    ///   - name: The reason's symbol.
    package init(_ kind: Kind, operation: String, reason: String, name: String) {
        self.kind = kind
        self.operation = operation
        self.reason = reason
        self.name = name
    }

    /// Translates an `errno` of a call that says no more than that the system has no room.
    init(errno: Int32, _ operation: String) {
        kind = .other
        self.operation = operation
        reason = Self.reason(errno)
        name = unsafe system_error_name(errno).map(String.init(cString:)) ?? "\(errno)"
    }

    package var description: String { "\(operation): \(reason) (\(name))" }

    /// True if the system has no room for the operation; its limits decide that.
    package var isShortage: Bool {
        ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "ENOBUFS"].contains(name)
    }

    /// Returns the system's words for an `errno`, such as "no such file or directory".
    static func reason(_ errno: Int32) -> String {
        let words = unsafe systemText { _ = unsafe strerror_r(errno, $0, $1) }
        // "Is a directory" stands in a sentence; "RFS specific error" has a name first.
        let second = words.dropFirst().first
        guard second?.isLowercase == true else { return words }
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
