import FanfareBase
import FanfareCore

/// Looks for another encoding, for quotes that were left open, and for files that cannot be read to
/// their end, before anything is sent, wherever that can be known.
extension PreparedJob {
    /// A fault of an input behind its head.
    private enum Finding {
        case quoteIsOpen(OpenQuote)
        /// It is not in the encoding that it is read in.
        case isInOtherEncoding(RowReader.OtherEncoding)
        /// It ends, or fails, behind so many rows.
        case cannotBeRead(ByteSource.Failure, rowCount: UInt64)
    }

    /// Reads all inputs that can be read twice, and the present part of a pipe, for a job that
    /// begins.
    ///
    /// A file that is neither compressed nor a JSON array is read to its end only where quotes are looked
    /// for: nothing but its disk could be at fault.
    /// - Throws: `FanfareError.Code.input` about the first input in another encoding, the first quote that
    ///   was left open, or the first input that cannot be read to its end.
    func surveyInputs() throws(FanfareError) {
        for index in configuration.inputs.indices {
            guard let found = finding(inInput: index, readsOn: true) else { continue }
            var failure = error(found, inInput: index)
            failure.statement += ". Nothing was sent"
            if case .cannotBeRead(_, rowCount: let rowCount) = found {
                failure.statement += advice(onInput: index, rowCount: rowCount)
            }
            throw failure
        }
    }

    /// Looks for inputs in another encoding alone, for a job that sends nothing.
    /// - Throws: `FanfareError.Code.input` about the first one.
    func surveyEncodings() throws(FanfareError) {
        for index in configuration.inputs.indices {
            guard let other = otherEncoding(ofInput: index) else { continue }
            throw error(.isInOtherEncoding(other), inInput: index)
        }
    }

    /// Looks for quotes alone, for a job that is carried on.
    ///
    /// Its rows were taken as they are read, in any encoding. If an input cannot be read to its end, it is
    /// read as far as possible: all rows in doubt get their lines.
    /// - Throws: `FanfareError.Code.input` about the first quote that was left open.
    func surveyQuotes() throws(FanfareError) {
        for index in configuration.inputs.indices {
            guard let found = finding(inInput: index, readsOn: false),
                case .quoteIsOpen = found
            else { continue }
            throw error(found, inInput: index)
        }
    }

    /// Reads inputs that were mended before a row of them was begun.
    /// - Parameter first: The first of them, counted from 0.
    /// - Throws: `FanfareError.Code.input` about the first one that is in another encoding, or cannot be
    ///   read to its end.
    func surveyMended(from first: Int) throws(FanfareError) {
        for index in configuration.inputs.indices.dropFirst(first) {
            guard let found = finding(inInput: index, readsOn: true) else { continue }
            // Quotes were looked for.
            if case .quoteIsOpen = found { continue }
            var failure = error(found, inInput: index)
            failure.statement +=
                ". No row of it was begun: once it is mended, \(.resumes) carries the job on"
            throw failure
        }
    }

    private func error(_ finding: Finding, inInput index: Int) -> FanfareError {
        let name = configuration.inputs[index].name
        switch finding {
        case .quoteIsOpen(let quote):
            return quote.error(in: name, isUpToThem: true)
        case .isInOtherEncoding(let other):
            return other.error(in: name)
        case .cannotBeRead(let fault, rowCount: let rowCount):
            let place = index == 0 ? "row \(rowCount)" : "row \(rowCount) of it"
            return FanfareError(
                .input, "\(name) cannot be read on after \(place): \(fault.reason)")
        }
    }

    /// The ways on with a file of which not all rows can be read.
    private func advice(onInput index: Int, rowCount: UInt64) -> Statement {
        guard configuration.inputs[index].path != nil else { return "" }
        let advice: Statement = "; once it is mended, the same command begins the job"
        guard rowCount > 0 else { return advice }
        return advice
            + ". To send the rows up to there now, pipe it into the command (cat FILE | …, with - "
            + "for its name): \(.resumes) carries on once the pipe brings the rest"
    }

    /// Looks through an input; where `readsOn`, a compressed file to its end in any case.
    private func finding(inInput index: Int, readsOn: Bool) -> Finding? {
        let input = configuration.inputs[index]
        if readsOn, let other = otherEncoding(ofInput: index) { return .isInOtherEncoding(other) }
        let looksForQuotes = configuration.rows.quotes == .checked
        guard looksForQuotes || readsOn else { return nil }
        guard Self.canBeReadTwice(input) else {
            guard index == 0, looksForQuotes else { return nil }
            return source.reader?.surveyAtHand().map { Finding.quoteIsOpen($0) }
        }
        guard let reader = opened(input) else { return nil }
        if looksForQuotes && reader.mayHaveOpenQuote() { return finding(inRowsOf: input) }
        // Only its objects tell where an array is damaged.
        if readsOn && reader.text.isArray { return finding(inRowsOf: input) }
        if readsOn && reader.text.isCompressed { reader.readToEnd() }
        // The last row is looked for only then.
        return readsOn && reader.text.fault != nil ? finding(inRowsOf: input) : nil
    }

    /// Looks at the beginning of an input, and at as much of a pipe as is there.
    private func otherEncoding(ofInput index: Int) -> RowReader.OtherEncoding? {
        let input = configuration.inputs[index]
        if Self.canBeReadTwice(input) { return opened(input)?.otherEncoding() }
        return index == 0 ? source.reader?.otherEncodingAtHand() : nil
    }

    private func finding(inRowsOf input: RowInput) -> Finding? {
        guard let reader = opened(input) else { return nil }
        let batch = RowBatch(slotCount: reader.head.schema.slotCount)
        while (try? reader.fill(batch)) == true {}
        if let quote = reader.openQuote { return .quoteIsOpen(quote) }
        return reader.text.fault.map { Finding.cannotBeRead($0, rowCount: reader.rowCount) }
    }

    /// An input at its first row; `nil` if it cannot be read.
    private func opened(_ input: RowInput) -> RowReader? {
        try? RowReader(input, source.spec)
    }
}
