import FanfareBase

/// Lines with their row numbers, one behind the other in one piece of memory, that can be sorted.
package struct LineBuffer: ~Copyable {
    private struct Place {
        var row: UInt64
        var range: ByteRange
    }

    private var text: ByteBuffer
    private var places: [Place] = []

    /// Makes room.
    /// - Parameter bytesMax: The expected weight; the buffer may become heavier by one line.
    package init(bytesMax: Int) {
        text = ByteBuffer(capacity: bytesMax)
    }

    /// The number of lines.
    package var count: Int { places.count }

    /// The bytes that lines and places take.
    package var weight: Int { text.count + places.count * MemoryLayout<Place>.stride }

    /// Returns the bytes that a line of a length takes.
    package static func weight(ofLine length: Int) -> Int { length + MemoryLayout<Place>.stride }

    /// Adds a line.
    package mutating func append(row: UInt64, _ line: UnsafeBufferPointer<UInt8>) {
        places.append(Place(row: row, range: ByteRange(start: text.count, count: line.count)))
        unsafe text.append(line)
    }

    /// Sorts the lines by their rows; those of one row stay in the order in which they came.
    package mutating func sort() {
        places.sort { ($0.row, $0.range.start) < ($1.row, $1.range.start) }
    }

    /// Returns the row of the line at a place.
    package func row(at index: Int) -> UInt64 { places[index].row }

    /// Returns the line at a place.
    ///
    /// It is valid until the next change.
    package func line(at index: Int) -> UnsafeBufferPointer<UInt8> {
        unsafe text.bytes(places[index].range)
    }

    /// Forgets all lines and keeps the memory.
    package mutating func removeAll() {
        text.removeAll()
        places.removeAll(keepingCapacity: true)
    }
}
