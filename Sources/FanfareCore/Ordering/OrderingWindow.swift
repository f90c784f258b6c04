/// A window that puts nearly ordered lines in order, and reports those that come too late for it.
///
/// It reads ahead as far as its memory goes. When it is full, the half with the lowest rows leaves,
/// in order; a line whose row is lower than one that has left already is late.
///
/// Its result depends on the lines alone: a caller that passes the same lines once more gets the
/// same result.
package struct OrderingWindow: ~Copyable {
    private var lines: LineBuffer
    /// The lines that stay when a half leaves.
    private var staying: LineBuffer
    private let bytesMax: Int
    /// The highest row that has left in order.
    private var lastRow: UInt64 = 0
    /// True if it was full once: until then it has all lines.
    package private(set) var hasTurned = false

    /// Makes an empty window.
    /// - Parameter bytesMax: The most weight of its lines.
    package init(bytesMax: Int) {
        self.bytesMax = bytesMax
        lines = LineBuffer(bytesMax: bytesMax)
        staying = LineBuffer(bytesMax: bytesMax)
    }

    /// True if `turn` has to be called before the next line comes.
    package var isFull: Bool { lines.weight >= bytesMax }

    /// Takes a line.
    package mutating func add(row: UInt64, _ line: UnsafeBufferPointer<UInt8>) {
        unsafe lines.append(row: row, line)
    }

    /// Lets lines leave: all late ones, and of the others the half with the lowest rows.
    /// - Parameters:
    ///   - isEnd: True if all lines leave, because no more will come.
    ///   - body: Called for each line that leaves, with whether it is late. Those that are not come
    ///     in order, over all turns.
    /// - Throws: The error of `body`.
    package mutating func turn<Failure: Error>(
        isEnd: Bool,
        _ body: (UInt64, UnsafeBufferPointer<UInt8>, _ isLate: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        hasTurned = true
        lines.sort()
        let leavingBytes = isEnd ? Int.max : lines.weight / 2
        var left = 0
        var index = 0
        while index < lines.count {
            let row = lines.row(at: index)
            let line = unsafe lines.line(at: index)
            let isLate = row < lastRow
            if !isLate {
                guard left < leavingBytes else { break }
                lastRow = row
            }
            unsafe try body(row, line, isLate)
            left += LineBuffer.weight(ofLine: line.count)
            index += 1
        }
        for index in index..<lines.count {
            unsafe staying.append(row: lines.row(at: index), lines.line(at: index))
        }
        lines.removeAll()
        swap(&lines, &staying)
    }
}
