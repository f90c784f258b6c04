import FanfareCore

/// The meaning of a quote at the beginning of a CSV field.
public enum RowQuotes: String, Sendable, CaseIterable {
    /// It opens a quoted field, which may have several lines; but where those look like rows, or go on to
    /// the end of the input, the quote was left open by mistake, and the job stops before them.
    case checked
    /// It opens a quoted field in every case, as RFC 4180 says.
    case trusted
    /// Nothing: it is a byte like others, and a line is a row.
    case ignored

    var meaning: CSVQuotes {
        switch self {
        case .checked: .checked
        case .trusted: .trusted
        case .ignored: .ignored
        }
    }
}
