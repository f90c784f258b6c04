import FanfareCore
import FanfareLoop

/// Looks for quotes that were left open before anything is sent, wherever that can be known.
extension JobPlan {
    /// Reads all inputs that can be read twice, and of a pipe what is there.
    ///
    /// What else is wrong with them is told when they are read for the job.
    /// - Parameter resumes: Whether an earlier run may have sent rows.
    /// - Throws: `FanfareError.Code.input` about the first quote that was left open.
    func surveyQuotes(resumes: Bool = false) throws(FanfareError) {
        guard configuration.rows.quotes == .checked else { return }
        for (index, input) in configuration.inputs.enumerated() {
            let quote =
                Self.canBeReadTwice(input)
                ? openQuote(in: input) : index == 0 ? source.openQuoteAtHand() : nil
            if let quote {
                var error = quote.error(in: input.name, isUpToThem: true)
                if !resumes { error.message += ". Nothing was sent" }
                throw error
            }
        }
    }

    private func openQuote(in input: RowInput) -> OpenQuote? {
        guard opened(input)?.mayHaveOpenQuote() == true, let source = opened(input) else {
            return nil
        }
        let batch = RowBatch(
            inputCapacity: Limits.batchInputBytes, rowCapacity: Limits.batchRows,
            slotCount: source.schema.slotCount)
        while (try? source.fill(batch)) == true {}
        return source.openQuote
    }

    /// An input at its first row; `nil` if it cannot be read.
    private func opened(_ input: RowInput) -> RowSource? {
        let source = RowSource(
            inputs: [input], options: configuration.rows,
            schema: preparation.schema, required: [])
        source.findsOtherNames = true
        return (try? source.openNext()) == true ? source : nil
    }
}

extension RowSource {
    /// Whether any row of the current input may have swallowed others; reads up to that row.
    func mayHaveOpenQuote() -> Bool {
        guard let current, var parser = current.parser as? CSVParser else {
            return false
        }
        let batch = RowBatch(inputCapacity: Limits.batchInputBytes, rowCapacity: 1, slotCount: 1)
        moveRest(to: batch)
        while !parser.findsRowOfSeveralLines(in: batch, isFinal: current.bytes.isAtEnd) {
            if current.bytes.isAtEnd { return false }
            if batch.parsed > 0 {
                batch.discardParsed()
            } else if batch.inputEnd == batch.inputCapacity {
                // What has not ended yet is longer than rows are: that may be why.
                guard batch.inputCapacity < Limits.rowBytesMax else { return true }
                batch.grow(toInputCapacity: min(4 * batch.inputCapacity, Limits.rowBytesMax))
            }
            guard read(current, into: batch) else { return false }
        }
        return true
    }

    /// A quote that is left open in what was read of the first input, and not handed out yet.
    func openQuoteAtHand() -> OpenQuote? {
        guard let current, var parser = current.parser as? CSVParser else { return nil }
        var offset = 0
        while true {
            let count = rest.count - offset
            let batch = RowBatch(
                inputCapacity: max(count, 1), rowCapacity: Limits.batchRows,
                slotCount: schema.slotCount)
            let space = unsafe UnsafeMutableBufferPointer(start: batch.bytes, count: count)
            _ = unsafe space.update(fromContentsOf: rest.bytes.dropFirst(offset))
            batch.inputEnd = count
            switch parser.parse(batch, isFinal: current.bytes.isAtEnd) {
            case .quoteIsOpen(let quote): return quote
            case .needsInput: return parser.openQuote(inIncompleteRowOf: batch)
            case .batchFull: offset += batch.parsed
            }
        }
    }
}

extension OpenQuote {
    /// What people are told.
    /// - Parameters:
    ///   - name: The input.
    ///   - isUpToThem: Whether they can say what quotes mean.
    ///   - isInHeader: Whether the header has no end because of it: then there is nothing to be trusted.
    /// - Returns: The error, with what to do.
    func error(in name: String, isUpToThem: Bool, isInHeader: Bool = false) -> FanfareError {
        var message =
            "\(name), line \(line): the quote at the beginning of field \(column) is left open: "
        let trusted: String
        switch sign {
        case .row(let first):
            message +=
                "the lines from \(first) on look like rows, and would go into this field. Mend "
                + "the line (\"\" is a quote in a quoted field)"
            trusted = "takes those lines for one field"
        case .endOfInput(let count):
            let lines = count == 1 ? "the line" : "the \(count) lines"
            message +=
                "no quote closes the field up to the end of the input, and \(lines) behind it "
                + "would go into it. Mend the line (\"\" is a quote in a quoted field), or the "
                + "input's end if that was cut off"
            trusted = "takes all that for one invalid row"
        }
        if isUpToThem {
            message += ", or say --quotes ignored, which takes quotes for ordinary bytes"
            if !isInHeader { message += ", or --quotes trusted, which \(trusted)" }
        }
        return FanfareError(.input, message)
    }
}
