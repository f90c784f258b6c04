import FanfareBase
import FanfareCore
import FanfareSystem

/// The care of a job for its report's parts: it destroys no file of others, and finds all of its
/// own.
extension ReportParts {
    /// Returns the parts behind the first one that an earlier report has left, and a new one would
    /// replace.
    /// - Parameter overwrites: True if there may be any.
    /// - Returns: Their paths, in order.
    /// - Throws: `FanfareError.Code.configuration` when a file may not be replaced.
    func stale(overwrites: Bool) throws(FanfareError) -> [String] {
        let later = try told(\.outputError) { () throws(FileError) in try self.later() }
        for path in later {
            guard overwrites else { throw OutputFiles.alreadyThere(path, .report) }
            guard isPart(path) else {
                throw FanfareError(
                    .configuration,
                    "\(path) has the name of a part of the report and is none, so nothing replaces "
                        + "it; \(.reportPath, any: "FILE") names another report")
            }
        }
        return later
    }

    /// Returns true if a file is a part behind the first one.
    ///
    /// A part is a report without a job of its own. It has none of the first part's rows, as
    /// another job's report would.
    func isPart(_ path: String) -> Bool {
        guard !FileDescriptor.exists(path + CheckpointFile.suffix),
            let status = try? FileDescriptor.status(of: path), status.isRegular
        else { return false }
        if status.bytes == 0 { return true }
        guard let reader = try? ReportReader(.file(path), wantsAll: true),
            reader.isWhole
        else { return false }
        return isDisjoint(reader)
    }

    /// Returns true if a file behind the known parts may be one that this job has begun before its
    /// checkpoint knew of it.
    /// - Parameters:
    ///   - path: The file.
    ///   - beginning: The beginning of every part.
    /// - Returns: False if the file certainly belongs to another program.
    func mayBeBegun(_ path: String, _ beginning: [UInt8]) -> Bool {
        let expected = beginning.isEmpty ? [UInt8(ascii: "{")] : beginning
        guard !FileDescriptor.exists(path + CheckpointFile.suffix),
            let head = try? Self.head(of: path, expected.count),
            Self.mayBegin(head, expected)
        else { return false }
        return (try? ReportReader(.file(path))).map(isDisjoint) ?? true
    }

    /// Returns true if a file with these first bytes may be a part that was being begun.
    /// - Parameters:
    ///   - head: The bytes; after a loss of power there may be zeros, or none.
    ///   - beginning: The beginning of every part.
    /// - Returns: False if the bytes are something else.
    static func mayBegin(_ head: [UInt8], _ beginning: [UInt8]) -> Bool {
        beginning.starts(with: head[...(head.lastIndex { $0 != 0 } ?? -1)])
    }

    /// The bytes that a file begins with, as far as there are any.
    static func head(of path: String, _ count: Int) throws(FileError) -> [UInt8] {
        try FileDescriptor.reading(path).bytes(count, at: 0)
    }

    /// Returns true if the first part has no line for the first row of another report.
    ///
    /// Another job's report has the same rows.
    private func isDisjoint(_ other: ReportReader) -> Bool {
        guard let row = Self.firstRow(of: other), let first = try? ReportReader(.file(path))
        else { return true }
        return Self.firstRow(of: first) { $0 == row } == nil
    }

    /// The first row that is wanted among those of a report.
    private static func firstRow(
        of reader: ReportReader, where isWanted: (UInt64) -> Bool = { _ in true }
    ) -> UInt64? {
        var row: UInt64?
        _ = try? reader.read { line, _ throws(FanfareError) in
            guard isWanted(line.row) else { return }
            row = line.row
            throw FanfareError(.input, "enough is known")
        }
        return row
    }

    /// Removes parts, from the back, so that there is no gap if this ends early.
    static func remove(_ paths: [String]) throws(FanfareError) {
        try told(\.outputError) { () throws(FileError) in
            for path in paths.reversed() { try FileDescriptor.remove(path) }
        }
    }
}

extension ReportOptions {
    /// The way the report is split, if it is.
    var split: OutputSplit? {
        splitBytes.map { OutputSplit(parts: ReportParts(path), bytesMax: $0) }
    }

    /// Checks that the report can be split: it is a file, and no other file of the job is in the
    /// way.
    func checkSplit(_ configuration: Configuration) throws(FanfareError) {
        guard let split else { return }
        guard split.bytesMax >= Limits.reportSplitBytesMin else {
            throw FanfareError(
                .configuration,
                "a report is split into parts of \(Limits.reportSplitBytesMin) bytes at least")
        }
        guard path != "-", path != Rehearsal.noReport, !OutputFile.isDevice(path) else {
            throw FanfareError(
                .configuration,
                "only a report that is a file can be split; \(.reportPath, any: "FILE") names one")
        }
        guard !isOrdered else {
            throw FanfareError(
                .configuration,
                "a report in the order of its rows is one file: \(.isOrdered) or \(.reportSplit)")
        }
        let outputs = [unregisteredPath, retryRowsPath, configuration.log?.path].compactMap(\.self)
        let inputs = configuration.inputs + configuration.rows.suppressions
        var others = outputs.filter { $0 != "-" }
        others += inputs.compactMap { $0 == .standardInput ? "-" : $0.path }
        guard let other = split.parts.firstPart(among: others) else { return }
        let name = other == "-" ? RowInput.standardInput.name : other
        throw FanfareError(
            .configuration,
            "\(name) is a part of the report, or has the name of one; \(.reportPath, any: "FILE") "
                + "names another report")
    }
}
