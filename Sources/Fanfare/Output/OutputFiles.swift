import FanfareBase
import FanfareCore
import FanfareSystem

/// The files that a row's outcome may leave something in.
///
/// In the order in which they are written: what the report says of a row is in the others already.
enum OutputKind: CaseIterable, Sendable {
    case retryRows
    case unregistered
    case report

    /// The setting that names it.
    var setting: Setting {
        switch self {
        case .retryRows: .retryRowsPath
        case .unregistered: .unregisteredPath
        case .report: .reportPath
        }
    }
}

extension OutputLengths {
    subscript(kind: OutputKind) -> Int {
        get {
            switch kind {
            case .retryRows: retryRows
            case .unregistered: unregistered
            case .report: report
            }
        }
        set {
            switch kind {
            case .retryRows: retryRows = newValue
            case .unregistered: unregistered = newValue
            case .report: report = newValue
            }
        }
    }
}

/// One output file that a job has.
struct OutputSpec: Sendable {
    var kind: OutputKind
    /// `-` is standard output.
    var path: String
    /// What it begins with, also if nothing follows.
    var header: [UInt8]
    /// How it is split by its size, if it is.
    var split: OutputSplit?
}

extension OutputSpec {
    /// Whether the file is there with more in it than the beginning of its header.
    var hasLines: Bool {
        get throws(FanfareError) {
            guard FileDescriptor.isRegularFile(path) else { return false }
            let beginning = self.beginning
            do throws(FileError) {
                return try !beginning.starts(
                    with: ReportParts.head(of: path, beginning.count + 1))
            } catch {
                throw FanfareError(.output, error.sentence)
            }
        }
    }

    /// Whether the file is there with all that it begins with.
    var hasBeginning: Bool {
        get throws(FanfareError) {
            guard FileDescriptor.isRegularFile(path) else { return false }
            let beginning = self.beginning
            do throws(FileError) {
                return try ReportParts.head(of: path, beginning.count) == beginning
            } catch {
                throw FanfareError(.output, error.sentence)
            }
        }
    }

    /// Whether the file begins with its first record: empty, it may be begun or not.
    var beginsEmpty: Bool { beginning.isEmpty }

    /// What the file begins with as it is written.
    private var beginning: [UInt8] {
        unsafe header.withUnsafeBufferPointer {
            unsafe OutputFile.beginning($0, OutputFile.compression(ofPath: path))
        }
    }
}

/// The output files of a job: opened together, written together, cut together.
///
/// Use from one thread at a time.
struct OutputFiles: Sendable {
    private let files: [(kind: OutputKind, file: OutputFile)]
    /// What the report goes to in the end, where its lines are collected in a file of their own first.
    let destination: OutputFile?

    /// Makes the files, with their headers.
    ///
    /// All are opened before any is changed; if one cannot be had, no new one is left behind.
    /// - Parameters:
    ///   - specs: The files.
    ///   - overwrites: Whether they may be there.
    ///   - folder: Where the report's lines are collected until they can be put in order; `nil` to
    ///     write them where they go as they come.
    ///   - prepare: Called when all are open, and none is changed yet.
    /// - Throws: `FanfareError.Code.configuration` when one exists and may not be replaced, or is
    ///   the same as another; `FanfareError.Code.output` when one cannot be created.
    init(
        _ specs: [OutputSpec], overwrites: Bool, collectingIn folder: String? = nil,
        prepare: () throws(FanfareError) -> Void = {}
    ) throws(FanfareError) {
        // A reader may be gone before the header has been written.
        ProcessSignal.blockBrokenPipe()
        var made: [(kind: OutputKind, file: OutputFile)] = []
        var destination: OutputFile?
        do throws(FanfareError) {
            for kind in OutputKind.allCases {
                guard let spec = specs.first(where: { $0.kind == kind }) else { continue }
                try Self.refuseAlias(of: spec, among: made)
                made.append((kind, try Self.open(spec, overwrites: overwrites)))
            }
            if let folder, let index = made.firstIndex(where: { $0.kind == .report }) {
                destination = made[index].file
                made[index].file = try Self.collector(folder, made[index].file.name)
            }
            var stale: [String] = []
            for spec in specs { stale += try spec.split?.parts.stale(overwrites: overwrites) ?? [] }
            try prepare()
            try ReportParts.remove(stale)
            for (kind, file) in made {
                guard let spec = specs.first(where: { $0.kind == kind }) else { continue }
                try Self.begin(file, with: spec.header)
            }
        } catch {
            if !overwrites { Self.remove(made.map(\.file)) }
            throw error
        }
        files = made
        self.destination = destination
    }

