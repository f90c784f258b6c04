import FanfareBase

/// The head of an HTTP/1.1 request, as far as a server needs it that has a few pages.
package struct MetricsRequest: Equatable, Sendable {
    package enum Reading: Equatable, Sendable {
        /// More bytes are needed.
        case incomplete
        /// The bytes are no request.
        case malformed
        case request(MetricsRequest)
    }

    package let method: String
    /// The path, without a query.
    package let path: String
    /// The query, without its question mark; empty if there is none.
    package let query: String
    /// Its fields in the order in which they came, under names in lower case.
    package let fields: [Field]
    /// The number of bytes up to its body, empty lines before it included.
    package let byteCount: Int

    /// One line of it.
    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The host that the request names, with or without a port; `nil` if it names none.
    package var host: String? { values("host").first }

    /// The values of all fields with a name, which is written in lower case.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Reads the bytes that have come so far.
    ///
    /// RFC 9112 §2.2: an empty line before the request line is passed over, and a line may end without
    /// CR. Each field has to have a name: bytes that are no HTTP should not be answered as if they
    /// were. RFC 9112 §3.2: there is one Host at most.
    package static func read(_ bytes: [UInt8]) -> Reading {
        let bytes = bytes.drop { $0 == 0x0D || $0 == 0x0A }
        guard let end = headEnd(bytes) else { return .incomplete }
        let lines = bytes[..<end.lines].split(separator: 0x0A)
            .map { $0.last == 0x0D ? $0.dropLast() : $0 }
        guard let first = lines.first, let (method, path, query) = requestLine(first) else {
            return .malformed
        }
        let fields = lines.dropFirst().compactMap(field)
        guard fields.count == lines.count - 1, fields.count(where: { $0.name == "host" }) < 2
        else { return .malformed }
        return .request(
            MetricsRequest(
                method: method, path: path, query: query, fields: fields, byteCount: end.head))
    }

    /// The place behind the last field line, and the one behind the empty line that follows.
    private static func headEnd(_ bytes: ArraySlice<UInt8>) -> (lines: Int, head: Int)? {
        var lineStart = bytes.startIndex
        while let end = bytes[lineStart...].firstIndex(of: 0x0A) {
            let line = bytes[lineStart..<end]
            if line.isEmpty || line.elementsEqual([0x0D]) { return (lineStart, end + 1) }
            lineStart = end + 1
        }
        return nil
    }

    private static func field(_ line: ArraySlice<UInt8>) -> Field? {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(\.isTokenCharacter)
        else { return nil }
        return Field(
            String(decoding: line[..<colon], as: UTF8.self).lowercased(),
            String(decoding: line[(colon + 1)...], as: UTF8.self).trimmed)
    }

    private static func requestLine(
        _ line: ArraySlice<UInt8>
    ) -> (method: String, path: String, query: String)? {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenCharacter),
            parts[1].first == UInt8(ascii: "/"), parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            parts[2].elementsEqual("HTTP/1.1".utf8) || parts[2].elementsEqual("HTTP/1.0".utf8)
        else { return nil }
        let path = parts[1].prefix { $0 != UInt8(ascii: "?") }
        return (
            String(decoding: parts[0], as: UTF8.self), String(decoding: path, as: UTF8.self),
            String(decoding: parts[1].dropFirst(path.count + 1), as: UTF8.self)
        )
    }
}
