/// The meaning of a quote at the beginning of a CSV field.
package enum CSVQuotes: Sendable {
    /// It opens a quoted field, unless the text behind it looks like rows, or goes on to the end of
    /// the input: see `OpenQuote`.
    case checked
    /// It opens a quoted field in every case.
    ///
    /// RFC 4180
    case trusted
    /// Nothing: it is a byte like others.
    case ignored

    /// The byte with which a quoted field begins, wider than a byte so that there may be none.
    var opening: UInt16 { self == .ignored ? 0x100 : UInt16(CSVScanner.quote) }
}