    /// Where lines are collected that go to no file: one for files that outlive a restart, which is on
    /// a disk.
    static let collectingFolder = "/var/tmp"

    private static func collector(
        _ folder: String, _ name: String
    ) throws(FanfareError) -> OutputFile {
        do throws(FileError) {
            return try OutputFile(namelessIn: folder, for: "the lines of \(name)")
        } catch {
            throw FanfareError(
                .output,
                "the lines of \(name) have to be collected before they are in order, and no file "
                    + "can be made for them in \(folder): \(error.reason)")
        }
    }

    /// Two paths that nothing was at may turn out to be one file.
    private static func refuseAlias(
        of spec: OutputSpec, among made: [(kind: OutputKind, file: OutputFile)]
    ) throws(FanfareError) {
        for (kind, file) in made where FileDescriptor.areSame(file.path, spec.path) {
            throw FanfareError(
                .configuration,
                "\(spec.kind.setting) and \(kind.setting) name the same file, \(spec.path)")
        }
    }

    private static func open(
        _ spec: OutputSpec, overwrites: Bool
    ) throws(FanfareError) -> OutputFile {
        do throws(FileError) {
            let file = try OutputFile(spec.path, mayExist: overwrites, split: spec.split)
            if try file.tryLock() { return file }
        } catch {
            if error.kind == .exists || error.kind == .isDirectory {
                throw alreadyThere(spec.path, spec.kind)
            }
            throw FanfareError(.output, "\(spec.path) cannot be created: \(error.reason)")
        }
        throw isTaken(spec.path, spec.kind)
    }

    /// What is told of a file that another job writes.
    static func isTaken(_ path: String, _ kind: OutputKind) -> FanfareError {
        FanfareError(
            .configuration,
            "another process is at work on \(path); \(kind.setting, any: "FILE") names another "
                + (kind == .report ? "report" : "file"))
    }

    /// What is told of a file that may not be replaced.
    static func alreadyThere(_ path: String, _ kind: OutputKind) -> FanfareError {
        alreadyThere(path, kind.setting)
    }

    /// The same of the file of any setting; a folder is not replaced at all.
    static func alreadyThere(_ path: String, _ setting: Setting) -> FanfareError {
        guard !FileDescriptor.isFolder(path) else {
            return FanfareError(
                .configuration,
                "\(path) is a folder, which nothing replaces; \(setting, any: "FILE") names a file")
        }
        return FanfareError(
            .configuration,
            "\(path) exists already; \(.overwrites) replaces it, \(setting, any: "FILE") names "
                + "another one")
    }

    private static func begin(
        _ file: OutputFile, with header: [UInt8]
    ) throws(FanfareError) {
        do throws(FileError) {
            try file.cut(toLength: 0)
            unsafe try header.withUnsafeBufferPointer { header throws(FileError) in
                unsafe try file.begin(with: header)
            }
        } catch {
            throw FanfareError(.output, "\(file.name) cannot be written: \(error.reason)")
        }
    }

    private static func remove(_ files: [OutputFile]) {
        for file in files where file.canBeCut && file.hasName {
            // There is an error to be told already.
            try? FileDescriptor.remove(file.path)
        }
    }

    /// Takes the files away of a job that could not begin, or has no row in them.
    func remove() { Self.remove(files.map(\.file)) }

    /// Another job may have the files, though these objects are still there.
    func letGo() {
        for (_, file) in files { file.unlock() }
    }

