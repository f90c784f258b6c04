package import FanfareBase

/// The format in which rows and their outcomes become lines of a report.
///
/// A line is made in two steps, because a row's own texts lie in its batch only while it is being
/// prepared: `appendPrefix` and `appendSuffix` escape them once, `ReportLineWriter` puts the outcome
/// between them. Neither allocates once the buffers have grown.
///
/// ```
///  CSV     │ row,id,token,provider, │ outcome,status,…,sent_at │ ,carried…    │ \n
///  NDJSON  │ {"row":…,"provider":…, │ "outcome":…,"sent_at":…  │ ,"carried":… │ }\n
///            prefix                   by ReportLineWriter        suffix
/// ```
///
/// Lines end with LF.
package struct ReportFormat: Sendable {
    /// The notation of a line.
    package enum Kind: Sendable, Equatable {
        case csv
        case ndjson
    }

    /// The part of a token that a line shows.
    @safe
    package enum TokenStyle: Sendable {
        /// All of it.
        case full
        /// The first eight characters, but never more than half, and an ellipsis.
        case prefix
        /// A hash of the token's bytes as they stand, which has to need no quotes.
        ///
        /// A reader who has a list of tokens can find out which token it was; that is its purpose.
        case hash(TokenHash)
    }

    /// Appends the text that stands for a token.
    ///
    /// The libraries that can compute a digest are above this module.
    package typealias TokenHash =
        @Sendable (_ token: UnsafeBufferPointer<UInt8>, _ buffer: inout ByteBuffer) -> Void

    /// The columns that every report has, in their order.
    package static let columns = [
        "row", "id", "token", "provider", "outcome", "status", "reason", "message_id", "attempts",
        "latency_ms", "unregistered_at", "sent_at",
    ]

    /// The place of a carried column that is no column of the input: the name of the row's payload.
    package static let variantSlot = -1

    package let kind: Kind
    package let tokenStyle: TokenStyle
    /// The input columns that are carried over, in their order.
    package let carriedNames: [String]
    /// The provider that the reported rows are for; `nil` where there is none.
    ///
    /// This value stays small, because the compiler copies all of it for each row.
    package var provider: ProviderKind?
    /// `,"name":` for each carried column, one after the other.
    private let memberNames: [UInt8]
    private let memberRanges: [ByteRange]

    /// Chooses a format.
    /// - Parameters:
    ///   - kind: The kind of lines.
    ///   - tokenStyle: The part of a token that is shown; all of it by default, since dead tokens
    ///     are deleted by the report.
    ///   - carriedNames: The names of the carried columns.
    ///   - provider: The provider that the rows are for.
    package init(
        _ kind: Kind, tokenStyle: TokenStyle = .full, carriedNames: [String] = [],
        provider: ProviderKind? = nil
    ) {
        self.kind = kind
        self.tokenStyle = tokenStyle
        self.carriedNames = carriedNames
        self.provider = provider
        var buffer = ByteBuffer()
        var ranges: [ByteRange] = []
        for name in carriedNames {
            let start = buffer.count
            buffer.append(UInt8(ascii: ","))
            buffer.appendJSONString(name)
            buffer.append(UInt8(ascii: ":"))
            ranges.append(ByteRange(start: start, count: buffer.count - start))
        }
        memberNames = unsafe Array(buffer.bytes)
        memberRanges = ranges
    }

    /// The first line of a CSV report, with its line end; empty for NDJSON.
    package var header: String {
        guard kind == .csv else { return "" }
        var buffer = ByteBuffer()
        for (index, name) in (Self.columns + carriedNames).enumerated() {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            var name = name
            name.withUTF8 { unsafe buffer.appendCSVField($0) }
        }
        buffer.append(UInt8(ascii: "\n"))
        return unsafe String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// Appends the column of a provider, from the comma before it to the one behind it.
    @inline(__always)
    private static func append(
        _ provider: ProviderKind?, _ kind: Kind, to buffer: inout ByteBuffer
    ) {
        let text: StaticString =
            switch (kind, provider) {
            case (.csv, nil): ",,"
            case (.csv, .apns): ",apns,"
            case (.csv, .fcm): ",fcm,"
            case (.csv, .webpush): ",webpush,"
            case (.ndjson, nil): #","provider":null,"#
            case (.ndjson, .apns): #","provider":"apns","#
            case (.ndjson, .fcm): #","provider":"fcm","#
            case (.ndjson, .webpush): #","provider":"webpush","#
            case (_, .declared(let name)): declared(name, kind, to: &buffer)
            }
        buffer.append(text)
    }

    /// Appends the column of a provider that a file describes, up to where it is the same for all.
    /// - Returns: The rest.
    @inline(never)
    private static func declared(
        _ name: DeclaredName, _ kind: Kind, to buffer: inout ByteBuffer
    ) -> StaticString {
        switch kind {
        case .csv:
            buffer.append(",")
            unsafe buffer.append(name.bytes)
            return ","
        case .ndjson:
            buffer.append(#","provider":""#)
            unsafe buffer.append(name.bytes)
            return #"","#
        }
    }

    /// Appends the part of a line before the outcome.
    /// - Parameters:
    ///   - row: The row number.
    ///   - id: The caller's own key; `nil` if the row has none.
    ///   - token: The device token, of any shape.
    ///   - isPlainToken: True if the token is known to need no quotes.
    ///   - hasProvider: True if the row belongs to `provider`; otherwise it belongs to none.
    ///   - buffer: The buffer that gets it.
    /// - Returns: The place of a plain token in the buffer, if it stands there as it is.
    @discardableResult
    package func appendPrefix(
        row: UInt64,
        id: UnsafeBufferPointer<UInt8>?,
        token: UnsafeBufferPointer<UInt8>,
        isPlainToken: Bool = false,
        hasProvider: Bool = true,
        into buffer: inout ByteBuffer
    ) -> Int? {
        var tokenStart: Int?
        switch kind {
        case .csv:
            buffer.append(decimal: row)
            buffer.append(UInt8(ascii: ","))
            if let id = unsafe id { unsafe buffer.appendCSVField(id) }
            buffer.append(UInt8(ascii: ","))
            switch tokenStyle {
            case .full where isPlainToken:
                tokenStart = buffer.count
                unsafe buffer.append(token)
            case .full: unsafe buffer.appendCSVField(token)
            case .prefix:
                unsafe buffer.appendCSVField(Self.shown(token))
                buffer.append("…")
            case .hash(let append): unsafe append(token, &buffer)
            }
        case .ndjson:
            buffer.append(#"{"row":"#)
            buffer.append(decimal: row)
            buffer.append(#","id":"#)
            if let id = unsafe id {
                unsafe buffer.appendJSONString(id)
            } else {
                buffer.append("null")
            }
            buffer.append(#","token":"#)
            switch tokenStyle {
            case .full where isPlainToken:
                buffer.append(UInt8(ascii: "\""))
                tokenStart = buffer.count
                unsafe buffer.append(token)
                buffer.append(UInt8(ascii: "\""))
            case .full: unsafe buffer.appendJSONString(token)
            case .prefix:
                unsafe buffer.appendJSONString(Self.shown(token))
                // The ellipsis goes inside the quotes.
                buffer.removeLast(1)
                buffer.append("…\"")
            case .hash(let append):
                buffer.append(UInt8(ascii: "\""))
                unsafe append(token, &buffer)
                buffer.append(UInt8(ascii: "\""))
            }
        }
        Self.append(hasProvider ? provider : nil, kind, to: &buffer)
        return tokenStart
    }

    /// Appends the part of a line behind the outcome: the carried columns.
    ///
    /// A JSON value stays one in NDJSON and is text in CSV; a missing one is `null` or empty.
    /// - Parameters:
    ///   - batch: The batch that holds the row.
    ///   - row: The row's index in the batch.
    ///   - slots: The slot of each carried column, in the order of `carriedNames`.
    ///   - variant: The value of `variantSlot`.
    ///   - buffer: The buffer that gets it.
    package func appendSuffix(
        batch: RowBatch, row: Int, slots: [Int], variant: [UInt8] = [],
        into buffer: inout ByteBuffer
    ) {
        precondition(slots.count == carriedNames.count, "BUG: carried slots and names differ")
        for index in slots.indices {
            guard slots[index] != Self.variantSlot else {
                append(variant: variant, index, into: &buffer)
                continue
            }
            let field = batch.field(row: row, slot: slots[index])
            let value = unsafe batch.value(field)
            switch kind {
            case .csv:
                buffer.append(UInt8(ascii: ","))
                if !field.isMissing { unsafe buffer.appendCSVField(value) }
            case .ndjson:
                appendMemberName(index, into: &buffer)
                switch field.kind {
                case .text: unsafe buffer.appendJSONString(value)
                case .json: unsafe buffer.append(value)
                case .missing, .null: buffer.append("null")
                }
            }
        }
    }

    private func appendMemberName(_ index: Int, into buffer: inout ByteBuffer) {
        let range = memberRanges[index]
        unsafe memberNames.withUnsafeBufferPointer {
            let first = Int(range.start)
            unsafe buffer.append(
                UnsafeBufferPointer(rebasing: $0[first..<first + Int(range.count)]))
        }
    }

    /// Appends the name of a row's payload; nothing, or `null`, if it has none.
    private func append(variant: [UInt8], _ index: Int, into buffer: inout ByteBuffer) {
        switch kind {
        case .csv:
            buffer.append(UInt8(ascii: ","))
            buffer.appendCSVField(variant)
        case .ndjson:
            appendMemberName(index, into: &buffer)
            guard !variant.isEmpty else { return buffer.append("null") }
            buffer.appendJSONString(variant)
        }
    }

    /// Appends the carried columns of a row that has none of them.
    package func appendEmptySuffix(into buffer: inout ByteBuffer) {
        for name in carriedNames {
            buffer.append(UInt8(ascii: ","))
            guard kind == .ndjson else { continue }
            buffer.appendJSONString(name)
            buffer.append(":null")
        }
    }

    /// Returns the beginning of a token that `TokenStyle.prefix` shows.
    static func shown(_ token: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var count = min(8, token.count / 2)
        // A bad token may be any text; it is not cut inside a character.
        while unsafe count > 0 && token[count] & 0xC0 == 0x80 {
            count -= 1
        }
        return unsafe UnsafeBufferPointer(rebasing: token[..<count])
    }
}
