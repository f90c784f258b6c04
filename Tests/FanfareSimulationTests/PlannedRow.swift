import FanfareBase
import FanfareTestSupport

@testable import Fanfare
@testable import FanfareCore

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

        /// True if its payload is what is wrong with it.
        var isOfPayload: Bool {
            [.payloadMissing, .payloadNotJSON, .payloadTooLarge].contains(self)
        }
    }

    let number: UInt64
    let kind: Kind
    let token: String?
    let payload: String?

    init(
        number: UInt64, kind: Kind, payloadBytes: Int, for provider: ProviderKind = .apns,
        _ dice: inout Dice
    ) {
        self.number = number
        self.kind = kind
        // The row number makes tokens differ, the random digits spread them over the hash.
        let digits = String(number, radix: 16)
        let noise = String(dice.bits() | 1 << 63, radix: 16)
        let token: String? =
            switch kind {
            case .tokenMissing: nil
            case .tokenEmpty: ""
            case .tokenNotHexadecimal: "not a token \(number)"
            case .shortToken: (digits.count % 2 == 0 ? "ab" : "ab0") + digits
            default: noise + String(repeating: "0", count: 48 - digits.count) + digits
            }
        // Those of FCM are longer, and have all sorts of characters.
        let isLong = provider == .fcm && (kind == .good || kind.isOfPayload)
        self.token = isLong ? token.map { $0 + ":APA91b" + Self.filling(64) } : token
        let (start, end) =
            provider == .fcm
            ? (#"{"message":{"data":{"a":""#, #""}}}"#) : (#"{"aps":{"alert":""#, #""}}"#)
        let bytesMax = provider == .fcm ? Limits.fcmBodyBytesMax : 4096
        let bytes = kind == .payloadTooLarge ? bytesMax + 1 : payloadBytes
        payload =
            switch kind {
            case .payloadMissing: nil
            case .payloadNotJSON: "{nothing of the kind"
            default: start + Self.filling(bytes - start.utf8.count - end.utf8.count) + end
            }
    }

    private static func filling(_ count: Int) -> String {
        String(repeating: "x", count: max(0, count))
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
