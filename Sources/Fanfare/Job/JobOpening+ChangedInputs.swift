import FanfareBase
import FanfareCore
import FanfareSystem

/// Carrying on with inputs that were mended before any run had begun them.
extension JobOpening {
    /// Checks that no row of changed inputs was begun, and updates their identity in the
    /// checkpoint.
    ///
    /// It counts from this run's first record on, which is on the disk before a row is sent.
    /// - Parameters:
    ///   - changed: The inputs.
    ///   - plan: The job.
    ///   - found: The known facts about its rows.
    ///   - opened: Its checkpoint.
    ///   - record: The contents of the first record.
    /// - Throws: `FanfareError` with code `configuration` when rows of them were begun, with code
    ///   `input` when one cannot be read to its end, and others.
    static func take(
        _ changed: ChangedInputs, _ plan: PreparedJob, _ found: FoundJournal,
        into opened: inout OpenedCheckpoint, _ record: inout CheckpointRecord
    ) throws(FanfareError) {
        let last = try lastBegunRow(found, opened, record)
        if let obstacle = try changed.obstacle(in: plan, lastBegunRow: last) {
            throw isAnotherJob(plan.configuration, Statement(obstacle))
        }
        try plan.surveyMended(from: changed.first)
        let text = Array(changed.fingerprint.json.utf8)
        guard opened.hasRoom(forFingerprintBytes: text.count) else {
            throw isAnotherJob(
                plan.configuration,
                "\(changed.change). No row of it was begun, but \(opened.path) has no room to note "
                    + "that it is another file")
        }
        try told(\.outputError) { () throws(FileError) in
            try opened.replaceFingerprint(by: text, from: &record)
        }
    }

    /// The last row that has a line, or that a request may have been sent for; `nil` if that is not known.
    private static func lastBegunRow(
        _ found: FoundJournal, _ opened: borrowing OpenedCheckpoint, _ record: CheckpointRecord
    ) throws(FanfareError) -> UInt64? {
        switch found.recovery.doubt {
        case .everyRow(let last):
            return last == 0 ? nil : max(last, found.scan.rows.highest)
        // Rows behind those of the folder may have been begun by other workers.
        case .granted: return nil
        case .marks:
            return try told(\.inputFileError) { () throws(FileError) in
                let marked = try opened.lastMarkedRow(in: record)
                return max(marked, found.scan.rows.highest)
            }
        }
    }

    /// Returns the error about a report that belongs to another job.
    static func isAnotherJob(
        _ configuration: Configuration, _ difference: Statement
    ) -> FanfareError {
        FanfareError(
            .configuration,
            "\(.resumes) would not carry on the job that wrote \(configuration.report.path): \(difference). Go on with "
                + "what it was then. To begin another job, give it another report, and its inputs "
                + "\(FileChange.reached(report: "this one")); \(.overwrites) sends to all of them again"
        ).onward(from: configuration)
    }
}
