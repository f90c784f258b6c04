import Synchronization

/// A part that makes its value one that is changed only where it is.
///
/// A noncopyable struct is never copied by the language, but it is by the compiler: to call a method
/// that only reads, it loads the whole struct and lays it down on the stack again. For the engine,
/// the dispatcher and the session that was 9 KB moved per notification. An atomic cannot be loaded as
/// part of something, so a value that holds one is handed on by its address.
public struct InPlace: ~Copyable, Sendable {
    private let mark = Atomic<UInt8>(0)

    /// Marks the value that holds it.
    public init() {}
}
