import FanfareBase
import FanfareCore
import FanfareSystem

/// Reads the rows of one input, behind its head, as batches.
///
/// Use from one thread at a time.
final class RowReader {
    let head: InputHead
    let text: TextSource
    private(set) var parser: any RowParser
    let cleaning: TokenCleaning?
    /// True if people can set the meaning of quotes.
    private let quotesAreUpToThem: Bool
    /// The offset in the input of the first byte that is not in a batch.
    private(set) var offset: UInt64
    /// Rows handed out so far, and those of the inputs before this one.
    private(set) var rowCount: UInt64
    /// The bytes of a row, as the last batch had them; 0 before.
    private var rowBytes = 0
    /// The quote that stopped the reading, if one did.
    private(set) var openQuote: OpenQuote?
    /// The failure that stopped the reading, thrown when the rows before it have been handed out.
    private var failure: FanfareError?

    /// Prepares to read rows.
    /// - Parameters:
    ///   - head: The beginning of the input.
    ///   - text: The input, at its first row.
    ///   - spec: The settings for reading it.
    ///   - rowsBefore: The rows of the inputs before this one.
    init(_ head: InputHead, _ text: TextSource, _ spec: InputSpec, rowsBefore: UInt64 = 0) {
        self.head = head
        self.text = text
        parser = head.parser(spec.options.quotes)
        quotesAreUpToThem = !spec.isTokenList
        cleaning = spec.cleaning
        offset = UInt64(head.firstRow.offset)
        rowCount = rowsBefore
    }

    /// Opens an input that is read for itself.
    /// - Throws: `FanfareError` with code `input`, or with code `configuration` about a query.
    convenience init(_ input: RowInput, _ spec: InputSpec) throws(FanfareError) {
        try input.checkReadable()
        let text = try TextSource(input, spec)
        self.init(try InputHead(of: text, spec), text, spec)
    }

    /// True if all rows were handed out, and nothing has failed.
    var isAtEnd: Bool { text.isAtEnd && text.atHand.isEmpty && failure == nil }

    /// True if the next rows are not there yet: the input gives nothing now, and no line is at
    /// hand.
    var wouldWait: Bool {
        unsafe text.wouldWait && !text.atHand.bytes.contains(UInt8(ascii: "\n"))
    }

    /// Fills a batch with the next rows.
    /// - Returns: False when there are none left; the batch is empty then.
    /// - Throws: `FanfareError.Code.input` when the input cannot be read, after all rows before that
    ///   were handed out.
    func fill(_ batch: RowBatch) throws(FanfareError) -> Bool {
        batch.reset()
        while true {
            if let failure { throw failure }
            if isAtEnd { return false }
            batch.firstRow = rowCount + 1
            readOn(into: batch)
            rowCount += UInt64(batch.rowCount)
            if let cleaning { batch.cleanTokens(cleaning) }
            if batch.rowCount > 0 { return true }
            batch.reset()
        }
    }

    /// Passes over the next rows, as far as their ends are found.
    /// - Parameters:
    ///   - batch: The memory to read into.
    ///   - most: The most rows to pass over.
    /// - Returns: True if it has passed over any; if not, `fill` makes the next ones, or says what is wrong.
    func skip(using batch: RowBatch, most: Int) -> Bool {
        batch.reset()
        // A row that takes a closer look is parsed where it is.
        batch.rowLimit = 1
        moveRest(to: batch)
        let before = rowCount
        while failure == nil {
            rowCount += UInt64(parser.skip(in: batch, most: most - Int(rowCount - before)))
            if rowCount - before == UInt64(most) { break }
            let progress = parser.parse(batch, isFinal: text.isAtEnd)
            rowCount += UInt64(batch.rowCount)
            batch.forgetRows()
            if rowCount - before == UInt64(most) { break }
            if progress == .batchFull { continue }
            // An open quote is for `fill` to judge, and a row that does not fit.
            if progress != .needsInput || text.isAtEnd { break }
            if batch.inputEnd == batch.inputCapacity {
                guard batch.parsed > 0 else { break }
                offset += UInt64(batch.parsed)
                batch.discardParsed()
            }
            guard read(into: batch) else { break }
        }
        keepRest(of: batch)
        return rowCount > before
    }

