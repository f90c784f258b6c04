#if FANFARE_PTHREAD_MUTEX
    internal import FanfareCore

    /// Found before the standard library's.
    typealias Mutex<Value: ~Copyable> = KnownMutex<Value>
#endif
