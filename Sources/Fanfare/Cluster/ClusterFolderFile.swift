import FanfareBase
import FanfareCore
import FanfareSystem

// What to know before you change this:
// - The disk has a change before the caller goes on, with each durability. After a loss of power an older content would
//   lack grants whose rows were sent, and claim rows that were given back and that others have sent.
// - A change needs no new room on the disk, or a worker whose disk is full could not give its rows back.

/// The file in which a worker's folder remembers the cluster, beside the report.
///
/// It is written whenever a grant comes or goes, before any row of a new grant is sent, and before any row that was
/// given back is another's. It has two halves, written by turns: the whole one with the higher sequence counts. So a
/// process that is killed, and a machine that loses power, leave the one content or the other.
///
/// ```
///  text of a folder … sum │ unused │ text of a folder … sum │ unused
/// ```
struct ClusterFolderFile: Sendable {
    /// The suffix to a report's name.
    static let suffix = ".cluster"
    private static let title = "fanfare cluster 3"
    /// The title of a file that does not say what was written off.
    private static let formerTitle = "fanfare cluster 2"
    /// The title of a file that is one text, which earlier versions replaced as a whole.
    private static let earlierTitle = "fanfare cluster 1"
    private static let titles = [title, formerTitle, earlierTitle]
    let path: String

    init(besideReport report: String) { path = report + Self.suffix }

    /// True if a worker has written the file: another one may have its name.
    var isWorkers: Bool {
        get throws(FileError) {
            // Opening a named pipe would wait for its writer.
            guard FileDescriptor.isRegularFile(path) else { return false }
            let file = try FileDescriptor.reading(path)
            let head = try file.bytes(Self.title.utf8.count + 1, at: 0)
            return Self.hasTitle(head[...])
        }
    }

    /// True if a worker has written the file for a job, or if it does not say for which one.
    func mayBelong(toJob job: UInt64) throws(FileError) -> Bool {
        guard try isWorkers else { return false }
        let folder = try content()
        return folder?.job == nil || folder?.job == job
    }

    /// The place of the text that counts.
    struct Place {
        fileprivate var halfBytes: Int
        /// The half that counts.
        fileprivate var newest: Int
        fileprivate var sequence: UInt64
        /// True if an earlier version has written one of the halves.
        fileprivate var isFormer = false
    }

    /// Writes a folder; the disk has it when this returns.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - known: The place that the caller has written last; `nil` to look for it in the file.
    /// - Returns: The place of the folder. The file is its process's own, so the next write needs no look at the file.
    /// - Throws: `FileError` if the disk does not have it; then the place is to be looked for.
    @discardableResult
    func write(
        _ folder: ClusterFolder, over known: Place? = nil
    ) throws(FileError) -> Place {
        let found = try isThere(known) ? known : halves()?.place
        let sequence = (found?.sequence ?? 0) + 1
        let text = Array(Self.text(of: folder, sequence: sequence).utf8)
        let place: Place
        do throws(FileError) {
            // As much again is kept for what it becomes when rows are given back one by one.
            // A program that reads the earlier version alone would take the half that it can read for the newest one.
            guard let found, !found.isFormer, 2 * text.count <= found.halfBytes else {
                return try begin(text, sequence)
            }
            place = found
        } catch {
            guard let found, !found.isFormer, text.count <= found.halfBytes else { throw error }
            place = found
        }
        let file = try FileDescriptor.own(path)
        try file.write(text, at: place.newest == 0 ? place.halfBytes : 0)
        try file.synchronize()
        return Place(halfBytes: place.halfBytes, newest: 1 - place.newest, sequence: sequence)
    }

    /// True if the file has the length that it was written with: a person may have removed it.
    private func isThere(_ known: Place?) throws(FileError) -> Bool {
        guard let known, FileDescriptor.exists(path) else { return false }
        return try FileDescriptor.reading(path).size == 2 * known.halfBytes
    }

    func remove() throws(FileError) {
        try FileDescriptor.removeIfThere(path)
    }

    /// Reads the folder of a job back; `nil` if there is none.
    ///
    /// A job that begins removes what an earlier one has left, and a loss of power may bring that back.
    /// - Throws: `FanfareError` with code `configuration` if it is damaged.
    func read(ofJob job: UInt64) throws(FanfareError) -> ClusterFolder? {
        guard let folder = try read(), folder.job == nil || folder.job == job else { return nil }
        return folder
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
        if bytes.starts(with: Self.earlierTitle.utf8) {
            return Self.folder(String(decoding: bytes, as: UTF8.self))
        }
        return Self.halves(bytes)?.folder
    }

    // MARK: Halves

    private struct Halves {
        var place: Place
        var folder: ClusterFolder
    }

    /// Looks at the file; `nil` if there is none that could be written on.
    private func halves() throws(FileError) -> Halves? {
        guard FileDescriptor.exists(path) else { return nil }
        let file = try FileDescriptor.reading(path)
        return Self.halves(try file.bytes(try file.size, at: 0))
    }

    private static func halves(_ bytes: [UInt8]) -> Halves? {
        let halfBytes = bytes.count / 2
        var found: Halves?
        for (place, half) in [bytes[..<halfBytes], bytes[halfBytes...]].enumerated() {
            guard let text = text(in: half), let (folder, sequence) = parsed(text),
                sequence > found?.place.sequence ?? 0
            else { continue }
            let isFormer = found?.place.isFormer == true || !text.hasPrefix(title + "\n")
            found = Halves(
                place: Place(
                    halfBytes: halfBytes, newest: place, sequence: sequence, isFormer: isFormer),
                folder: folder)
        }
        return found
    }

