package import FanfareBase

/// The result of one row, with texts of its own.
package struct RowOutcome: Sendable, Equatable {
    package var row: UInt64
    package var outcome: Outcome
    /// The last HTTP status; 0 if there was no answer.
    package var status: UInt16
    /// The number of times that the row was put on the wire, without provably unprocessed attempts.
    package var attempts: UInt16
    /// The last attempt's time until its answer, in whole microseconds; negative if there was none.
    package var latencyNanoseconds: Int64
    /// Unix time at which the provider found the token dead.
    package var unregisteredAtMilliseconds: Int64?
    /// Unix time at which the last attempt was written.
    package var sentAtMilliseconds: Int64?
    /// The reason; empty if there is none.
    package var reason = ""
    /// The notification's id; empty if none was chosen.
    package var messageID = ""
    /// The caller's own key; empty if the row has none.
    package var id = ""
    /// The device token, as much of it as the report shows.
    package var token = ""
    /// The provider that the row was for; `nil` for none of the job's.
    package var provider: ProviderKind?
    /// The values of the carried columns; empty for those that the row has not.
    package var carried: [String] = []
}

/// The outcomes of rows, for callers in this process: they get the content of the report's lines,
/// and read no line.
///
/// A lane copies bytes; texts are made of them when an outcome is taken.
package struct RowOutcomes: Sendable {
    private struct Record {
        /// All but the texts.
        var outcome: RowOutcome
        /// The bytes of the reason, of the message's id and of the row's own texts, one behind the other.
        var byteCounts: (reason: Int, messageID: Int, texts: Int)
    }

    private var records: [Record] = []
    private var bytes: [UInt8] = []

    /// Creates a list without outcomes.
    package init() {}

    /// Adds an outcome.
    /// - Parameters:
    ///   - row: The row's number.
    ///   - result: The row's result.
    ///   - texts: The texts that `ReportFormat.appendTexts` made of the row.
    package mutating func append(
        row: UInt64, _ result: RowResult, texts: UnsafeBufferPointer<UInt8>
    ) {
        let latency = result.latencyNanoseconds
        records.append(
            Record(
                outcome: RowOutcome(
                    row: row, outcome: result.outcome, status: result.status,
                    attempts: result.attempts,
                    latencyNanoseconds: latency < 0 ? -1 : (latency + 500) / 1000 * 1000,
                    unregisteredAtMilliseconds: result.unregisteredAtMilliseconds.map(
                        TimestampWriter.nearest),
                    sentAtMilliseconds: result.sentAtMilliseconds.map(TimestampWriter.nearest)),
                byteCounts: unsafe (result.reason.count, result.messageID.count, texts.count)))
        unsafe bytes.append(contentsOf: result.reason)
        unsafe bytes.append(contentsOf: result.messageID)
        unsafe bytes.append(contentsOf: texts)
    }

    /// Forgets all outcomes, and keeps the memory.
    package mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// All outcomes, in the order in which they became known.
    package var all: [RowOutcome] {
        var rest = bytes[...]
        return records.map { record in
            var outcome = record.outcome
            outcome.reason = rest.takeText(record.byteCounts.reason)
            outcome.messageID = rest.takeText(record.byteCounts.messageID)
            var texts = rest.prefix(record.byteCounts.texts)
            rest.removeFirst(record.byteCounts.texts)
            outcome.id = texts.takeCountedText()
            outcome.token = texts.takeCountedText()
            outcome.provider = ProviderKind(rawValue: texts.takeCountedText())
            while !texts.isEmpty { outcome.carried.append(texts.takeCountedText()) }
            return outcome
        }
    }
}

extension ReportFormat {
    /// Appends the texts that a row's outcome has as values.
    ///
    /// They are its id, its token, its provider and the carried columns, each behind its length.
    /// - Parameters:
    ///   - batch: The batch that holds the row.
    ///   - row: The row's index in the batch.
    ///   - slots: The slot of each carried column, in the order of `carriedNames`.
    ///   - variant: The value of `variantSlot`.
    ///   - fits: True if the row's own texts are short enough to be kept.
    ///   - hasProvider: True if the row belongs to `provider`; otherwise it belongs to none.
    ///   - buffer: The buffer that gets them.
    package func appendTexts(
        batch: RowBatch, row: Int, slots: [Int], variant: [UInt8] = [], fits: Bool,
        hasProvider: Bool = true,
        into buffer: inout ByteBuffer
    ) {
        func value(_ slot: Int, _ isKept: Bool = true) -> UnsafeBufferPointer<UInt8> {
            let field = batch.field(row: row, slot: slot)
            return unsafe isKept && !field.isMissing ? batch.value(field) : .empty
        }
        unsafe buffer.append(counted: value(RowSchema.Known.id.slot, fits))
        let token = unsafe value(RowSchema.Known.token.slot)
        switch tokenStyle {
        case .full: unsafe buffer.append(counted: token)
        case .prefix:
            var shown = unsafe Array(Self.shown(token))
            shown += Array("…".utf8)
            unsafe shown.withUnsafeBufferPointer { unsafe buffer.append(counted: $0) }
        case .hash(let append):
            var hash = ByteBuffer()
            unsafe append(token, &hash)
            unsafe buffer.append(counted: hash.bytes)
        }
        var name = hasProvider ? provider?.rawValue ?? "" : ""
        name.withUTF8 { unsafe buffer.append(counted: $0) }
        for slot in slots {
            guard slot != Self.variantSlot else {
                unsafe variant.withUnsafeBufferPointer { unsafe buffer.append(counted: $0) }
                continue
            }
            unsafe buffer.append(counted: value(slot, fits))
        }
    }
}

extension ByteBuffer {
    fileprivate mutating func append(counted text: UnsafeBufferPointer<UInt8>) {
        for shift in stride(from: 0, to: 32, by: 8) {
            append(UInt8(truncatingIfNeeded: text.count >> shift))
        }
        unsafe append(text)
    }
}

extension ArraySlice<UInt8> {
    fileprivate mutating func takeText(_ count: Int) -> String {
        defer { removeFirst(count) }
        return String(decoding: prefix(count), as: UTF8.self)
    }

    fileprivate mutating func takeCountedText() -> String {
        let count = prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
        removeFirst(4)
        return takeText(count)
    }
}
