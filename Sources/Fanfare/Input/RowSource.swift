import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSystem

/// An input that is being read.
final class OpenInput {
    let bytes: TextSource
    var parser: any RowParser
    /// The offset in the input of the first byte that is not in a batch.
    var offset: UInt64

    init(_ bytes: TextSource, parser: any RowParser, offset: UInt64) {
        self.bytes = bytes
        self.parser = parser
        self.offset = offset
    }
}

/// The job's inputs, one after the other, as batches of rows.
///
/// Opens an input when the one before is at its end, tells its format, reads its header, and lets a
/// parser fill batches. Never holds more than one batch and the beginning of one row.
/// Use from one thread at a time.
final class RowSource {
    let inputs: [RowInput]
    let options: RowOptions
    /// What is wanted of a row; all that the first input has as well, with `wantsAllColumns`.
    var schema: RowSchema
    /// Whether no option says what quotes mean in it.
    var quotesAreFixed = false
    /// Whether CSV may be one token a line, without a header.
    var allowsBareTokens = false
    /// Whether columns are looked for under names that others give them.
    var findsOtherNames = false
    /// The columns that were found so, in sentences; complete once the first input is open.
    var notices: [Statement] = []
    /// Whether the columns of the first input are wanted that no option has named.
    var wantsAllColumns = false
    /// Those of the first input, with `wantsAllColumns`.
    var allColumns: [String] = []
    /// Columns that must be there, and what wants them.
    let required: [(column: String, by: Statement)]
    /// How much of each input is read, before it is decompressed.
    let bytesMax: Int
    /// Whether the inputs' rows are to go into one file again.
    let wantsOneShape: Bool

    /// How the first input begins, once it is open.
    var first: FirstInput?
    /// The bytes that it begins with, as many as were there at once.
    var head: [UInt8] = []
    /// How many an earlier run of the job has seen.
    var headBytesWanted: Int?
    var next = 0
    var current: OpenInput?
    /// Input that was read but is not in a batch: the beginning of a row, or what follows a header.
    var rest = ByteBuffer(capacity: Limits.batchInputBytes)
    let cancellation = CancellationFlag()
    /// How far the reading is, for other threads.
    let meter: InputMeter
    /// The quote that stopped the reading, if one did.
    private(set) var openQuote: OpenQuote?
    /// What stopped the reading; told once the rows before it were handed out.
    private var failure: FanfareError?
    /// What is wrong with the input that could not be read on, if that was it.
    var readFault: ByteSource.Failure?
    /// Whether that was the end of a compressed input that has been cut off.
    var isCutOff: Bool { readFault?.isCutOff ?? false }
    /// Rows handed out so far.
    private(set) var rowCount: UInt64 = 0
    /// Those of the inputs before the one that was opened last.
    var rowCountBefore: UInt64 = 0

    init(
        inputs: [RowInput], options: RowOptions, schema: RowSchema,
        required: [(column: String, by: Statement)], wantsOneShape: Bool = false,
        bytesMax: Int = .max
    ) {
        meter = InputMeter(inputs)
        self.bytesMax = bytesMax
        self.inputs = inputs
        self.options = options
        self.schema = schema
        self.required = required
        self.wantsOneShape = wantsOneShape
    }

    /// Opens the first input and looks for the others, so that what is wrong with them is told
    /// before anything is sent.
    func openFirst() throws(FanfareError) {
        for path in inputs.compactMap(\.path) {
            do throws(FileError) {
                try FileDescriptor.checkReadable(path)
            } catch {
                throw FanfareError(.input, "\(path) cannot be read: \(error.reason)")
            }
        }
        if current == nil { _ = try openNext() }
        try lookAhead()
    }

