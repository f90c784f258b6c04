import FanfareCore
import FanfareSystem

/// The files that an unfinished job has left, read back before any of them is changed.
struct FoundJournal {
    /// The reason why a job cannot go on with the files that it finds.
    enum Obstacle: Error {
        case refused(Recovery.Refusal)
        /// A report that was left at rest has other bytes than it had then.
        case changed
        /// A line is not as the job has left it.
        case line(file: String, number: UInt64, text: String)
        case unreadable(FanfareError)
    }

    let record: CheckpointRecord
    /// The lengths at which the files continue, and the source that knows the rows in doubt.
    private(set) var recovery: Recovery
    /// The report.
    let scan: ReportScan

    /// Reads the files back.
    /// - Parameters:
    ///   - specs: The files of the earlier run.
    ///   - disk: The disk that holds them.
    ///   - format: The format of the report's lines.
    ///   - variants: The payloads that rows choose from, in order.
    ///   - findings: The known facts about the checkpoint; the initializer fills in the rest.
    /// - Throws: `Obstacle` when the job cannot be carried on.
    init(
        _ specs: [OutputSpec], on disk: some JobDisk, format: ReportFormat,
        variants: [String] = [], _ findings: Recovery.Findings
    ) throws(Obstacle) {
        let report = specs.first { $0.kind == .report }
        let compression = report.flatMap { OutputFile.compression(ofPath: $0.path) }
        var findings = findings
        for spec in specs {
            findings.sizes[spec.kind] = disk.parts(of: spec).reduce(0) { $0 + $1.bytes }
        }
        findings.hasSideFiles = specs.count > 1
        findings.isReportCompressed = compression != nil
        record = findings.record
        switch Recovery.decide(findings) {
        case .success(let decided): recovery = decided
        case .failure(let refusal): throw .refused(refusal)
        }
        do throws(FanfareError) {
            if recovery.doubt != .marks, recovery.certainReportBytes == 0 {
                try Self.cutToMembers(&recovery.lengths, of: specs, on: disk)
            }
        } catch {
            throw .unreadable(error)
        }
        if let report { try Self.checkUnchanged(report, on: disk, record) }
        let length = recovery.lengths.report
        let parts = report.map { disk.parts(of: $0, within: length) } ?? []
        do throws(FanfareError) {
            scan = try ReportScan(
                parts: parts.map { (disk.contents(of: $0), $1) }, format: format,
                variants: variants, compression: compression)
        } catch {
            throw .unreadable(error)
        }
        if let fault = recovery.take(scan) {
            throw .line(file: scan.faultName, number: fault.line, text: fault.text)
        }
    }

    /// A report that was left at rest has the bytes that it had then.
    private static func checkUnchanged(
        _ report: OutputSpec, on disk: some JobDisk, _ record: CheckpointRecord
    ) throws(Obstacle) {
        guard record.isAtRest, !record.isBeingReplaced, record.reportChecksum != 0 else { return }
        let isSame: Bool
        do throws(FileError) {
            let parts = disk.parts(of: report, within: record.covered.report)
            isSame = try disk.checksum(of: parts) == record.reportChecksum
        } catch {
            throw .unreadable(FanfareError(.input, message: error.sentence))
        }
        guard isSame else { throw .changed }
    }

    /// Nothing could be written on behind a member that is torn.
    private static func cutToMembers(
        _ lengths: inout OutputLengths, of specs: [OutputSpec], on disk: some JobDisk
    ) throws(FanfareError) {
        for spec in specs {
            guard let compression = OutputFile.compression(ofPath: spec.path),
                lengths[spec.kind] > 0
            else { continue }
            var whole = 0
            for (path, bytes) in disk.parts(of: spec, within: lengths[spec.kind]) {
                let found = try ReportScan.wholeMembers(
                    of: disk.contents(of: path), compression, within: bytes)
                whole += found
                if found < bytes { break }
            }
            lengths[spec.kind] = whole
        }
    }
}
