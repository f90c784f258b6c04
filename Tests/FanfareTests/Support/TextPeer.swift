import FanfareBase
import FanfareTLS

@testable import Fanfare

/// A server in memory that says what a test has it say, over TLS if there is a context.
final class TextPeer {
    private var tls: TLSSession?
    private var isOpen: Bool
    /// The bytes that it was told, without TLS.
    private(set) var heard = ""
    private var outgoing: [UInt8] = []
    /// TLS has come to its end.
    private var isOver = false

    init(tls context: TLSContext? = nil) throws {
        isOpen = context == nil
        if let context { tls = try TLSSession(acceptingWith: context) }
    }

    /// The protocol that the client and it have agreed to speak.
    var agreed: String? { tls?.negotiatedALPN }

    func receive(_ bytes: [UInt8]) throws {
        guard tls != nil else {
            heard += String(decoding: bytes, as: UTF8.self)
            return
        }
        guard !isOver else { return }
        bytes.withUnsafeBytes { tls?.feed($0) }
        do throws(TLSError) {
            if !isOpen { isOpen = try tls?.handshake() == .complete }
            if isOpen { try read() }
        } catch {
            isOver = true
        }
    }

    private func read() throws(TLSError) {
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
        defer { space.deallocate() }
        while case .bytes(let count) = try tls?.read(into: space) {
            heard += String(decoding: space[..<count], as: UTF8.self)
        }
    }

    /// Takes what was heard.
    func takeHeard() -> String {
        defer { heard = "" }
        return heard
    }

    func say(_ text: String) throws {
        guard tls != nil else { return outgoing += text.utf8 }
        _ = try Array(text.utf8).withUnsafeBytes { try tls?.write($0) }
    }

    /// Ends TLS in good order.
    func closeNotify() { tls?.closeNotify() }

    func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        let before = outgoing.count
        if let bytes = tls?.outgoing { outgoing += bytes }
        tls?.discardOutgoing(outgoing.count - before)
        return outgoing
    }
}
