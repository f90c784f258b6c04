import FanfareBase
import FanfareCore

/// Several payloads, of which each row gets one: by the value of a column, or by its token.
///
/// The report has a column `variant` then, with the name of the row's payload.
public struct PayloadChoice: Sendable, Equatable {
    /// One of the payloads.
    public struct Text: Sendable, Equatable {
        /// The value of the column that it is for, or the name of the variant.
        public let name: String
        /// The payload: a template or a message.
        public let payload: PayloadSource
        /// Its share of the tokens; 0 where a column decides.
        let millionths: UInt64
    }

    /// The column whose value decides; `nil` if the tokens are shared out.
    public let column: String?
    /// Another one shares the tokens out in another way.
    public let seed: UInt64
    /// The payloads, in order.
    public let texts: [Text]

    /// The column of the report that names a row's payload.
    static let reportColumn = "variant"

    /// Lets a column decide: the first value that fits the row's counts.
    /// - Parameters:
    ///   - column: The column, such as `locale`.
    ///   - payloads: A payload for each value; `*` in a value stands for any text, so a last `*` takes
    ///     all other rows. A row that no value fits is invalid.
    /// - Throws: `FanfareError.Code.configuration` when a value comes twice, or none is given.
    public init(
        byColumn column: String, _ payloads: [(value: String, payload: PayloadSource)]
    ) throws(FanfareError) {
        self.column = column
        seed = 0
        texts = payloads.map { Text(name: $0.value, payload: $0.payload, millionths: 0) }
        try check()
        try checkOrder()
    }

    /// Shares the tokens out, by a hash: a token gets the same payload in every run.
    /// - Parameters:
    ///   - variants: Each payload with its name and its share in percent; together they are 100.
    ///   - seed: Another one shares out other tokens.
    /// - Throws: `FanfareError.Code.configuration` when the shares are not 100 percent together, or a
    ///   name comes twice.
    public init(
        variants: [(name: String, percent: Double, payload: PayloadSource)], seed: UInt64 = 0
    ) throws(FanfareError) {
        column = nil
        self.seed = seed
        texts = variants.map { variant in
            let share = (variant.percent * 10_000).rounded()
            return Text(
                name: variant.name, payload: variant.payload,
                millionths: share >= 1 && share <= 1_000_000 ? UInt64(share) : 0)
        }
        try check()
        if let text = texts.first(where: { $0.millionths == 0 }) {
            throw FanfareError(
                .configuration,
                "\(.variants) \(text.name): its share is not between 0.0001% and 100%")
        }
        let sum = texts.reduce(0) { $0 + $1.millionths }
        // Thirds are rounded: 33.3333% three times is not quite all.
        guard sum.distance(to: 1_000_000).magnitude <= UInt64(texts.count) else {
            throw FanfareError(
                .configuration,
                "\(.variants): the shares are \(Self.percent(sum)) together, and have to be 100%")
        }
    }

    /// Refuses a value that no row gets to, because an earlier one takes all of its rows.
    private func checkOrder() throws(FanfareError) {
        for (index, text) in texts.enumerated() {
            var value = text.name
            // A gap of the earlier one takes the gap of the later one, too.
            let earlier = value.withUTF8 { value in
                texts[..<index].first {
                    unsafe ReportFilter.Pattern($0.name).matches(value)
                }
            }
            guard let earlier else { continue }
            throw FanfareError(
                .configuration,
                "\(.payloadColumn): no row gets the payload for '\(text.name)', because '\(earlier.name)' "
                    + "before it takes all of its rows; put '\(text.name)' first")
        }
    }

    private func check() throws(FanfareError) {
        let setting: Statement = column == nil ? "\(.variants)" : "\(.payloadColumn)"
        guard (1...Limits.payloadTextsMax).contains(texts.count) else {
            throw FanfareError(
                .configuration,
                setting + " takes 1 to \(Limits.payloadTextsMax) payloads, not \(texts.count)")
        }
        for (index, text) in texts.enumerated() {
            if texts[..<index].contains(where: { $0.name == text.name }) {
                throw FanfareError(.configuration, setting + " names '\(text.name)' twice")
            }
            switch text.payload {
            case .template, .message: break
            case .column, .chosen:
                throw FanfareError(
                    .configuration, setting + " \(text.name) is neither a template nor a message")
            }
        }
    }

    /// Returns a share as one would write it: `33.3333%`.
    package static func percent(_ millionths: UInt64) -> String {
        var text = "\(Double(millionths) / 10_000)"
        if text.hasSuffix(".0") { text.removeLast(2) }
        return text + "%"
    }
}

extension Limits {
    /// The payloads of which rows get one: more than there are languages with a phone, and few enough for a
    /// number of one byte.
    static let payloadTextsMax = 200
}
