#if FANFARE_PTHREAD_MUTEX
    import FanfareCore

    /// Found before the standard library's.
    typealias Mutex<Value: ~Copyable> = KnownMutex<Value>
#endif
