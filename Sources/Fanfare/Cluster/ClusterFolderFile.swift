import FanfareBase
import FanfareCore
import FanfareSystem

/// The file in which a worker's folder remembers the cluster, beside the report.
///
/// It is replaced as a whole whenever a grant comes or goes, before any row of a new grant is sent. A process that is
/// killed leaves the one or the other.
struct ClusterFolderFile: Sendable {
    /// The suffix to a report's name.
    static let suffix = ".cluster"
    private static let title = "fanfare cluster 1"

    let path: String
    /// True to have the disk confirm each change.
    let isDurable: Bool

    init(besideReport report: String, isDurable: Bool = false) {
        path = report + Self.suffix
        self.isDurable = isDurable
    }

    /// True if a worker has written the file: another one may have its name.
    var isWorkers: Bool {
        get throws(FileError) {
            // Opening a named pipe would wait for its writer.
            guard FileDescriptor.isRegularFile(path) else { return false }
            let title = Array((Self.title + "\n").utf8)
            let file = try FileDescriptor.reading(path)
            return try file.bytes(title.count, at: 0) == title
        }
    }

    /// True if a worker has written the file for a job, or if it does not say for which one.
    func mayBelong(toJob job: UInt64) throws(FileError) -> Bool {
        guard try isWorkers else { return false }
        let folder = try content()
        return folder?.job == nil || folder?.job == job
    }

    func write(_ folder: ClusterFolder) throws(FileError) {
        let new = path + ".new"
        let file = try FileDescriptor.writing(new, existing: .truncate)
        try file.write(Array(Self.text(of: folder).utf8), at: 0)
        if isDurable { try file.synchronize() }
        try FileDescriptor.rename(new, to: path)
    }

    func remove() throws(FileError) {
        try FileDescriptor.removeIfThere(path)
    }

    /// Reads the folder back; `nil` if there is none.
    /// - Throws: `FanfareError` with code `configuration` if it is damaged.
    func read() throws(FanfareError) -> ClusterFolder? {
        guard FileDescriptor.exists(path) else { return nil }
        let folder = try told(\.inputFileError) { () throws(FileError) in try content() }
        if let folder { return folder }
        throw FanfareError(
            .configuration,
            "\(path) is damaged, and it says which rows this worker was granted. Let the others write its rows "
                + "off, and join with another \(.reportPath)")
    }

    /// Reads the folder; `nil` if the file is damaged.
    private func content() throws(FileError) -> ClusterFolder? {
        let file = try FileDescriptor.reading(path)
        let bytes = try file.bytes(try file.size, at: 0)
        return Self.folder(String(decoding: bytes, as: UTF8.self))
    }

    // MARK: The text

    static func text(of folder: ClusterFolder) -> String {
        var lines = [title, "worker \(folder.worker.text)", "session \(folder.session)"]
        if let job = folder.job { lines.append("job \(job)") }
        if let place = folder.place {
            lines.append("place \(place.host) \(place.boot) \(place.file)")
        }
        if let generation = folder.generation {
            lines.append(
                "generation \(generation.ordinal) \(generation.timeline) \(generation.nonce)")
        }
        for claim in folder.held {
            lines.append(
                "held \(claim.key.range.bits) \(claim.key.epoch) \(claim.isInDoubt ? 1 : 0) "
                    + claim.rows.multirange)
        }
        lines.append("rows \(folder.rows.multirange)")
        let body = lines.joined(separator: "\n") + "\n"
        return body + "sum \(Checksum.of(Array(body.utf8)))\n"
    }

    static func folder(_ text: String) -> ClusterFolder? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let sum = lines.popLast() else { return nil }
        let body = lines.joined(separator: "\n") + "\n"
        guard sum == "sum \(Checksum.of(Array(body.utf8)))",
            lines.first.map({ String($0) }) == Self.title
        else {
            return nil
        }
        var folder: ClusterFolder?
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().map { UInt64($0) ?? 0 }
            switch (words.first ?? "", words.count) {
            case ("worker", 2):
                folder = WorkerID(text: String(words[1])).map { ClusterFolder(worker: $0) }
            case ("job", 2): folder?.job = numbers[0]
            case ("session", 2): folder?.session = Int(clamping: numbers[0])
            case ("place", 4):
                folder?.place = ClusterPlace(
                    host: numbers[0], boot: numbers[1], file: numbers[2])
            case ("generation", 4):
                folder?.generation = ClusterGeneration(
                    ordinal: Int(clamping: numbers[0]), timeline: Int(clamping: numbers[1]),
                    nonce: numbers[2])
            case ("held", 5):
                guard let rows = RowIntervals(multirange: String(words[4])) else { return nil }
                folder?.held.append(
                    .init(
                        key: GrantKey(range: RangeKey(bits: numbers[0]), epoch: numbers[1]),
                        rows: rows, isInDoubt: numbers[2] == 1))
            case ("rows", 2):
                guard let rows = RowIntervals(multirange: String(words[1])) else { return nil }
                folder?.rows = rows
            default: return nil
            }
        }
        return folder
    }
}
