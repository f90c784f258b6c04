import FanfareBase
import FanfareCore
import FanfareSystem

/// The files that a row's outcome may leave something in.
///
/// They are in the order in which they are written: a row in the report is in the others already.
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
    /// The header, which the file has even if nothing follows.
    var header: [UInt8]
    /// The way the file is split by its size, if it is.
    var split: OutputSplit?
}

extension OutputSpec {
    /// True if the file exists and contains more than the beginning of its header.
    var hasLines: Bool {
        get throws(FanfareError) {
            guard FileDescriptor.isRegularFile(path) else { return false }
            let beginning = self.beginning
            return try told(\.outputError) { () throws(FileError) in
                try !beginning.starts(
                    with: ReportParts.head(of: path, beginning.count + 1))
            }
        }
    }

    /// True if the file exists with its whole beginning.
    var hasBeginning: Bool {
        get throws(FanfareError) {
            guard FileDescriptor.isRegularFile(path) else { return false }
            let beginning = self.beginning
            return try told(\.outputError) { () throws(FileError) in
                try ReportParts.head(of: path, beginning.count) == beginning
            }
        }
    }

    /// True if the file begins with its first record: if it is empty, it may be begun or not.
    var beginsEmpty: Bool { beginning.isEmpty }

    /// The file's beginning as it is written.
    private var beginning: [UInt8] {
        OutputFile.beginning(header, OutputFile.compression(ofPath: path))
    }
}

/// The output files of a job, which are the machine's.
typealias OutputFiles = RecordFiles<FileSystem>

extension RecordFiles where Disk == FileSystem {
    /// Makes the files, with their headers.
    ///
    /// It opens all files before it changes any; if one is not available, no new file is left
    /// behind.
    /// - Parameters:
    ///   - specs: The files.
    ///   - overwrites: True if the files may exist.
    ///   - folder: The folder for a file that collects the report's lines until they can be put in
    ///     order; `nil` to write them to the report as they come.
    ///   - prepare: Called when all files are open, and none is changed yet.
    /// - Throws: `FanfareError.Code.configuration` when a file exists and may not be replaced, or
    ///   is the same as another; `FanfareError.Code.output` when a file cannot be created.
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
            try Self(made).begin(specs)
        } catch {
            if !overwrites { Self(made).remove() }
            throw error
        }
        self.init(made, destination: destination)
    }

    /// The folder that collects lines for standard output: one that is on a disk, as its files
    /// outlive a restart.
    static var collectingFolder: String { "/var/tmp" }

    private static func collector(
        _ folder: String, _ name: String
    ) throws(FanfareError) -> OutputFile {
        do throws(FileError) {
            let file = try SystemFile(namelessIn: folder, for: "the lines of \(name)")
            return OutputFile(file, on: FileSystem())
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
            if try file.first.tryLock() { return file }
        } catch {
            if error.kind == .exists || error.kind == .isDirectory {
                throw alreadyThere(spec.path, spec.kind)
            }
            throw FanfareError(.output, "\(spec.path) cannot be created: \(error.reason)")
        }
        throw isTaken(spec.path, spec.kind)
    }

    /// Returns the error about a file that another job writes.
    static func isTaken(_ path: String, _ kind: OutputKind) -> FanfareError {
        FanfareError(
            .configuration,
            "another process is at work on \(path); \(kind.setting, any: "FILE") names another "
                + (kind == .report ? "report" : "file"))
    }

    /// Returns the error about a file that may not be replaced.
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

    /// Another job may have the files, though these objects are still there.
    func letGo() {
        for (_, file) in files { file.first.unlock() }
    }

    /// Opens the files of an unfinished job, to continue where they are whole.
    /// - Parameters:
    ///   - specs: The files of the earlier run.
    ///   - lengths: The lengths to cut the files to; the files are at least that long.
    /// - Throws: `FanfareError.Code.output` when a file cannot be opened or cut.
    init(_ specs: [OutputSpec], continuingAt lengths: OutputLengths) throws(FanfareError) {
        ProcessSignal.blockBrokenPipe()
        try self.init(specs, continuingAt: lengths) { spec throws(FanfareError) in
            try Self.open(spec, overwrites: true)
        }
    }

    /// Waits for readers that take nothing only as long as that is wanted.
    func awaitReaders(while isWanted: @escaping @Sendable () -> Bool) {
        for (_, file) in files { file.first.isReaderAwaited = isWanted }
        destination?.first.isReaderAwaited = isWanted
    }

    /// The path where the report's lines can be read.
    var reportPath: String? { report?.path }
}
