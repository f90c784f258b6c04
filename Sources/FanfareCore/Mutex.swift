#if FANFARE_PTHREAD_MUTEX
    internal import FanfareBase

    /// Found before the standard library's.
    typealias Mutex<Value: ~Copyable> = KnownMutex<Value>
#endif
