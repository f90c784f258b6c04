import FanfareBase
import FanfareCore

/// One row of a simulated input.
struct PlannedRow {
    enum Kind: CaseIterable {
        case good
        /// Passes our checks, but the provider calls it a bad token.
        case shortToken
        case unreadable
        case tokenMissing
        case tokenEmpty
        case tokenNotHexadecimal
        case payloadMissing
        case payloadNotJSON
        case payloadTooLarge

        /// Kinds of which the report must say `invalid`.
        static let bad = allCases.filter { !$0.isSent }

        var isSent: Bool { self == .good || self == .shortToken }
    }

    let number: UInt64
    let kind: Kind
    let token: String?
    let payload: String?

    init(number: UInt64, kind: Kind, payloadBytes: Int, _ dice: inout Dice) {
        self.number = number
        self.kind = kind
        // The row number makes tokens differ, the random digits spread them over the hash.
        let digits = String(number, radix: 16)
        let noise = String(dice.bits() | 1 << 63, radix: 16)
        token =
            switch kind {
            case .tokenMissing: nil
            case .tokenEmpty: ""
            case .tokenNotHexadecimal: "not a token \(number)"
            case .shortToken: (digits.count % 2 == 0 ? "ab" : "ab0") + digits
            default: noise + String(repeating: "0", count: 48 - digits.count) + digits
            }
        let frame = #"{"aps":{"alert":""}}"#
        let fill = max(0, (kind == .payloadTooLarge ? 4097 : payloadBytes) - frame.utf8.count)
        payload =
            switch kind {
            case .payloadMissing: nil
            case .payloadNotJSON: "{nothing of the kind"
            default: #"{"aps":{"alert":""# + String(repeating: "x", count: fill) + #""}}"#
            }
    }
}

extension RowBatch {
    /// A batch as the reader would have filled it.
    convenience init(_ planned: ArraySlice<PlannedRow>) {
        let schema = RowSchema()
        let bytesMax = planned.reduce(64) {
            $0 + ($1.token?.utf8.count ?? 0) + ($1.payload?.utf8.count ?? 0)
        }
        self.init(
            inputCapacity: bytesMax, rowCapacity: max(planned.count, 1),
            slotCount: schema.slotCount)
        firstRow = planned.first?.number ?? 1
        for row in planned {
            let start = inputEnd
            put(row.token, .token)
            put(row.payload, .payload)
            rows[rowCount] = Row(
                line: row.number, start: start, length: inputEnd - start,
                fault: row.kind == .unreadable ? RowFault(.tooFewFields, column: 3) : .none)
            rowCount += 1
        }
        parsed = inputEnd
    }

    private func put(_ text: String?, _ column: RowSchema.Known) {
        guard let text else { return }
        let start = inputEnd
        for byte in text.utf8 {
            bytes[inputEnd] = byte
            inputEnd += 1
        }
        fields[rowCount * slotCount + column.rawValue] = Field(
            .text, start: start, length: inputEnd - start)
    }
}
