/// Classes of ASCII characters, as the grammars of protocols have them.
extension UInt8 {
    /// True for a letter or a digit.
    @inlinable package var isLetterOrDigit: Bool {
        switch self {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }

    /// True for a character that a URL may have anywhere as it is. RFC 3986 §2.3
    package var isUnreserved: Bool { isLetterOrDigit || "-._~".utf8.contains(self) }

    /// True for a character of a method or of a field's name. RFC 9110 §5.6.2
    package var isTokenCharacter: Bool {
        isLetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains(self)
    }

    /// The small letter of a capital one; any other byte as it is.
    package var inSmallLetters: UInt8 { (0x41...0x5A).contains(self) ? self | 0x20 : self }

    /// The value of a hexadecimal digit, small or capital; nil for another character.
    @inlinable package var hexadecimalValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }
}
