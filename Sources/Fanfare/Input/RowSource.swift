import FanfareBase
import FanfareCore
import FanfareSystem

/// The job's inputs, one after the other, as batches of rows.
///
/// Opens an input when the one before is at its end. Never holds more than one batch and the
/// beginning of one row. Use from one thread at a time.
final class RowSource {
    let inputs: [RowInput]
    let spec: InputSpec
    let cancellation = CancellationFlag()
    /// The selection that knows when enough rows were read; `nil` for all.
    var selection: RowSelection?
    /// The rows that a job of several workers grants; `nil` for all rows, in order.
    var granted: (any GrantedRows)?
    /// The progress of the reading, for other threads.
    let meter: InputMeter
    /// The beginning of the first input, once it is open.
    private(set) var first: InputHead?
    /// The columns of inputs, counted from 0, where they are known and no row has others.
    private(set) var columns: [Int: [String]] = [:]
    /// Notices for people about the columns, in sentences; complete once the first input is open.
    private(set) var notices: [Statement] = []
    /// Reads the current input.
    private(set) var reader: RowReader?
    /// The input that was opened last, until its end.
    private var text: TextSource?
    /// The inputs that were opened.
    private(set) var next = 0
    /// Rows handed out so far.
    private(set) var rowCount: UInt64 = 0
    /// The tokens of rows handed out that were taken out of blanks and brackets.
    private(set) var cleanedCount: UInt64 = 0
    /// The number of rows in the inputs before the one that was opened last.
    private(set) var rowCountBefore: UInt64 = 0

    init(_ inputs: [RowInput], _ spec: InputSpec) {
        meter = InputMeter(inputs)
        self.inputs = inputs
        self.spec = spec
    }

    var schema: RowSchema { spec.schema }

    /// True if the next rows are not there yet, as far as is known.
    ///
    /// A look takes granted rows that are there.
    var wouldWait: Bool { granted?.wouldWait ?? reader?.wouldWait ?? false }

    /// True if the next rows may not be there yet: the beginning of the next input is not known.
    ///
    /// A look takes granted rows that are there.
    var mayWait: Bool { granted?.wouldWait ?? reader?.wouldWait ?? true }

    /// The fault of an input that could not be read on, if that stopped the reading.
    var readFault: ByteSource.Failure? { text?.fault }

    /// Opens the first input and checks the others, so that their faults are found before anything
    /// is sent.
    func openFirst() throws(FanfareError) {
        // A pipe may keep us waiting for its first byte.
        for input in inputs { try input.checkReadable() }
        if reader == nil { reader = try openNext() }
        try lookAhead()
    }

    /// Opens each input behind the first one that can be looked at twice: of a pipe that would be the end.
    private func lookAhead() throws(FanfareError) {
        for (index, input) in inputs.enumerated().dropFirst() where canBeLookedAt(input) {
            guard input != inputs[0] else {
                columns[index] = columns[0]
                continue
            }
            let text = try TextSource(input, spec, cancellation: cancellation)
            take(try InputHead(of: text, spec, behind: first), index)
        }
    }

    private func canBeLookedAt(_ input: RowInput) -> Bool {
        switch input {
        case .file(let path): FileDescriptor.isRegularFile(path)
        case .memory, .sqlite: true
        case .generated: spec.wantsOneShape
        case .standardInput, .sequence: false
        }
    }

    private func take(_ head: InputHead, _ index: Int) {
        notices += head.notices
        if head.areColumnsFixed { columns[index] = head.columns }
    }

    /// Fills a batch with the next rows.
    /// - Returns: False when there are none left, or no more are wanted; the batch is empty then.
    /// - Throws: `FanfareError.Code.input` when an input cannot be read, after all rows before that
    ///   were handed out.
    func fill(_ batch: RowBatch) throws(FanfareError) -> Bool {
        batch.reset()
        defer { cleanedCount += UInt64(batch.cleanedCount) }
        if let granted {
            defer { rowCount = granted.rowCount }
            return try granted.fill(batch)
        }
        if let selection, reader != nil || next < inputs.count,
            selection.isOver(isMore: isMoreAtHand)
        {
            return false
        }
        while true {
            if reader == nil { reader = try openNext() }
            guard let reader else { return false }
            defer { meter.rowsWereRead(batch.rowCount) }
            let hasRows = try reader.fill(batch)
            rowCount = reader.rowCount
            if reader.isAtEnd {
                self.reader = nil
                text = nil
            }
            guard hasRows else { continue }
            batch.inputIndex = next - 1
            return true
        }
    }

    /// True if there are more rows, or so it seems: a pipe may yet end, and the next input have none.
    private var isMoreAtHand: Bool { reader.map(\.wouldWait) ?? (next < inputs.count) }

    /// - Returns: Nothing when there is none left, or no more rows are wanted.
    private func openNext() throws(FanfareError) -> RowReader? {
        guard next < inputs.count, !cancellation.isSet else { return nil }
        let text = try TextSource(inputs[next], spec, meter: meter, cancellation: cancellation)
        next += 1
        rowCountBefore = rowCount
        self.text = text
        let head = try InputHead(of: text, spec, behind: first)
        // The notices about later ones came before.
        if first == nil {
            first = head
            take(head, 0)
        }
        return RowReader(head, text, spec, rowsBefore: rowCount)
    }
}
