import FanfareBase
package import FanfareCore

/// The rows of a lost worker in files that a person has named, held against the sums by which the workers of the job have
/// compared their inputs.
///
/// A row has its number by the place of its cut, and a cut of other bytes is refused: no row gets the token of another one.
package struct ClusterLostRows {
    private let inputs: ClusterInputs
    /// The cuts that have the rows.
    private let cuts: [ClusterCut]
    /// The number of lines to write whose rows have no token.
    package private(set) var tokenlessCount: UInt64 = 0

    /// Looks at all that will be read.
    /// - Parameters:
    ///   - lost: The rows to write lines for, and the cuts of the job.
    ///   - files: The job's inputs, in their order.
    ///   - options: The settings for reading them.
    /// - Throws: `FanfareError` with code `input` if these are other files, with code `configuration` if other settings are
    ///   right for them, and what reading them throws.
    init(
        of lost: ClusterLostReport, in files: [RowInput], _ options: RowOptions
    ) throws(FanfareError) {
        let (rows, all) = (lost.rows, lost.cuts)
        var spec = InputSpec(options: options, schema: RowSchema(mapping: options.mapping))
        spec.findsOtherNames = true
        let source = RowSource(files, spec)
        try source.openFirst()
        inputs = try ClusterInputs(source)
        cuts = all.filter { !rows.intersection($0.firstRow..<$0.endRow).isEmpty }
        let covered = cuts.reduce(into: RowIntervals()) { $0.insert($1.firstRow..<$1.endRow) }
        guard rows.subtracting(covered).isEmpty else { throw ClusterControl.strange }
        if let last = all.last, last.isLast, last.place.input != files.count - 1 {
            throw FanfareError(
                .input,
                message:
                    "files of rows: the job has \(last.place.input + 1), and here \(files.count) "
                    + (files.count == 1 ? "is" : "are") + " named. \(Self.advice)")
        }
        try checkBeginnings(all)
        for cut in cuts where try !inputs.has(cut) { throw fault(of: cut) }
        // The sums are right; what is left is that someone has said how the rows are to be read.
        try countTokenless(of: lost)
    }

    /// Counts the lines that will have no token.
    /// - Throws: `FanfareError` with code `configuration` if an input has no column of tokens: each job's inputs have one.
    private mutating func countTokenless(of lost: ClusterLostReport) throws(FanfareError) {
        var (count, tokenless) = (UInt64(0), UInt64(0))
        try read { batch throws(FanfareError) in
            for index in 0..<batch.rowCount {
                let row = batch.firstRow + UInt64(index)
                guard lost.rows.contains(row - 1), !lost.reported.contains(row) else { continue }
                count += 1
                if unsafe batch.value(of: .token, row: index).isEmpty { tokenless += 1 }
            }
        }
        tokenlessCount = tokenless
        let heads = cuts.map { inputs.heads[$0.place.input] }
        guard let head = heads.first(where: { !$0.hasTokenColumn }),
            // Of NDJSON only the first line was looked at, and a line may leave keys out.
            head.areColumnsFixed || (tokenless == count && count > 0)
        else { return }
        let token = RowSchema.Known.token
        throw FanfareError(
            .configuration,
            "\(head.name) has no column '\(head.schema.inputName(ofSlot: token.slot))', so the lines would have no tokens, "
                + "and would be no list for \(.suppressions); its columns: \(InputHead.list(head.columns)). "
                + "Name the column of the tokens as send got it: \(.mapping, ofFound: token.name, is: "NAME")"
        )
    }

    /// A file's rows begin behind its header, which no cut has.
    private func checkBeginnings(_ all: [ClusterCut]) throws(FanfareError) {
        var last: Int?
        for cut in all {
            defer { last = cut.place.input }
            guard last != cut.place.input else { continue }
            guard inputs.heads.indices.contains(cut.place.input) else { throw fault(of: cut) }
            let offset = inputs.beginning(ofInput: cut.place.input).offset
            guard offset != cut.place.offset else { continue }
            throw try inputs.has(cut) ? otherBeginning(of: cut, at: offset) : fault(of: cut)
        }
    }

    /// The fault of a file that is the job's, and is read otherwise than the workers have read it.
    private func otherBeginning(of cut: ClusterCut, at offset: UInt64) -> FanfareError {
        let advice: Statement =
            if inputs.spec.options.hasHeader && cut.place.offset < offset {
                "The job was sent without a header: name \(.noHeader) and \(.columns, any: "LIST") as send got them"
            } else if !inputs.spec.options.hasHeader && cut.place.offset > offset {
                "The job was sent with a header: leave \(.noHeader) out"
            } else {
                "Name the options for reading rows as send got them"
            }
        return FanfareError(
            .configuration,
            "\(inputs.inputs[cut.place.input].name) has the rows of the job, which begin at its byte \(cut.place.offset), "
                + "but as it is read here they would begin at byte \(offset). " + advice)
    }

    /// Hands the rows of each cut to a closure, as batches.
    /// - Throws: `FanfareError` with code `input` if a cut has other rows, and the errors of the closure.
    package func read(
        _ each: (RowBatch) throws(FanfareError) -> Void
    ) throws(FanfareError) {
        let batch = RowBatch(slotCount: inputs.spec.schema.slotCount)
        for cut in cuts {
            let reader = try inputs.reader(at: cut.place, rowsBefore: cut.firstRow)
            while reader.rowCount < cut.endRow {
                batch.rowLimit = Int(min(cut.endRow - reader.rowCount, UInt64(batch.rowCapacity)))
                guard try reader.fill(batch) else { throw fault(of: cut) }
                try each(batch)
            }
            guard reader.offset <= cut.place.offset + cut.byteCount else { throw fault(of: cut) }
        }
    }

    private static let advice =
        "Name all files of the job's rows as send got them, in their order, and as they were then"

    private func fault(of cut: ClusterCut) -> FanfareError {
        let name =
            inputs.inputs.indices.contains(cut.place.input)
            ? inputs.inputs[cut.place.input].name : "file \(cut.place.input + 1)"
        return FanfareError(
            .input,
            message:
                "\(name): these are not the rows of the job: its rows \(cut.firstRow + 1) to \(cut.endRow) are not here. "
                + Self.advice)
    }
}

extension InputHead {
    /// True if one of the columns that were looked at has the tokens.
    fileprivate var hasTokenColumn: Bool {
        columns.contains(schema.inputName(ofSlot: RowSchema.Known.token.slot))
    }
}
