import FanfareBase
import FanfareCore
import FanfareSystem

/// The output files of a job: written together, cut together.
///
/// Use from one thread at a time.
struct RecordFiles<Disk: JobDisk>: Sendable {
    typealias Open = (kind: OutputKind, file: RecordFile<Disk>)

    /// The files in the order in which they are written.
    let files: [Open]
    /// The report's final file, if another file collects its lines first.
    let destination: RecordFile<Disk>?

    /// Takes over open files.
    /// - Parameters:
    ///   - files: The files, in the order of `OutputKind`.
    ///   - destination: The report's final file, if that is another file.
    init(_ files: [Open], destination: RecordFile<Disk>? = nil) {
        self.files = files
        self.destination = destination
    }

    /// Opens the files of an unfinished job, to continue where they are whole.
    /// - Parameters:
    ///   - specs: The files of the earlier run.
    ///   - lengths: The lengths to cut the files to; the files are at least that long.
    ///   - open: Opens a file.
    /// - Throws: `FanfareError.Code.output` when a file cannot be opened or cut.
    init(
        _ specs: [OutputSpec], continuingAt lengths: OutputLengths,
        open: (OutputSpec) throws(FanfareError) -> RecordFile<Disk>
    ) throws(FanfareError) {
        var found: [Open] = []
        for kind in OutputKind.allCases {
            guard let spec = specs.first(where: { $0.kind == kind }) else { continue }
            let file = try open(spec)
            do throws(FileError) {
                try file.goOn(at: lengths[kind], header: spec.header)
            } catch {
                throw FanfareError(.output, "\(file.name) cannot be cut: \(error.reason)")
            }
            found.append((kind, file))
        }
        self.init(found)
    }

    /// Begins all files anew, with their headers.
    func begin(_ specs: [OutputSpec]) throws(FanfareError) {
        for (kind, file) in files {
            guard let spec = specs.first(where: { $0.kind == kind }) else { continue }
            do throws(FileError) {
                try file.cut(toLength: 0)
                try file.begin(with: spec.header)
            } catch {
                throw FanfareError(.output, "\(file.name) cannot be written: \(error.reason)")
            }
        }
    }

    /// Takes the files away of a job that could not begin, or has no row in them.
    func remove() {
        for (_, file) in files where file.first.canBeCut && file.first.hasName {
            // There is an error to be told already.
            try? file.remove()
        }
    }

    /// The report, if the job writes one.
    var report: RecordFile<Disk>? { files.first { $0.kind == .report }?.file }

    // MARK: Writing

    /// Makes all that was written survive a loss of power.
    func synchronize() throws(FileError) {
        for (_, file) in files { try file.synchronize() }
    }

    /// The change that others have made to a file; `nil` if all are as they were written.
    var change: (kind: OutputKind, change: FileChange)? {
        get throws(FileError) {
            for (kind, file) in files {
                if let change = try file.change { return (kind, change) }
            }
            return nil
        }
    }

    /// The length of each file as far as it is whole.
    var lengths: OutputLengths {
        var lengths = OutputLengths()
        for (kind, file) in files { lengths[kind] = file.length }
        return lengths
    }

    /// The rows of a block that have reached the files.
    struct Appended {
        /// The rows that have everything they should, from the block's front.
        var rowCount: Int
        /// The failure, if some rows have not.
        var failure: String?
    }

    /// Turns a block into the bytes that `append` writes.
    /// - Returns: The growth of each file.
    func prepare(_ block: ReportBlock) -> OutputLengths {
        var lengths = OutputLengths()
        for (kind, file) in files { lengths[kind] = unsafe file.prepare(block.bytes(of: kind)) }
        return lengths
    }

    /// Begins new parts of files that have no room for the bytes from `prepare`.
    /// - Returns: True if there are new parts.
    func makeRoom(for growth: OutputLengths) throws(FileError) -> Bool {
        var isNew = false
        for (kind, file) in files where try file.makeRoom(for: growth[kind]) { isNew = true }
        return isNew
    }

    /// Appends the prepared bytes of a block to each file.
    ///
    /// After a failure the files are cut so that they hold the same rows, and whole ones. One that is
    /// compressed has all rows of the block or none.
    func append(_ block: ReportBlock) -> Appended {
        let before = lengths
        let isCompressed = files.contains { $0.file.isCompressed }
        var failure: String?
        var written = OutputLengths(retryRows: .max, unregistered: .max, report: .max)
        for (kind, file) in files {
            var bytes = unsafe block.bytes(of: kind)
            if failure != nil {
                // A report as long as was intended would say that the other files are, too.
                let count = isCompressed ? 0 : block.wholeRows(within: written)
                let kept = block.lengths(ofFirst: count)[kind]
                unsafe bytes = UnsafeBufferPointer(rebasing: bytes[..<kept])
            }
            do throws(FileError) {
                unsafe try file.append(bytes)
            } catch {
                failure = failure ?? "\(file.name) cannot be written: \(error.reason)"
                written[kind] = (try? file.excess) ?? 0
            }
        }
        guard let failure else { return Appended(rowCount: block.rows.count) }
        let rowCount = isCompressed ? 0 : block.wholeRows(within: written)
        let kept = block.lengths(ofFirst: rowCount)
        for (kind, file) in files {
            do throws(FileError) {
                try file.cut(toLength: before[kind] + kept[kind])
            } catch {
                // A torn record may stay then; all the block's rows are named as missing.
                return Appended(rowCount: 0, failure: failure)
            }
        }
        return Appended(rowCount: rowCount, failure: failure)
    }
}
