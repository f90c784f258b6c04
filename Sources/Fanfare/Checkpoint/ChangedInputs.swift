import FanfareBase
import FanfareCore

/// Inputs of an unfinished job that are other files than when it began.
///
/// As long as no row of theirs was begun they may be: the rows before them are the same, so that each row
/// with an outcome keeps its number, and nothing is known yet of those in them.
struct ChangedInputs {
    /// The first of them, counted from 0; those behind it may be unchanged.
    let first: Int
    /// The fingerprint of the job from now on.
    let fingerprint: JobFingerprint
    /// The change of the first one, in a sentence.
    let change: String
    private let names: [String]

    /// Finds inputs that may have changed; the result is nil if none has, or where none may.
    /// - Parameters:
    ///   - now: The job that resumes.
    ///   - then: The job as its checkpoint has it.
    ///   - configuration: The configuration of the run.
    init?(_ now: JobFingerprint, since then: JobFingerprint, _ configuration: Configuration) {
        guard now.inputs.map(\.name) == then.inputs.map(\.name),
            // Rows of a pipe are known one by one, with their numbers.
            (now.inputs + then.inputs).allSatisfy({ $0.bytes != nil }),
            let first = now.firstChange(since: then), Self.mayChange(first, of: configuration)
        else { return nil }
        self.first = first
        var fingerprint = then
        fingerprint.inputs = now.inputs
        fingerprint.head = now.head
        self.fingerprint = fingerprint
        change = now.change(ofInput: first, since: then)
        names = zip(now.inputs, then.inputs).filter { $0 != $1 }.map { $0.0.name }
    }

    /// Returns true if an input, counted from 0, may change before a row of it is begun.
    ///
    /// This requires that all inputs are regular files.
    static func mayChange(_ index: Int, of configuration: Configuration) -> Bool {
        let areFiles = configuration.inputs.allSatisfy { input in
            if case .file = input { true } else { false }
        }
        // All inputs together decide which row is the last one with its token.
        guard areFiles, configuration.rows.deduplication != .last else { return false }
        // The rows to try again have begun with the header of the first input.
        return index > 0 || configuration.report.retryRowsPath == nil
    }

    /// Notices for people about a job that reads these inputs in their present state, in sentences.
    var notices: [Statement] {
        names.map {
            "\($0) has changed since the job began; no row of it was begun, so it is read as it is now"
        }
    }

    /// Returns the reason why the job cannot be carried on with them: rows of theirs were begun.
    ///
    /// It reads the inputs before them, as far as necessary.
    /// - Parameters:
    ///   - plan: The job.
    ///   - last: The last row that has an outcome or that a request may have been sent for; `nil`
    ///     if that is not known.
    /// - Returns: A sentence; nil if no row of theirs was begun.
    /// - Throws: `FanfareError.Code.input` when an input before them cannot be read.
    func obstacle(
        in plan: PreparedJob, lastBegunRow last: UInt64?
    ) throws(FanfareError) -> String? {
        guard let last else {
            return "\(change), and it is not known any more whether rows of it were sent"
        }
        let count = try rowCount(before: first, of: plan, upTo: last)
        guard count < last else { return nil }
        return "\(change). It begins with row \(count + 1), and the last row that was begun "
            + "is row \(last): rows before it may be left to send"
    }

    /// The rows of the inputs before one; when there are enough no more are counted.
    private func rowCount(
        before index: Int, of plan: PreparedJob, upTo enough: UInt64
    ) throws(FanfareError) -> UInt64 {
        let source = RowSource(
            Array(plan.configuration.inputs.prefix(index)), plan.source.spec)
        let batch = RowBatch(slotCount: source.schema.slotCount)
        while source.rowCount < enough, try source.fill(batch) {}
        return source.rowCount
    }
}
