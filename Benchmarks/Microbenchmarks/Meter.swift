import Glibc

/// Runs a piece of work until its time can be told, several times, and prints what an operation took.
///
/// Time is the processor time of this thread, so that others on the machine disturb less.
struct Meter {
    var runs: Int
    var nanosecondsMin: UInt64
    /// What is measured: those whose name begins like this.
    var prefix: String

    /// Measures work that does the same each time.
    /// - Parameters:
    ///   - name: What the line is called.
    ///   - bytes: The bytes that one call of `work` takes in or makes; the script makes MB/s of them.
    ///   - work: Says how many operations it has done.
    func measure(_ name: String, bytes: Int, _ work: () -> Int) {
        measure(name, bytes: bytes) { (stopwatch: inout Stopwatch) in
            stopwatch.start()
            defer { stopwatch.stop() }
            return work()
        }
    }

    /// Measures work that stops the clock while it prepares.
    func measure(_ name: String, bytes: Int, _ work: (inout Stopwatch) -> Int) {
        guard name.hasPrefix(prefix) else { return }
        var repetitions = 1
        // The first calls warm up and find out how often a run has to call.
        while run(repetitions, work).nanoseconds < nanosecondsMin { repetitions *= 2 }
        var operations = 0
        var times: [String] = []
        for _ in 0..<runs {
            let run = run(repetitions, work)
            operations = run.operations
            times.append(String(Double(run.nanoseconds) / Double(run.operations)))
        }
        let bytesPerOperation = Double(bytes * repetitions) / Double(operations)
        print("\(name)\t\(operations)\t\(bytesPerOperation)\t\(times.joined(separator: " "))")
    }

    private func run(
        _ repetitions: Int, _ work: (inout Stopwatch) -> Int
    ) -> (operations: Int, nanoseconds: UInt64) {
        var stopwatch = Stopwatch()
        var operations = 0
        for _ in 0..<repetitions { operations += work(&stopwatch) }
        return (operations, stopwatch.nanoseconds)
    }
}

/// The processor time of this thread between start and stop, summed up.
struct Stopwatch {
    private(set) var nanoseconds: UInt64 = 0
    private var begin: UInt64 = 0

    mutating func start() { begin = Self.now }

    mutating func stop() { nanoseconds += Self.now - begin }

    private static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
