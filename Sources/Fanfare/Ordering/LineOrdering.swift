import FanfareBase
import FanfareCore
import FanfareSystem

/// Lines that can be read more than once.
protocol LineSource {
    /// Calls a closure with each line and its row; the same ones each time.
    func forEachLine(_ body: LineOrdering.Body) throws(FanfareError)
}

/// Brings lines into the order of their rows, in memory that does not grow with them.
///
/// The lines are read twice. Nearly all of them are in order as soon as a window has looked some
/// 100,000 of them ahead; the first reading finds those that are not, and sorts them. The second
/// one does the same again, and puts them between the others. So it writes only the result and the
/// late lines.
struct LineOrdering {
    /// A function that is called with each line and its row.
    typealias Body = (UInt64, UnsafeBufferPointer<UInt8>) throws(FanfareError) -> Void

    /// The folder for late lines, if there are too many of them for the memory.
    let folder: String
    var windowBytes = Limits.orderingWindowBytes
    var lateBytes = Limits.orderingLateBytes
    var runsMax = Limits.orderingRunsMax

    /// Reads lines, and writes them in order.
    ///
    /// Lines of one row come in the order in which they are read, unless they are far from each
    /// other.
    /// - Parameters:
    ///   - source: The lines.
    ///   - writing: Called with each line in order.
    /// - Throws: The errors of the two, and `FanfareError.Code.output` when the disk has no room
    ///   for late lines.
    func order(_ source: some LineSource, writing: Body) throws(FanfareError) {
        guard var late = unsafe try findLate(source, writing) else { return }
        var window = OrderingWindow(bytesMax: windowBytes)
        unsafe try source.forEachLine { row, line throws(FanfareError) in
            unsafe window.add(row: row, line)
            if window.isFull { unsafe try write(&window, &late, isEnd: false, writing) }
        }
        unsafe try write(&window, &late, isEnd: true, writing)
        unsafe try write(&late, before: .max, writing)
    }

    /// The first reading.
    /// - Returns: The late lines in order; nil if all lines were in the window at once, and are
    ///   written.
    private func findLate(
        _ source: some LineSource, _ writing: Body
    ) throws(FanfareError) -> RunMerge? {
        var late = LateLines(folder: folder, bytesMax: lateBytes, runsMax: runsMax)
        var window = OrderingWindow(bytesMax: windowBytes)
        unsafe try source.forEachLine { row, line throws(FanfareError) in
            unsafe window.add(row: row, line)
            if window.isFull { try Self.keepLate(&window, &late, isEnd: false) }
        }
        guard window.hasTurned else {
            unsafe try window.turn(isEnd: true) { row, line, _ throws(FanfareError) in
                unsafe try writing(row, line)
            }
            return nil
        }
        try Self.keepLate(&window, &late, isEnd: true)
        do throws(FileError) {
            return try late.sorted()
        } catch {
            throw Self.failed(error)
        }
    }

    private static func keepLate(
        _ window: inout OrderingWindow, _ late: inout LateLines, isEnd: Bool
    ) throws(FanfareError) {
        do throws(FileError) {
            unsafe try window.turn(isEnd: isEnd) { row, line, isLate throws(FileError) in
                if isLate { unsafe try late.add(row: row, line) }
            }
        } catch {
            throw failed(error)
        }
    }

    private func write(
        _ window: inout OrderingWindow, _ late: inout RunMerge, isEnd: Bool, _ writing: Body
    ) throws(FanfareError) {
        unsafe try window.turn(isEnd: isEnd) { row, line, isLate throws(FanfareError) in
            guard !isLate else { return }
            unsafe try write(&late, before: row, writing)
            unsafe try writing(row, line)
        }
    }

    private func write(
        _ late: inout RunMerge, before row: UInt64, _ writing: Body
    ) throws(FanfareError) {
        while let next = late.row, next < row {
            if let failure = unsafe try late.take(writing) { throw Self.failed(failure) }
        }
    }

    private static func failed(_ error: FileError) -> FanfareError {
        FanfareError(.output, "lines that come late cannot be put aside: \(error.sentence)")
    }
}