    /// The text at the beginning of a half, with its sum; what is behind it was longer once.
    private static func text(in half: ArraySlice<UInt8>) -> String? {
        guard hasTitle(half),
            let sum = half.firstRange(of: Array("\nsum ".utf8)),
            let end = half[sum.upperBound...].firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        return String(decoding: half[...end], as: UTF8.self)
    }

    private static func hasTitle(_ bytes: ArraySlice<UInt8>) -> Bool {
        titles.contains { bytes.starts(with: ($0 + "\n").utf8) }
    }

    /// Makes the file anew, with room for more than a text.
    private func begin(_ text: [UInt8], _ sequence: UInt64) throws(FileError) -> Place {
        var halfBytes = Limits.clusterHalfBytesMin
        while halfBytes < 4 * text.count { halfBytes *= 2 }
        let new = path + ".new"
        do throws(FileError) {
            let file = try FileDescriptor.writing(new, existing: .truncate)
            try file.reserve(0..<2 * halfBytes)
            try file.write(text, at: 0)
            try file.synchronize()
            try FileDescriptor.replace(path, by: new)
            return Place(halfBytes: halfBytes, newest: 0, sequence: sequence)
        } catch {
            try? FileDescriptor.removeIfThere(new)
            throw error
        }
    }

    // MARK: The text

    static func text(of folder: ClusterFolder, sequence: UInt64 = 1) -> String {
        var lines = [
            title, "sequence \(sequence)", "worker \(folder.worker.text)",
            "session \(folder.session)",
        ]
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
        for back in folder.backs {
            lines.append(
                "back \(back.key.range.bits) \(back.key.epoch) \(back.tail) \(back.newKey.bits) "
                    + "\(back.scattered.multirange) \(back.kept.multirange)")
        }
        lines.append("rows \(folder.rows.multirange)")
        if !folder.grantedTwice.isEmpty {
            lines.append("granted_twice \(folder.grantedTwice.multirange)")
        }
        if !folder.writtenOff.isEmpty {
            lines.append("written_off \(folder.writtenOff.multirange)")
        }
        let body = lines.joined(separator: "\n") + "\n"
        return body + "sum \(Checksum.of(Array(body.utf8)))\n"
    }

    static func folder(_ text: String) -> ClusterFolder? { parsed(text)?.folder }

    private static func parsed(_ text: String) -> (folder: ClusterFolder, sequence: UInt64)? {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.popLast() == "", let sum = lines.popLast() else { return nil }
        let body = lines.joined(separator: "\n") + "\n"
        guard sum == "sum \(Checksum.of(Array(body.utf8)))",
            lines.first.map({ titles.contains(String($0)) }) == true
        else {
            return nil
        }
        var folder: ClusterFolder?
        var sequence: UInt64 = 0
        for line in lines.dropFirst() {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().map { UInt64($0) ?? 0 }
            switch (words.first ?? "", words.count) {
            case ("sequence", 2):
                guard numbers[0] <= Limits.clusterCountMax else { return nil }
                sequence = numbers[0]
            case ("worker", 2):
                folder = WorkerID(text: String(words[1])).map { ClusterFolder(worker: $0) }
            case ("job", 2): folder?.job = numbers[0]
            case ("session", 2):
                guard let session = ordinal(numbers[0]) else { return nil }
                folder?.session = session
            case ("place", 4):
                folder?.place = ClusterPlace(
                    host: numbers[0], boot: numbers[1], file: numbers[2])
            case ("generation", 4):
                guard let count = ordinal(numbers[0]), let timeline = ordinal(numbers[1]) else {
                    return nil
                }
                folder?.generation = ClusterGeneration(
                    ordinal: count, timeline: timeline, nonce: numbers[2])
            case ("held", 5):
                guard let rows = RowIntervals(multirange: String(words[4])) else { return nil }
                folder?.held.append(
                    .init(
                        key: GrantKey(range: RangeKey(bits: numbers[0]), epoch: numbers[1]),
                        rows: rows, isInDoubt: numbers[2] == 1))
            case ("back", 7):
                guard let scattered = RowIntervals(multirange: String(words[5])),
                    let kept = RowIntervals(multirange: String(words[6]))
                else { return nil }
                folder?.backs.append(
                    .init(
                        key: GrantKey(range: RangeKey(bits: numbers[0]), epoch: numbers[1]),
                        tail: numbers[2], scattered: scattered,
                        newKey: RangeKey(bits: numbers[3]), kept: kept))
            case ("rows", 2):
                guard let rows = RowIntervals(multirange: String(words[1])) else { return nil }
                folder?.rows = rows
            case ("granted_twice", 2):
                guard let rows = RowIntervals(multirange: String(words[1])) else { return nil }
                folder?.grantedTwice = rows
            case ("written_off", 2):
                guard let rows = RowIntervals(multirange: String(words[1])) else { return nil }
                folder?.writtenOff = rows
            default: return nil
            }
        }
        return folder.map { ($0, sequence) }
    }

    /// A number that is counted up, as the engine's tables may have it too; `nil` for a higher one.
    private static func ordinal(_ number: UInt64) -> Int? {
        number <= Limits.clusterCountMax ? Int(number) : nil
    }
}

extension Limits {
    /// The bytes of a half, at least: some three thousand intervals of rows have room in it.
    fileprivate static let clusterHalfBytesMin = 65_536
}
