import FanfareBase

/// The reason why the values in a path would lead to another path than the description has.
///
/// Values are escaped, and cannot bring a slash or a question mark. But `..` needs neither: servers and
/// proxies take it away together with the segment before it, and a request for one row would go to another
/// place of the service (RFC 3986 §5.2.4). Some take escapes away before they look for it, so an escaped
/// slash counts as one here, and an escaped dot as a dot.
package enum PathFault: Equatable, Sendable {
    /// A segment is `.` or `..`.
    case dotSegment
    /// A segment with a value of the row has nothing in it: the path may be that of all rows together.
    case emptySegment

    /// Looks at a path with its values; `nil` if it is right.
    init?(_ template: DeclaredText, rendered path: String) {
        guard template.pieces.count > 1 else { return nil }
        let path = Array(path.utf8)
        if Self.hasDotSegment(path) {
            self = .dotSegment
            return
        }
        // Segments that are empty in the file, or by a setting, are what the file's author or the user wants.
        let written = template.pieces.map { piece -> [UInt8] in
            switch piece {
            case .literal(let bytes): bytes
            case .value(.setting, _): []
            case .value: [UInt8(ascii: "x")]
            }
        }
        // As values have no slash that is not escaped, the segments of both go together.
        let pairs = zip(Self.segments(path), Self.segments(Array(written.joined())))
        guard pairs.contains(where: { $0.isEmpty && !$1.isEmpty }) else { return nil }
        self = .emptySegment
    }

    /// True if a part between the slashes of a path is `.` or `..`, escaped or not.
    static func hasDotSegment(_ path: [UInt8]) -> Bool {
        unescaped(path.prefix { $0 != UInt8(ascii: "?") })
            .split { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
            .contains { part in
                part.count <= 2 && part.allSatisfy { $0 == UInt8(ascii: ".") }
            }
    }

    /// A path as a server has it that takes its escapes away first.
    private static func unescaped(_ path: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        plain.reserveCapacity(path.count)
        var rest = path
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%"), rest.count >= 2,
                let high = rest[rest.startIndex].hexadecimalValue,
                let low = rest[rest.startIndex + 1].hexadecimalValue
            else {
                plain.append(byte)
                continue
            }
            plain.append(high << 4 | low)
            rest.removeFirst(2)
        }
        return plain
    }

    /// The parts between the slashes, without the query.
    private static func segments(_ path: [UInt8]) -> [ArraySlice<UInt8>] {
        path.prefix { $0 != UInt8(ascii: "?") }.dropFirst()
            .split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// The fault, as a phrase that follows "the path".
    package var text: String {
        switch self {
        case .dotSegment: "would have . or .. between its slashes, which leads elsewhere"
        case .emptySegment: "would have nothing between two slashes, or at its end"
        }
    }
}
