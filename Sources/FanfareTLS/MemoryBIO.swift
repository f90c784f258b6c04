internal import COpenSSL

/// OpenSSL's readers and writers of files, working on memory instead.
enum MemoryBIO {
    /// Lends a read-only stream over bytes.
    static func reading<R>(
        _ secret: Secret, _ body: (OpaquePointer) throws(TLSError) -> R
    ) throws(TLSError) -> R {
        try unsafe secret.withBytes { (bytes) throws(TLSError) -> R in
            // A null address would mean "read a string of unknown length".
            guard let start = bytes.baseAddress,
                let bio = unsafe BIO_new_mem_buf(start, Int32(bytes.count))
            else { throw .libraryFailure(ErrorQueue.drain().text) }
            defer { unsafe BIO_free(bio) }
            return try unsafe body(bio)
        }
    }

    /// Collects the bytes that `body` writes.
    static func writing(_ body: (OpaquePointer) -> Bool) throws(TLSError) -> Secret {
        ErrorQueue.clear()
        // Memory of the "secure" kind is wiped when it is freed or grows.
        guard let bio = unsafe BIO_new(BIO_s_secmem()) else {
            throw .libraryFailure(ErrorQueue.drain().text)
        }
        defer { unsafe BIO_free(bio) }
        guard unsafe body(bio) else { throw .libraryFailure(ErrorQueue.drain().text) }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe fanfare_BIO_get_mem_data(bio, &start)
        return unsafe Secret(
            UnsafeBufferPointer(
                start: UnsafeRawPointer(start)?.assumingMemoryBound(to: UInt8.self),
                count: start == nil ? 0 : count))
    }

    /// Collects text that `body` writes.
    static func text(_ body: (OpaquePointer) -> Bool) throws(TLSError) -> String {
        try unsafe writing(body).withBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
