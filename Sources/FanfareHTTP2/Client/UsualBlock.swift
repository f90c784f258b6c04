internal import FanfareBase

/// The field block that nearly all requests of a connection have, but for the values of their places.
///
/// ```
///  run             run         value     run       run  value  run
///  83 87 C1 04  ‹n› /3/device/ ‹token›   0F 31 ‹n›      ‹id›   BF BE C0
/// ```
/// ‹n› is a string's length, beginning and value together. Valid until the peer's table changes.
@safe
struct UsualBlock: ~Copyable {
    /// A run of so many bytes is copied without asking how long it is.
    static let runBytesMax = 16

    private let placeCount: Int
    private let bytes: UnsafeMutablePointer<UInt8>
    /// The end of each run, counted in bytes: two for each place, before and behind the length, and
    /// the last one.
    private let ends: UnsafeMutablePointer<Int>
    private var runs = 0

    init(placeCount: Int, bytesMax: Int) {
        self.placeCount = placeCount
        unsafe bytes = .allocate(capacity: bytesMax + Self.runBytesMax)
        unsafe bytes.initialize(repeating: 0, count: bytesMax + Self.runBytesMax)
        unsafe ends = .allocate(capacity: 2 * placeCount + 1)
    }

    deinit {
        unsafe bytes.deallocate()
        unsafe ends.deallocate()
    }

    /// True if the runs are there.
    var isKnown: Bool { runs > 2 * placeCount }

    mutating func forget() {
        runs = 0
    }

    /// Returns the memory into which the runs are written, one behind the other.
    mutating func begin() -> UnsafeMutablePointer<UInt8> {
        runs = 0
        return unsafe bytes
    }

    mutating func endRun(at end: UnsafeMutablePointer<UInt8>) {
        unsafe ends[runs] = end - bytes
        runs += 1
    }

    /// True if a request has all values.
    func fits(_ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>) -> Bool {
        for place in 0..<placeCount where unsafe values[place].baseAddress == nil { return false }
        return true
    }

    /// Writes the block of a request to where there is room for `runBytesMax` bytes beyond it.
    func write(
        _ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>,
        to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        var next = unsafe target
        var start = 0
        for place in 0..<placeCount {
            let value = unsafe values[place]
            let middle = unsafe ends[2 * place]
            let end = unsafe ends[2 * place + 1]
            unsafe next = copyRun(start, middle, to: next)
            unsafe next = FieldLiteral.write(
                end - middle + value.count, prefix: 7, mark: 0, to: next)
            if end > middle { unsafe next = copyRun(middle, end, to: next) }
            unsafe next = FieldLiteral.copy(value, to: next)
            start = end
        }
        return unsafe copyRun(start, ends[2 * placeCount], to: next)
    }

    private func copyRun(
        _ start: Int, _ end: Int, to target: UnsafeMutablePointer<UInt8>
    ) -> UnsafeMutablePointer<UInt8> {
        let count = end - start
        if count <= Self.runBytesMax {
            // A constant number of bytes is two moves, where any other is a call.
            unsafe target.update(from: bytes + start, count: Self.runBytesMax)
        } else {
            unsafe target.update(from: bytes + start, count: count)
        }
        return unsafe target + count
    }
}
