internal import COpenSSL
import FanfareBase
import Glibc

/// Bytes that are never printed and are wiped when the last user is done with them.
package struct Secret: Sendable {
    private let storage: Storage

    /// Copies bytes; the source is the caller's to wipe.
    package init(_ bytes: UnsafeBufferPointer<UInt8>) {
        storage = Storage(count: bytes.count)
        unsafe storage.memory.copyMemory(from: UnsafeRawBufferPointer(bytes))
    }

    /// Copies bytes; the source is the caller's to wipe.
    package init(_ bytes: [UInt8]) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe Secret($0) }
    }

    /// Zeros.
    init(zeros count: Int) {
        storage = Storage(count: count)
        unsafe storage.memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Copies a text that is no secret by itself, or came as a text.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { unsafe Secret($0) }
    }

    /// Puts another secret between texts, without a copy that stays behind.
    package init(_ before: String, _ secret: Secret, _ after: String) {
        let (before, after) = (Array(before.utf8), Array(after.utf8))
        let count = secret.count
        storage = Storage(count: before.count + count + after.count)
        let memory = unsafe storage.memory
        unsafe memory.copyBytes(from: before)
        unsafe secret.withBytes { bytes in
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[before.count...])
                .copyMemory(from: UnsafeRawBufferPointer(bytes))
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: memory[(before.count + count)...])
            .copyBytes(from: after)
    }

    /// Takes bytes over, and wipes their first place.
    package init(wiping bytes: inout [UInt8]) {
        self = Secret(bytes)
        Secret.wipe(&bytes)
        bytes = []
    }

    /// Reads the first line of a file, without its end, as OpenSSL's own commands do.
    /// - Throws: `TLSError.cannotRead`.
    package init(firstLineOfFile path: String) throws(TLSError) {
        let file = try Secret(wholeFile: path)
        self = unsafe file.withBytes { bytes in
            var count = unsafe bytes.firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            if count > 0, unsafe bytes[count - 1] == UInt8(ascii: "\r") { count -= 1 }
            return unsafe Secret(UnsafeBufferPointer(rebasing: bytes[..<count]))
        }
    }

    /// Takes the value of an environment variable.
    /// - Throws: `TLSError.invalidValue` if it is not set.
    package init(environment name: String) throws(TLSError) {
        guard let value = unsafe getenv(name) else {
            throw .invalidValue("the environment variable \(name) is not set")
        }
        unsafe self.init(
            UnsafeBufferPointer(
                start: UnsafeRawPointer(value).assumingMemoryBound(to: UInt8.self),
                count: strlen(value)))
    }

    /// Reads a file without a byte order mark, at most `Limits.credentialFileBytesMax`.
    ///
    /// Keys, certificates and credentials are text, or begin with other bytes.
    /// - Throws: `TLSError.cannotRead`.
    package init(wholeFile path: String) throws(TLSError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotRead(file: path, reason: systemErrorText()) }
        defer { close(descriptor) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Limits.credentialFileBytesMax + 1, alignment: 16)
        var count = 0
        defer {
            // Only what was read: keys are small, and memory that was not touched is not there yet.
            unsafe OPENSSL_cleanse(buffer.baseAddress, count)
            unsafe buffer.deallocate()
        }
        while count < buffer.count {
            let free = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let result = unsafe Glibc.read(descriptor, free.baseAddress, free.count)
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw .cannotRead(file: path, reason: systemErrorText()) }
            if result == 0 { break }
            count += result
        }
        guard count <= Limits.credentialFileBytesMax else {
            throw .cannotRead(file: path, reason: "it is too large for a key or a certificate")
        }
        let bytes = unsafe buffer.assumingMemoryBound(to: UInt8.self)[..<count]
        unsafe self.init(
            UnsafeBufferPointer(rebasing: bytes.dropFirst(ByteOrderMark.count(in: bytes))))
    }

    /// Wipes bytes in memory that is not a secret's own, for good.
    package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        unsafe OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    }

    /// Wipes bytes that stay zeros.
    static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe wipe($0) }
    }

    /// The number of bytes.
    package var count: Int { unsafe storage.memory.count }

    /// Lends the bytes.
    ///
    /// A copy made inside is the caller's to wipe.
    package func withBytes<R, E>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try unsafe body(UnsafeBufferPointer(storage.memory.assumingMemoryBound(to: UInt8.self)))
    }

    /// True if it has these bytes; the time of the comparison does not tell where they differ.
    ///
    /// The number of the secret's bytes is not kept secret.
    package func isEqual(to bytes: [UInt8]) -> Bool {
        unsafe withBytes { own in
            guard own.count == bytes.count, !bytes.isEmpty else { return own.count == bytes.count }
            return unsafe CRYPTO_memcmp(own.baseAddress, bytes, own.count) == 0
        }
    }

    /// The memory behind a secret.
    ///
    /// Written by its creator only, hence safe to share.
    @safe
    private final class Storage: @unchecked Sendable {
        let memory: UnsafeMutableRawBufferPointer

        init(count: Int) {
            unsafe memory = .allocate(byteCount: count, alignment: 16)
        }

        deinit {
            unsafe OPENSSL_cleanse(memory.baseAddress, memory.count)
            unsafe memory.deallocate()
        }
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "‹secret›" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// Returns the text of `errno`.
func systemErrorText() -> String {
    // strerror may use a buffer of the thread for unknown numbers only, and ours are known ones.
    let text = unsafe strerror(errno).map { unsafe String(cString: $0) } ?? "error \(errno)"
    // In the middle of a sentence, as `FileError` has it.
    return text.prefix(1).lowercased() + text.dropFirst()
}
