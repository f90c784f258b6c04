import Glibc

/// The seeds that are run, from the environment; see `dev/README.md`.
package struct SeedChoice {
    package private(set) var seeds: ClosedRange<UInt64>
    package private(set) var keepsTrace = false
    /// After so many seconds no further one is begun.
    private var seconds: Double?
    private let start = ContinuousClock().now

    /// - Parameter count: The number of seeds, if the environment names none.
    package init(usual count: UInt64 = 2000) {
        seeds = 1...count
        func number(_ name: String) -> UInt64? {
            getenv(name).flatMap { UInt64(String(cString: $0)) }
        }
        if let seed = number("FANFARE_SEED") { seeds = seed...seed }
        if let first = number("FANFARE_FIRST") { seeds = first...first + 299 }
        if let count = number("FANFARE_COUNT") {
            seeds = seeds.lowerBound...seeds.lowerBound + max(count, 1) - 1
        }
        if let minutes = number("FANFARE_MINUTES") {
            seconds = Double(minutes) * 60
            seeds = seeds.lowerBound...UInt64.max - 1
        }
        keepsTrace = getenv("FANFARE_TRACE") != nil
    }

    /// True if the time is over.
    package var isOver: Bool {
        seconds.map { ContinuousClock().now - start > .seconds($0) } ?? false
    }
}