    /// Fills a batch with the next rows.
    /// - Returns: False when there are none left; the batch is empty then.
    /// - Throws: `FanfareError.Code.input` when an input cannot be read, after all rows before that
    ///   were handed out.
    func fill(_ batch: RowBatch) throws(FanfareError) -> Bool {
        batch.reset()
        while true {
            if let failure { throw failure }
            if current == nil {
                guard try openNext() else { return false }
            }
            batch.firstRow = rowCount + 1
            batch.inputIndex = next - 1
            fillFromCurrent(batch)
            rowCount += UInt64(batch.rowCount)
            meter.rowsWereRead(batch.rowCount)
            if current?.bytes.isAtEnd == true && rest.isEmpty { current = nil }
            if batch.rowCount > 0 { return true }
            batch.reset()
        }
    }

    private func fillFromCurrent(_ batch: RowBatch) {
        guard let input = current else { return }
        batch.inputOffset = input.offset
        moveRest(to: batch)
        while true {
            let progress = input.parser.parse(batch, isFinal: input.bytes.isAtEnd)
            if case .quoteIsOpen(let quote) = progress {
                if cancellation.isSet { leave(batch) } else { stop(at: quote, of: input) }
                break
            }
            if progress == .batchFull || input.bytes.isAtEnd { break }
            if batch.inputEnd == batch.inputCapacity {
                if batch.rowCount > 0 { break }
                if let quote = makeRoom(in: batch, input) {
                    stop(at: quote, of: input)
                    break
                }
                continue
            }
            // Rows that are there should not wait for a pipe to give more.
            if batch.rowCount > 0 && input.bytes.wouldWait { break }
            guard read(input, into: batch) else { break }
        }
        input.offset += UInt64(batch.parsed)
        keepRest(of: batch)
    }

    /// A row does not fit: what is done with goes, then the batch grows up to the longest row that
    /// is read.
    /// - Returns: A quote that makes it longer than rows are.
    private func makeRoom(in batch: RowBatch, _ input: OpenInput) -> OpenQuote? {
        if batch.parsed > 0 {
            // Blank lines, or the rest of a row that was given up.
            input.offset += UInt64(batch.parsed)
            batch.inputOffset = input.offset
            batch.discardParsed()
        } else if batch.inputCapacity < Limits.rowBytesMax {
            batch.grow(toInputCapacity: min(4 * batch.inputCapacity, Limits.rowBytesMax))
        } else {
            return input.parser.abandonRow(in: batch)
        }
        return nil
    }

    /// The rows before it count; what it has swallowed is not said of any row.
    private func stop(at quote: OpenQuote, of input: OpenInput) {
        openQuote = quote
        failure = quote.error(in: input.bytes.name, isUpToThem: !quotesAreFixed)
    }

    /// The job wants no more rows, and so has ended a pipe anywhere: a field without its closing quote is
    /// half a row, and says nothing.
    private func leave(_ batch: RowBatch) {
        batch.parsed = batch.inputEnd
        current = nil
        next = inputs.count
    }

    /// - Returns: False after noting a failure.
    func read(_ input: OpenInput, into batch: RowBatch) -> Bool {
        let space = unsafe UnsafeMutableRawBufferPointer(
            start: batch.bytes + batch.inputEnd, count: batch.inputCapacity - batch.inputEnd)
        do throws(ByteSource.Failure) {
            let count = unsafe try input.bytes.read(into: space)
            batch.inputEnd += count
            return true
        } catch {
            let row = rowCount + UInt64(batch.rowCount)
            readFault = error
            failure = FanfareError(
                .input, "\(input.bytes.name) cannot be read on after row \(row): \(error.reason)")
            return false
        }
    }

    func moveRest(to batch: RowBatch) {
        let count = rest.count
        while batch.inputCapacity < count {
            batch.grow(toInputCapacity: max(count, 2 * batch.inputCapacity))
        }
        let space = unsafe UnsafeMutableBufferPointer(start: batch.bytes, count: count)
        _ = unsafe space.update(fromContentsOf: rest.bytes)
        batch.inputEnd = count
        rest.removeAll()
    }

    private func keepRest(of batch: RowBatch) {
        let count = batch.inputEnd - batch.parsed
        unsafe rest.append(UnsafeBufferPointer(start: batch.bytes + batch.parsed, count: count))
    }
}
