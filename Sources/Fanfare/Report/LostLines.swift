import FanfareBase
package import FanfareCore
import FanfareSystem

/// A report with lines for rows whose report is lost: `unknown`, `report lost`.
package final class LostLines {
    private let file: OutputFile
    private let format: ReportFormat
    private var writer: ReportLineWriter
    private var block = ByteBuffer(capacity: Limits.reportBlockBytes + 4096)
    private var prefix = ByteBuffer()
    /// The lines so far.
    private var count: UInt64 = 0

    private init(_ path: String, overwrites: Bool) throws(FanfareError) {
        let kind: ReportFormat.Kind = (RowFormat(ofPath: path) ?? .csv) == .csv ? .csv : .ndjson
        format = ReportFormat(kind)
        writer = ReportLineWriter(kind)
        do throws(FileError) {
            file = try OutputFile(path, mayExist: overwrites)
            try file.cut(toLength: 0)
            if file.isCompressed { try file.begin(with: []) }
        } catch {
            guard error.kind != .exists, error.kind != .isDirectory else {
                throw OutputFiles.alreadyThere(path, .extractPath)
            }
            throw FanfareError(.output, "\(path) cannot be created: \(error.reason)")
        }
        block.append(Array(format.header.utf8))
    }

    /// Reads rows as batches, which it hands to a closure one after the other.
    package typealias Reading = (_ each: (RowBatch) throws(FanfareError) -> Void)
        throws(FanfareError) -> Void

    /// Writes a report with a line for each row of a set that has none in other reports.
    ///
    /// A file that exists is replaced once it is open: what can be refused is looked at before.
    /// - Parameters:
    ///   - rows: The rows, counted from 0.
    ///   - reported: The rows, counted from 1, that have a line.
    ///   - path: The file; `-` is standard output.
    ///   - overwrites: True if it may exist.
    ///   - read: Reads the job's rows, for lines to have tokens; `nil` to have lines without them.
    /// - Returns: The number of lines.
    /// - Throws: `FanfareError`.
    package static func write(
        _ rows: RowIntervals, without reported: RowSet, to path: String, overwrites: Bool,
        reading read: Reading?
    ) throws(FanfareError) -> UInt64 {
        guard !ReportTable.isNamed(path) else {
            throw FanfareError(
                .configuration,
                "\(path) would be a database; \(.extractPath, any: "FILE") names a file of CSV or NDJSON"
            )
        }
        let lines = try LostLines(path, overwrites: overwrites)
        do throws(FanfareError) {
            if let read {
                try read { batch throws(FanfareError) in
                    try lines.add(batch) { rows.contains($0 - 1) && !reported.contains($0) }
                }
            } else {
                try lines.add(rows, without: reported)
            }
            try lines.flush()
        } catch {
            // A file without some of the lines would look like one with all of them.
            if !overwrites && path != "-" { try? FileDescriptor.remove(path) }
            throw error
        }
        return lines.count
    }

    private func add(_ rows: RowIntervals, without reported: RowSet) throws(FanfareError) {
        for span in rows.spans {
            for row in span where !reported.contains(row + 1) {
                unsafe try add(row + 1, id: nil, token: .empty)
            }
        }
    }

    private func add(
        _ batch: RowBatch, where isWanted: (UInt64) -> Bool
    ) throws(FanfareError) {
        for index in 0..<batch.rowCount {
            let row = batch.firstRow + UInt64(index)
            guard isWanted(row) else { continue }
            let id = batch.field(row: index, slot: RowSchema.Known.id.slot)
            let token = batch.field(row: index, slot: RowSchema.Known.token.slot)
            unsafe try add(
                row, id: id.isMissing ? nil : batch.value(id),
                token: token.isMissing ? .empty : batch.value(token))
        }
    }

    private func add(
        _ row: UInt64, id: UnsafeBufferPointer<UInt8>?, token: UnsafeBufferPointer<UInt8>
    ) throws(FanfareError) {
        prefix.removeAll()
        unsafe format.appendPrefix(row: row, id: id, token: token, into: &prefix)
        let result = unsafe RowResult(.unknown, reason: Outcome.reportLostReason.bytes)
        unsafe writer.append(prefix: prefix.bytes, result: result, suffix: .empty, into: &block)
        count += 1
        if block.count >= Limits.reportBlockBytes { try flush() }
    }

    private func flush() throws(FanfareError) {
        do throws(FileError) {
            _ = unsafe file.prepare(block.bytes)
            unsafe try file.append(block.bytes)
            block.removeAll()
        } catch {
            throw FanfareError(.output, "\(file.name) cannot be written: \(error.reason)")
        }
    }
}
