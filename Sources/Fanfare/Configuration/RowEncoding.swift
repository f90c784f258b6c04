import FanfareCore

/// The encodings in which rows are read.
public enum RowEncoding: String, Sendable, CaseIterable {
    /// The encoding of most files.
    case utf8 = "utf-8"
    /// Big endian, unless a byte order mark says otherwise.
    case utf16 = "utf-16"
    /// UTF-16, low byte first.
    case utf16LittleEndian = "utf-16le"
    /// UTF-16, high byte first.
    case utf16BigEndian = "utf-16be"
    /// ISO 8859-1.
    case latin1 = "latin-1"
    /// The encoding that older Windows programs call ANSI.
    case windows1252 = "windows-1252"

    var textEncoding: TextEncoding {
        switch self {
        case .utf8: .utf8
        case .utf16: .utf16
        case .utf16LittleEndian: .utf16LittleEndian
        case .utf16BigEndian: .utf16BigEndian
        case .latin1: .latin1
        case .windows1252: .windows1252
        }
    }
}
