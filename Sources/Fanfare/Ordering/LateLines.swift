import FanfareBase
import FanfareCore
import FanfareSystem

/// Lines that came too late for their order: in memory, and beyond that as sorted runs in files.
///
/// As soon as there are many runs of one length they are merged into one of the next length, so that
/// there are never many, and each line is written once for each length.
struct LateLines: ~Copyable {
    /// Runs of about one length.
    private struct Level {
        var file: NamelessFile
        var runs: [Range<Int>] = []

        var opened: [any SortedRun] {
            get throws(FileError) {
                try runs.map { run throws(FileError) in try FileRun(file, run) }
            }
        }
    }

    private var lines: LineBuffer
    private var levels: [Level] = []
    private let folder: String
    private let bytesMax: Int
    private let runsMax: Int

    /// - Parameters:
    ///   - folder: The folder for files, which have no names.
    ///   - bytesMax: The most bytes that it keeps in memory.
    ///   - runsMax: The runs of a length before they are merged.
    init(
        folder: String, bytesMax: Int = Limits.orderingLateBytes,
        runsMax: Int = Limits.orderingRunsMax
    ) {
        self.folder = folder
        self.bytesMax = bytesMax
        self.runsMax = runsMax
        lines = LineBuffer(bytesMax: bytesMax)
    }

    /// Adds a line.
    /// - Throws: `FileError` when the disk has no room for the line.
    mutating func add(row: UInt64, _ line: UnsafeBufferPointer<UInt8>) throws(FileError) {
        unsafe lines.append(row: row, line)
        guard lines.weight >= bytesMax else { return }
        lines.sort()
        var writer = FileRun.Writer(try file(ofLevel: 0))
        for index in 0..<lines.count {
            unsafe try writer.append(row: lines.row(at: index), lines.line(at: index))
        }
        lines.removeAll()
        try add(try writer.finish(), toLevel: 0)
    }

    private mutating func file(ofLevel level: Int) throws(FileError) -> NamelessFile {
        if level == levels.count { levels.append(Level(file: try NamelessFile(folder: folder))) }
        return levels[level].file
    }

    private mutating func add(_ run: Range<Int>, toLevel level: Int) throws(FileError) {
        levels[level].runs.append(run)
        guard levels[level].runs.count >= runsMax else { return }
        var writer = FileRun.Writer(try file(ofLevel: level + 1))
        var merge = RunMerge(try levels[level].opened)
        while merge.row != nil {
            let failure = unsafe try merge.take { row, line throws(FileError) in
                unsafe try writer.append(row: row, line)
            }
            if let failure { throw failure }
        }
        // A new file: the room of the old one comes back when it is closed.
        levels[level] = Level(file: try NamelessFile(folder: folder))
        try add(try writer.finish(), toLevel: level + 1)
    }

    /// All lines in order.
    consuming func sorted() throws(FileError) -> RunMerge {
        lines.sort()
        var runs: [any SortedRun] = []
        // The longest ones came first.
        for level in levels.reversed() { runs += try level.opened }
        runs.append(MemoryRun(lines))
        return RunMerge(runs)
    }
}
