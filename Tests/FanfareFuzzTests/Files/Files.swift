import FanfareBase
import FanfareCore
import Foundation

@testable import Fanfare

extension FuzzTarget {
    /// A checkpoint's file as it is found, and its record under a right checksum.
    static let checkpoint = FuzzTarget("checkpoint", bytesMax: 40_000) { bytes throws(Violation) in
        let path = scratchFile(bytes)
        do {
            if let opened = try OpenedCheckpoint.open(path) {
                if let fingerprint = JobFingerprint(json: opened.fingerprint) {
                    try Violation.check(
                        JobFingerprint(json: Array(fingerprint.json.utf8)) == fingerprint,
                        "a fingerprint is not written as it is read")
                }
            }
            let after = [UInt8](try Data(contentsOf: URL(filePath: path)))
            try Violation.check(after == bytes, "looking at a checkpoint changes it")
        } catch let violation as Violation {
            throw violation
        } catch {
            // It is refused, with a reason.
        }
        let numbers = Array(bytes.prefix(CheckpointRecord.byteCount - 8))
        var whole = numbers
        whole.append(littleEndian: Checksum.of(numbers))
        guard let record = CheckpointRecord(bytes: whole) else { return }
        try recover(record, bytes)
    }

    /// Nothing is believed of a file that is not there.
    private static func recover(
        _ record: CheckpointRecord, _ bytes: [UInt8]
    ) throws(Violation) {
        var input = InputReader(Array(bytes.dropFirst(CheckpointRecord.byteCount - 8)))
        let sizes = OutputLengths(
            retryRows: input.byte(), unregistered: input.byte(), report: input.byte())
        let flags = input.byte()
        let findings = Recovery.Findings(
            record: record, boot: UInt64(input.byte()), sizes: sizes,
            hasSideFiles: flags & 1 != 0, isReportCompressed: flags & 2 != 0,
            mayRepeat: flags & 4 != 0)
        guard case .success(let recovery) = Recovery.decide(findings) else { return }
        try Violation.check(
            recovery.certainReportBytes <= sizes.report
                && recovery.lengths.report <= sizes.report,
            "more of a report is believed than there is: \(recovery) of \(sizes)")
    }

    /// A file in memory with these bytes.
    private static func scratchFile(_ bytes: [UInt8]) -> String {
        let path = "/dev/shm/fanfare-fuzz-\(getpid())"
        try? FileManager.default.removeItem(atPath: path)
        _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
        return path
    }

    /// A report, as its readers and as its own job find it.
    static let report = FuzzTarget("report") { bytes throws(Violation) in
        var input = InputReader(bytes)
        let format = ReportFormat(input.byte() % 2 == 0 ? .csv : .ndjson, carriedNames: ["town"])
        let text = Array(input.rest)
        _ = try? ReportDigest.reading([.memory(text, name: "report.csv")], keepsSeries: true)
        let scan: ReportScan
        do throws(FanfareError) {
            scan = try ReportScan(
                .memory(text, name: "report"), format: format, byteCount: text.count)
        } catch {
            return
        }
        try Violation.check(scan.wholeBytes <= text.count, "more is whole than there is")
        // A whole row is whole without the rest, too.
        let whole = Array(text.prefix(scan.wholeBytes))
        let again = try? ReportScan(
            .memory(whole, name: "report"), format: format, byteCount: whole.count)
        try Violation.check(
            again?.wholeBytes == scan.wholeBytes && again?.fault == nil
                && again?.tally.rowsRead == scan.tally.rowsRead,
            "\(scan.wholeBytes) bytes are whole, and then \(again?.wholeBytes ?? -1)")
    }
}
