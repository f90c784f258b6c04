/// The reason why a row could not be read.
///
/// It is a value of eight bytes, so that a row's entry in its batch stays small.
public struct RowFault: Equatable, Sendable {
    /// The kinds of faults of a row.
    public enum Code: UInt8, Sendable, CaseIterable {
        case none = 0
        /// The row, of CSV, has more bytes than `Limits.rowBytesMax`.
        case rowTooLong
        /// The input ended inside a quoted field.
        case unclosedQuote
        /// Something other than a delimiter or a line end follows a closing quote.
        case textAfterQuote
        /// The row has more fields than the header.
        case tooManyFields
        /// The row has fewer fields than the header.
        case tooFewFields
        /// A field is not UTF-8.
        case invalidUTF8
        /// The line is not JSON.
        case invalidJSON
        /// The line is JSON, but not an object.
        case notAnObject
        /// The line, which should be JSON, is not UTF-8.
        case lineNotUTF8
        /// The line, which should be JSON, has more bytes than `Limits.rowBytesMax`.
        case lineTooLong
    }

    /// The kind of the fault.
    public var code: Code
    /// The column of the fault, counted from 1; 0 when it is the row's as a whole.
    ///
    /// The number of the field in CSV, and of the byte of the line in NDJSON where known.
    public var column: UInt32

    /// Describes a fault and its place.
    public init(_ code: Code, column: Int = 0) {
        self.code = code
        self.column = UInt32(clamping: column)
    }

    /// No fault.
    public static let none = RowFault(.none)
}

extension RowFault {
    /// The text in the report.
    public var text: StaticString { code.text }
}

extension RowFault.Code {
    /// The text in the report.
    public var text: StaticString {
        switch self {
        case .none: "no fault"
        case .rowTooLong: "row is longer than 1 MiB (is a quote left open?)"
        case .lineTooLong: "row is longer than 1 MiB"
        case .unclosedQuote: "quoted field is never closed"
        case .textAfterQuote: "text after a closing quote"
        case .tooManyFields: "more fields than the header has"
        case .tooFewFields: "fewer fields than the header has"
        case .invalidUTF8, .lineNotUTF8: "not UTF-8"
        case .invalidJSON: "not JSON"
        case .notAnObject: "not a JSON object"
        }
    }
}

extension RowFault {
    /// The unit of `column`, as it stands before the number.
    public var columnLabel: StaticString {
        switch code {
        case .invalidJSON, .notAnObject, .lineNotUTF8, .rowTooLong, .lineTooLong: ", byte "
        case .none, .unclosedQuote, .textAfterQuote, .tooManyFields, .tooFewFields, .invalidUTF8:
            ", field "
        }
    }
}
