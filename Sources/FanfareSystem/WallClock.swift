package import FanfareBase

#if canImport(Glibc)
    internal import Glibc
#endif

/// The clock on the wall, for times that people and other machines read.
///
/// It is never for measuring.
package enum WallClock {
    /// Milliseconds of UNIX time.
    package static var milliseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The clock that drives loops and sleeping threads.
///
/// It cannot be set, and it goes on while the machine sleeps: a closed laptop is then the same as a
/// process that was stopped for that time. With `CLOCK_MONOTONIC`, which stands still, hours and
/// expirations would be late by the whole sleep.
package enum MachineClock {
    /// Nanoseconds since the start of the machine: 2⁶³ of them are 292 years.
    package static var now: Instant { read(CLOCK_BOOTTIME) }

    /// The time for waits that can only use `CLOCK_MONOTONIC`: libuv's timers, and a thread with a
    /// condition.
    package static var waiting: Instant { read(CLOCK_MONOTONIC) }

    private static func read(_ clock: clockid_t) -> Instant {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return Instant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

/// The processors that this process may use.
package enum ProcessorCount {
    package static var available: Int {
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }
}

/// The processor time of the calling thread.
package enum ThreadClock {
    /// CPU time in nanoseconds, user and system together.
    package static var nanoseconds: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}

/// The system that this process runs on.
package enum SystemName {
    /// Name and release of the kernel: `Linux 6.1.0 x86_64`.
    package static var kernel: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "unknown" }
        return [text(name.sysname), text(name.release), text(name.machine)]
            .joined(separator: " ")
    }

    /// Returns the text in a field of fixed size.
    private static func text<Field>(_ field: Field) -> String {
        unsafe withUnsafeBytes(of: field) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
