import FanfareCore
import FanfareSystem

/// Several sorted runs as one: the line with the lowest row first.
struct RunMerge {
    /// A heap: none has a lower row than its half-way predecessor, and of equal ones the older run
    /// comes first.
    private var heap: [(row: UInt64, age: Int, run: any SortedRun)] = []

    /// - Parameter runs: The one whose lines came first comes first.
    init(_ runs: [any SortedRun]) {
        for (age, run) in runs.enumerated() {
            if let row = run.row { heap.append((row, age, run)) }
        }
        heap.sort { ($0.row, $0.age) < ($1.row, $1.age) }
    }

    /// The row of the next line; `nil` when there is none.
    var row: UInt64? { heap.first?.row }

    /// Calls a closure with the next line and goes on to the one behind it.
    ///
    /// There has to be one.
    mutating func take<Failure: Error>(
        _ body: (UInt64, UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) -> FileError? {
        let first = heap[0]
        unsafe try body(first.row, first.run.line)
        do throws(FileError) {
            try first.run.advance()
        } catch {
            return error
        }
        if let row = first.run.row {
            heap[0].row = row
        } else if let last = heap.popLast(), !heap.isEmpty {
            heap[0] = last
        }
        settle()
        return nil
    }

    /// The first one sinks to where it belongs.
    private mutating func settle() {
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count {
                let (one, other) = (heap[child], heap[least])
                if (one.row, one.age) < (other.row, other.age) { least = child }
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }
}
