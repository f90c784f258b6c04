/// A first line of CSV that names the byte between fields, as `sep=;`, which Excel writes and reads.
package struct CSVSeparatorLine: Equatable, Sendable {
    /// The byte between fields.
    package let delimiter: UInt8
    /// The offset behind the line.
    package let end: Int

    /// The longest such line: in quotes, with CRLF.
    package static let bytesMax = 9
    private static let name = Array("sep=".utf8)

    /// Reads a line; `nil` if it is another one, or is not there as a whole.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) {
        var rest = unsafe Array(bytes.dropFirst(start).prefix(Self.bytesMax))[...]
        let isQuoted = rest.first == CSVScanner.quote
        if isQuoted { rest.removeFirst() }
        guard rest.count > Self.name.count, Self.isName(rest.prefix(Self.name.count)) else {
            return nil
        }
        rest.removeFirst(Self.name.count)
        let delimiter = rest.removeFirst()
        let signs = [CSVScanner.quote, CSVScanner.carriageReturn, CSVScanner.lineFeed]
        guard delimiter < 0x80, !signs.contains(delimiter) else { return nil }
        if isQuoted {
            guard rest.first == CSVScanner.quote else { return nil }
            rest.removeFirst()
        }
        if rest.first == CSVScanner.carriageReturn { rest.removeFirst() }
        guard rest.first == CSVScanner.lineFeed else { return nil }
        self.delimiter = delimiter
        end = start + rest.startIndex + 1
    }

    /// True if a text that is shorter than such a line may be the beginning of one.
    static func mayBegin(_ bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        var rest = unsafe Array(bytes.dropFirst(start))[...]
        guard rest.count < bytesMax, !rest.contains(CSVScanner.lineFeed) else { return false }
        if rest.first == CSVScanner.quote { rest.removeFirst() }
        return isName(rest.prefix(name.count))
    }

    /// True if some bytes are as many of the name, in any case.
    private static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        zip(bytes, name).allSatisfy { $0 | 0x20 == $1 }
    }
}
