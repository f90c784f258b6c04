#if FANFARE_PTHREAD_MUTEX
    #if canImport(Glibc)
        internal import Glibc
    #endif

    /// `Mutex` with the system's lock, for a build under the thread sanitizer.
    ///
    /// The sanitizer sees the order that the system's locks make, but not the futex behind the
    /// standard library's `Mutex`, so that it takes everything that such a mutex guards for races.
    /// Modules that have mutexes know this one by the same name in such a build (`dev/check
    /// sanitizers`), and in no other.
    @safe
    package struct KnownMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Neither may move.
        private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
        private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

        package init(_ initialValue: consuming sending Value) {
            unsafe pthread_mutex_init(lock, nil)
            unsafe value.initialize(to: initialValue)
        }

        deinit {
            unsafe value.deinitialize(count: 1)
            unsafe pthread_mutex_destroy(lock)
            unsafe value.deallocate()
            unsafe lock.deallocate()
        }

        /// Calls a function with the value, which no other thread has meanwhile.
        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            unsafe pthread_mutex_lock(lock)
            defer { unsafe pthread_mutex_unlock(lock) }
            return try unsafe body(&value.pointee)
        }
    }
#endif
