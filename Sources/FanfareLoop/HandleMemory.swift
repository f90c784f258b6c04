internal import CUV

#if canImport(Glibc)
    internal import Glibc
#endif

// libuv calls the memory of a handle its own from the handle's init until the close callback, and
// the memory of a request until the request's callback ("Handles and requests" in its design.rst).
// So handles are never members of a Swift object: they are allocations that outlive it.

/// Allocates a C structure for libuv, filled with zeros.
func allocateZeroed<T>(_ type: T.Type) -> UnsafeMutablePointer<T> {
    let memory = UnsafeMutableRawPointer.allocate(
        byteCount: MemoryLayout<T>.size, alignment: MemoryLayout<T>.alignment)
    unsafe memset(memory, 0, MemoryLayout<T>.size)
    return unsafe memory.bindMemory(to: T.self, capacity: 1)
}

/// Closes a handle whose owner is going away.
///
/// No callback reaches the owner any more, and the memory is freed when libuv lets go of it.
func closeAndFree<T>(_ handle: UnsafeMutablePointer<T>) {
    let base = unsafe handle.asHandle
    unsafe base.pointee.data = nil
    unsafe uv_close(base) { unsafe $0?.deallocate() }
}

extension UnsafeMutablePointer {
    /// The same structure as libuv's base "class", which every handle starts with.
    var asHandle: UnsafeMutablePointer<uv_handle_t> {
        unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: uv_handle_t.self)
    }

    /// The same structure as a stream.
    ///
    /// It is only for `uv_tcp_t`, which starts with one.
    var asStream: UnsafeMutablePointer<uv_stream_t> {
        unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: uv_stream_t.self)
    }
}

/// Returns the Swift object behind a handle's `data`, unless it has gone.
func owner<Owner: AnyObject>(
    _ type: Owner.Type, behind data: UnsafeMutableRawPointer?
) -> Owner? {
    guard let data = unsafe data else { return nil }
    return unsafe Unmanaged<Owner>.fromOpaque(data).takeUnretainedValue()
}