    private func readOn(into batch: RowBatch) {
        batch.inputOffset = offset
        moveRest(to: batch)
        while true {
            let progress = parser.parse(batch, isFinal: text.isAtEnd)
            if case .quoteIsOpen(let quote) = progress {
                if text.isCancelled {
                    // The job itself has ended a pipe, anywhere: a field without its closing quote is half
                    // a row, and says nothing.
                    batch.parsed = batch.inputEnd
                } else {
                    stop(at: quote)
                }
                break
            }
            if text.isArray && stopAtDamage(in: batch) { break }
            if progress == .batchFull || text.isAtEnd { break }
            if batch.inputEnd == batch.inputCapacity {
                if batch.rowCount > 0 { break }
                if let quote = makeRoom(in: batch) {
                    stop(at: quote)
                    break
                }
                continue
            }
            // Rows that are there should not wait for a pipe to give more.
            if batch.rowCount > 0 && text.wouldWait { break }
            guard read(into: batch, most: bytesWanted(for: batch)) else { break }
        }
        if batch.rowCount > 0 { rowBytes = batch.parsed / batch.rowCount + 1 }
        keepRest(of: batch)
    }

    /// Keeps the input behind the rows that were made.
    private func keepRest(of batch: RowBatch) {
        offset += UInt64(batch.parsed)
        let rest = batch.inputEnd - batch.parsed
        unsafe text.atHand.append(
            UnsafeBufferPointer(start: batch.bytes + batch.parsed, count: rest))
    }

    /// Makes room for a row that does not fit: it drops finished rows, then grows the batch up to
    /// the longest row that is read.
    /// - Returns: A quote that makes it longer than rows are.
    private func makeRoom(in batch: RowBatch) -> OpenQuote? {
        if batch.parsed > 0 {
            // Blank lines, or the rest of a row that was given up.
            offset += UInt64(batch.parsed)
            batch.inputOffset = offset
            batch.discardParsed()
        } else if batch.inputCapacity < Limits.rowBytesMax {
            batch.grow(toInputCapacity: min(4 * batch.inputCapacity, Limits.rowBytesMax))
        } else {
            return parser.abandonRow(in: batch)
        }
        return nil
    }

    /// Stops at an open quote: the rows before it count, and no row gets the text that it has
    /// swallowed.
    private func stop(at quote: OpenQuote) {
        openQuote = quote
        failure = quote.error(in: head.name, isUpToThem: quotesAreUpToThem)
    }

    /// Stops where the input has a fault: the rows before it count.
    func stop(_ fault: ByteSource.Failure, behind row: UInt64) {
        text.fault = fault
        failure = FanfareError(
            .input, "\(head.name) cannot be read on after row \(row): \(fault.reason)")
    }

    /// The bytes to read for the rows that a batch may still take: more would only be moved out of it again.
    private func bytesWanted(for batch: RowBatch) -> Int {
        guard batch.rowLimit < batch.rowCapacity, rowBytes > 0 else { return .max }
        return max(Self.readBytesMin, (batch.rowLimit - batch.rowCount) * rowBytes)
    }

    /// The least to read for a few rows: a page costs no more than a part of it.
    private static let readBytesMin = 4_096

    /// Reads into the rest of a batch.
    /// - Parameters:
    ///   - batch: The batch.
    ///   - most: The most bytes to read.
    /// - Returns: False after noting a failure.
    func read(into batch: RowBatch, most: Int = .max) -> Bool {
        let space = unsafe UnsafeMutableRawBufferPointer(
            start: batch.bytes + batch.inputEnd,
            count: min(batch.inputCapacity - batch.inputEnd, most))
        do throws(ByteSource.Failure) {
            batch.inputEnd += unsafe try text.read(into: space)
            return true
        } catch {
            stop(error, behind: rowCount + UInt64(batch.rowCount))
            return false
        }
    }

    /// Moves the text at hand to the beginning of a batch.
    func moveRest(to batch: RowBatch) {
        let count = text.atHand.count
        while batch.inputCapacity < count {
            batch.grow(toInputCapacity: max(count, 2 * batch.inputCapacity))
        }
        let space = unsafe UnsafeMutableBufferPointer(start: batch.bytes, count: count)
        _ = unsafe space.update(fromContentsOf: text.atHand.bytes)
        batch.inputEnd = count
        text.atHand.removeAll()
    }
}
