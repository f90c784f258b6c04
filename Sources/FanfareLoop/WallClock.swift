#if canImport(Glibc)
    internal import Glibc
#endif

/// The clock on the wall, for what people and other machines read.
///
/// Never for measuring.
package enum WallClock {
    /// Milliseconds of UNIX time.
    package static var milliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The processors that this process may use.
package enum ProcessorCount {
    package static var available: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}
