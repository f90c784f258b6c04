import FanfareBase
package import FanfareCore

/// The key that matches rows of two reports.
package enum ReportKey: String, Sendable, CaseIterable {
    case row
    case id
    case token
}

extension ReportComparison {
    /// Compares two reports.
    /// - Parameters:
    ///   - before: The earlier one.
    ///   - after: The later one.
    ///   - key: The key that matches rows.
    ///   - listedMax: The most changed rows to name.
    /// - Returns: The improvements and regressions, and the changed rows.
    /// - Throws: `FanfareError.Code.input` when a report cannot be read or is no report, or when
    ///   there are more rows than the bound of memory allows.
    package static func reading(
        _ before: RowInput, _ after: RowInput, by key: ReportKey, listedMax: Int
    ) throws(FanfareError) -> ReportComparison {
        var comparison = ReportComparison(key: key.rawValue, listedMax: listedMax)
        var index = RowIndex(key)
        let first = try ReportReader(before)
        let slots = KeySlots(first)
        let file = try first.read { line, position throws(FanfareError) in
            comparison.before.record(line)
            switch unsafe index.insert(line, slots.key(key, position)) {
            case .inserted: break
            case .present: comparison.unmatchable += 1
            case .full: throw tooMany(before.name, key)
            }
        }
        comparison.before.files = [file]
        comparison.onlyBefore = index.count
        // Their first lines: the others were counted as they came.
        comparison.unmatchable += index.repeatedCount
        try comparison.read(after, key, &index)
        return comparison
    }

    private mutating func read(
        _ after: RowInput, _ key: ReportKey, _ index: inout RowIndex
    ) throws(FanfareError) {
        let second = try ReportReader(after)
        let slots = KeySlots(second)
        let file = try second.read { line, position throws(FanfareError) in
            self.after.record(line)
            let text = unsafe slots.key(key, position)
            guard key == .row || !text.isEmpty else {
                unmatchable += 1
                return
            }
            switch unsafe index.take(line, text) {
            case .none: recordNew()
            case .repeated: unmatchable += 1
            case .again(let row, let before, let first):
                takeBack(rowBefore: row, Transition(before: before, after: first))
                // The line of the first report, and both of this one.
                unmatchable += 3
            case .row(let row, let before):
                onlyBefore -= 1
                record(
                    Change(
                        rowBefore: row, rowAfter: line.row, before: before, after: line.outcome,
                        id: unsafe String(decoding: slots.key(.id, position), as: UTF8.self)),
                    Transition(before: before, after: line.outcome))
            }
        }
        self.after.files = [file]
    }

    private static func tooMany(_ name: String, _ key: ReportKey) -> FanfareError {
        let most =
            key == .row
            ? "\(NumberText.grouped(UInt64(Limits.comparedPages) * 65_536)) row numbers"
            : "\(NumberText.grouped(UInt64(Limits.comparedKeys))) different values"
        let advice: Statement =
            key == .row
            ? "compare parts of them, which \(.filters) makes"
            : "\(.comparisonKey, option: "row", member: ".row") has room for more, where both "
                + "have the same rows"
        return FanfareError(
            .input, "\(name) has more than \(most), which is what a comparison keeps; \(advice)")
    }
}

/// The places of the keys in a report's lines.
private struct KeySlots {
    private let id: Int?
    private let token: Int?

    init(_ reader: ReportReader) {
        id = reader.slot(of: "id")
        token = reader.slot(of: "token")
    }

    /// The text that a line is matched by; empty for a row number, and where there is none.
    func key(_ key: ReportKey, _ position: ReportReader.Position) -> UnsafeBufferPointer<UInt8> {
        let slot: Int? =
            switch key {
            case .row: nil
            case .id: id
            case .token: token
            }
        guard let slot else { return unsafe .empty }
        return unsafe position.batch.value(position.batch.field(row: position.index, slot: slot))
    }
}

/// The rows of the first report, by number or by text.
private struct RowIndex {
    private let key: ReportKey
    private var rows = OutcomeMap()
    private var texts = KeyedOutcomes()

    init(_ key: ReportKey) { self.key = key }

    /// The rows that can be compared.
    var count: UInt64 {
        key == .row ? rows.count : UInt64(texts.count - texts.repeatedCount)
    }

    var repeatedCount: UInt64 { UInt64(texts.repeatedCount) }

    mutating func insert(
        _ line: ReportLine, _ text: UnsafeBufferPointer<UInt8>
    ) -> OutcomeMap.Insertion {
        if key == .row { return rows.insert(line.row, line.outcome) }
        // A line without a key matches no other.
        if text.isEmpty { return .present }
        return unsafe texts.insert(text, row: line.row, line.outcome)
    }

    mutating func take(
        _ line: ReportLine, _ text: UnsafeBufferPointer<UInt8>
    ) -> KeyedOutcomes.Found {
        guard key == .row else { return unsafe texts.take(text, for: line.outcome) }
        guard let found = rows.take(line.row) else { return .none }
        return found.isRepeated ? .repeated : .row(line.row, found.outcome)
    }
}
