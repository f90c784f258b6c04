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

    /// Looks at all that will be read.
    /// - Parameters:
    ///   - rows: The rows, counted from 0.
    ///   - all: The cuts of the job, in their order.
    ///   - files: The job's inputs, in their order.
    /// - Throws: `FanfareError` with code `input` if these are other files, and what reading them throws.
    init(
        _ rows: RowIntervals, of all: [ClusterCut], in files: [RowInput]
    ) throws(FanfareError) {
        var spec = InputSpec()
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
        try read { _ in }
    }

    /// A file's rows begin behind its header, which no cut has.
    private func checkBeginnings(_ all: [ClusterCut]) throws(FanfareError) {
        var last: Int?
        for cut in all {
            defer { last = cut.place.input }
            guard last != cut.place.input else { continue }
            guard inputs.heads.indices.contains(cut.place.input),
                inputs.beginning(ofInput: cut.place.input).offset == cut.place.offset
            else { throw fault(of: cut) }
        }
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
