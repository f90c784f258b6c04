import FanfareCore
import FanfareLoop
import Synchronization

/// The report file and the thread that writes it.
///
/// Lanes hand over blocks of whole lines and never wait for the disk: when it is slow they stop
/// starting requests (`isBehind`), and what is in flight by then still finds room.
final class ReportSink: Sendable {
    private let empty: Handoff<ReportBlock>
    private let full: Handoff<ReportBlock>
    private let behindCount: Int
    private let file: FileDescriptor
    private let name: String
    private let headerBytes: Int
    private let control: JobControl
    private let lost = Mutex(UnreportedRows())

    /// Creates the report.
    /// - Throws: `FanfareError.Code.configuration` when it exists and may not be replaced,
    ///   `FanfareError.Code.output` when it cannot be created.
    init(
        _ options: ReportOptions, format: ReportFormat, lanes: Int, control: JobControl
    ) throws(FanfareError) {
        // A reader may be gone before the header has been written.
        ProcessSignal.ignoreBrokenPipe()
        name = options.path == "-" ? "standard output" : options.path
        self.control = control
        behindCount = Limits.reportBlockCount(lanes: lanes)
        empty = Handoff(capacity: behindCount)
        // Never full in practice: requests stop when it `isBehind`, and what is in flight is bounded.
        full = Handoff(capacity: Limits.reportQueueMax)
        file = try Self.open(options)
        var header = ByteBuffer()
        header.append(format.header)
        headerBytes = header.count
        do throws(FileError) {
            unsafe try file.writeAll(UnsafeRawBufferPointer(header.bytes))
        } catch {
            throw FanfareError(.output, "\(name) cannot be written: \(error.reason)")
        }
    }

    private static func open(_ options: ReportOptions) throws(FanfareError) -> FileDescriptor {
        if options.path == "-" { return .standardOutput }
        // A device or a pipe by its name (`/dev/null`, `/dev/fd/3`) is always there, and no report.
        let isDevice = options.path.hasPrefix("/dev/")
        do throws(FileError) {
            return try .writing(
                options.path,
                existing: isDevice ? .keep : options.overwrites ? .truncate : .refuse)
        } catch {
            if error.kind == .exists {
                throw FanfareError(
                    .configuration,
                    "\(options.path) exists already; --overwrite replaces it, "
                        + "--report FILE names another one")
            }
            throw FanfareError(.output, "\(options.path) cannot be created: \(error.reason)")
        }
    }

    // MARK: Lanes

    func emptyBlock() -> ReportBlock { empty.tryPop() ?? ReportBlock() }

    func submit(_ block: ReportBlock) {
        _ = full.push(block)
    }

    /// More blocks wait than the writer should be behind.
    var isBehind: Bool { full.count >= behindCount }

    // MARK: Writer

    /// Writes blocks until `close`; runs on the writer's thread.
    func run() {
        var position = headerBytes
        while let block = full.pop() {
            // Lanes that stopped because of `isBehind` may have nothing else that would wake them.
            if full.count == behindCount - 1 { control.wakeLanes() }
            if lost.withLock({ $0.isEmpty }) {
                write(block, at: position)
                position += block.lines.count
            } else {
                lost.withLock { $0.add(block.rows[...]) }
            }
            block.reset()
            _ = empty.tryPush(block)
        }
    }

    /// No more blocks will come.
    func close() {
        full.close()
    }

    private func write(_ block: ReportBlock, at position: Int) {
        do throws(FileError) {
            unsafe try file.writeAll(UnsafeRawBufferPointer(block.lines.bytes))
        } catch {
            let whole = keepWholeLines(of: block, at: position)
            lost.withLock { $0.add(block.rows[whole...]) }
            control.stop(JobStop(.inputOutput, "\(name) cannot be written: \(error.reason)"))
        }
    }

    /// Cuts off a line that was written in part, so that the report ends with a whole one.
    /// - Returns: The number of the block's lines that are in the report.
    private func keepWholeLines(of block: ReportBlock, at position: Int) -> Int {
        do throws(FileError) {
            guard try file.isRegularFile else { return 0 }
            let whole = block.wholeLines(within: try file.size - position)
            try file.truncate(toBytes: position + whole.bytes)
            return whole.count
        } catch {
            // A torn line may stay then; all the block's rows are named as missing.
            return 0
        }
    }

    /// Rows that have an outcome which the report does not show.
    var unreported: UnreportedRows { lost.withLock { $0 } }
}

/// The rows whose lines could not be written, as ranges.
struct UnreportedRows: Sendable {
    private(set) var count = 0
    private var rows: [UInt64] = []

    var isEmpty: Bool { count == 0 }

    mutating func add(_ more: ArraySlice<UInt64>) {
        count += more.count
        rows += more
    }

    /// The row numbers as text: `17-19, 23`.
    var description: String {
        var ranges: [ClosedRange<UInt64>] = []
        for row in rows.sorted() {
            if let last = ranges.last, last.upperBound + 1 == row {
                ranges[ranges.count - 1] = last.lowerBound...row
            } else {
                ranges.append(row...row)
            }
        }
        return ranges.map {
            $0.count == 1 ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
        }
        .joined(separator: ", ")
    }
}
