/// A value at a fixed address, so that C may hold a pointer to it.
///
/// Recovering a class in a C callback costs a retain, a release and an exclusivity check per
/// property; a value behind a pointer costs neither. The price: exclusivity is not checked, so a
/// callback records the event and never calls out, and only one `withValue` is active at a time.
@safe
public struct Pinned<Value: ~Copyable>: ~Copyable {
    @usableFromInline let pointer: UnsafeMutablePointer<Value>

    /// Moves a value to an address of its own.
    public init(_ value: consuming Value) {
        unsafe pointer = .allocate(capacity: 1)
        unsafe pointer.initialize(to: value)
    }

    deinit {
        unsafe pointer.deinitialize(count: 1)
        unsafe pointer.deallocate()
    }

    /// The pointer that C keeps.
    ///
    /// It is valid as long as this box lives.
    public var userData: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(pointer) }

    // Always: left to itself the compiler keeps one generic copy that is called through closures,
    // which costs some 700 instructions a request in `BlockPool` alone.
    /// Works on the value.
    @inlinable @inline(__always)
    public func withValue<R: ~Copyable, E>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        try unsafe body(&pointer.pointee)
    }

    /// Works on the value behind a pointer that C has handed back.
    @inlinable @inline(__always)
    public static func withValue<R: ~Copyable, E>(
        behind userData: UnsafeMutableRawPointer?,
        _ body: (inout Value) throws(E) -> R
    ) throws(E) -> R {
        guard let userData = unsafe userData else {
            preconditionFailure("BUG: a C callback came without its user data")
        }
        return try unsafe body(&userData.assumingMemoryBound(to: Value.self).pointee)
    }
}
