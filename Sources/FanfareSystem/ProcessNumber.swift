#if canImport(Glibc)
    internal import Glibc
#endif

/// The number by which the system knows a process while it lives.
package enum ProcessNumber {
    /// That of this process.
    package static var own: Int32 { getpid() }
}