    /// Opens the files of an unfinished job, to go on where they are whole.
    /// - Parameters:
    ///   - specs: The files of then.
    ///   - lengths: What they are cut to; they are that long at least.
    /// - Throws: `FanfareError.Code.output` when one cannot be opened or cut.
    init(_ specs: [OutputSpec], continuingAt lengths: OutputLengths) throws(FanfareError) {
        ProcessSignal.blockBrokenPipe()
        var found: [(kind: OutputKind, file: OutputFile)] = []
        for kind in OutputKind.allCases {
            guard let spec = specs.first(where: { $0.kind == kind }) else { continue }
            let file = try Self.open(spec, overwrites: true)
            do throws(FileError) {
                unsafe try spec.header.withUnsafeBufferPointer { header throws(FileError) in
                    unsafe try file.goOn(at: lengths[kind], header: header)
                }
            } catch {
                throw FanfareError(.output, "\(file.name) cannot be cut: \(error.reason)")
            }
            found.append((kind, file))
        }
        files = found
        destination = nil
    }

    /// Waits for readers that take nothing only as long as that is wanted.
    func awaitReaders(while isWanted: @escaping @Sendable () -> Bool) {
        for (_, file) in files { file.isReaderAwaited = isWanted }
        destination?.isReaderAwaited = isWanted
    }

    /// Where the report's lines can be read.
    var reportPath: String? { files.first { $0.kind == .report }?.file.path }

    // MARK: Writing

    /// Makes all that was written survive a loss of power.
    func synchronize() throws(FileError) {
        for (_, file) in files { try file.synchronize() }
    }

    /// What has become of a file behind our back; `nil` if all are as they were written.
    var change: (kind: OutputKind, change: FileChange)? {
        get throws(FileError) {
            for (kind, file) in files {
                if let change = try file.change { return (kind, change) }
            }
            return nil
        }
    }

    /// The report's checksum, read back; 0 if there is no file to read.
    var reportChecksum: UInt64 {
        get throws(FileError) {
            guard let file = files.first(where: { $0.kind == .report })?.file, file.canBeCut else {
                return 0
            }
            return try FileChecksum.of(file.written)
        }
    }

    /// The length of each file as far as it is whole.
    var lengths: OutputLengths { Self.lengths(of: files) }

    /// How far the rows of a block are in the files.
    struct Appended {
        /// The rows that have everything they should, from the block's front.
        var rowCount: Int
        /// What went wrong, if not all have.
        var failure: String?
    }

    /// Makes of a block what `append` writes.
    /// - Returns: What each file grows by.
    func prepare(_ block: ReportBlock) -> OutputLengths {
        var lengths = OutputLengths()
        for (kind, file) in files { lengths[kind] = unsafe file.prepare(block.bytes(of: kind)) }
        return lengths
    }

    /// Begins new parts of files that have no room for what `prepare` has made.
    /// - Returns: Whether there are any.
    func makeRoom(for growth: OutputLengths) throws(FileError) -> Bool {
        var isNew = false
        for (kind, file) in files where try file.makeRoom(for: growth[kind]) { isNew = true }
        return isNew
    }

    /// The parts of the report.
    var reportParts: Int { files.first { $0.kind == .report }?.file.part ?? 1 }

    /// Appends what a block holds for each file, which was prepared.
    ///
    /// After a failure the files are cut so that they hold the same rows, and whole ones. One that is
    /// compressed has all rows of the block or none.
    func append(_ block: ReportBlock) -> Appended { Self.append(block, to: files) }

    static func lengths(of files: [(kind: OutputKind, file: some RecordFile)]) -> OutputLengths {
        var lengths = OutputLengths()
        for (kind, file) in files { lengths[kind] = file.length }
        return lengths
    }

    static func append(
        _ block: ReportBlock, to files: [(kind: OutputKind, file: some RecordFile)]
    ) -> Appended {
        let before = lengths(of: files)
        let isCompressed = files.contains { $0.file.isCompressed }
        var failure: String?
        var written = OutputLengths(retryRows: .max, unregistered: .max, report: .max)
        for (kind, file) in files {
            var bytes = unsafe block.bytes(of: kind)
            if failure != nil {
                // A report as long as was intended would say that the other files are, too.
                let count = isCompressed ? 0 : block.wholeRows(within: written)
                let kept = block.lengths(ofFirst: count)[kind]
                unsafe bytes = unsafe UnsafeBufferPointer(rebasing: bytes[..<kept])
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
