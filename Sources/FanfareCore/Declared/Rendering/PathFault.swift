/// The reason why the values in a path would lead to another path than the description has.
///
/// Values are escaped, and cannot bring a slash or a question mark. But `..` needs neither: servers and
/// proxies take it away together with the segment before it, and a request for one row would go to another
/// place of the service. RFC 3986 §5.2.4
package enum PathFault: Equatable, Sendable {
    /// A segment is `.` or `..`.
    case dotSegment
    /// A segment that has nothing but a value has none: the path may be that of all rows together.
    case emptySegment

    /// Looks at a path with its values; `nil` if it is right.
    init?(_ template: DeclaredText, rendered path: String) {
        guard template.pieces.count > 1 else { return nil }
        let segments = Self.segments(path.utf8)
        if segments.contains(where: Self.isDots) {
            self = .dotSegment
            return
        }
        // Segments that are empty in the file are what its author wants.
        let written = template.pieces.map { piece in
            if case .literal(let bytes) = piece { bytes } else { [UInt8(ascii: "x")] }
        }
        let wanted = Self.segments(Array(written.joined())).count(where: \.isEmpty)
        guard segments.count(where: \.isEmpty) > wanted else { return nil }
        self = .emptySegment
    }

    /// True if a part between the slashes of a path is `.` or `..`.
    static func hasDotSegment(_ path: [UInt8]) -> Bool { segments(path).contains(where: isDots) }

    private static func isDots(_ segment: some Collection<UInt8>) -> Bool {
        (1...2).contains(segment.count) && segment.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// The parts between the slashes, without the query.
    private static func segments<Bytes: Collection<UInt8>>(_ path: Bytes) -> [Bytes.SubSequence] {
        let end = path.firstIndex(of: UInt8(ascii: "?")) ?? path.endIndex
        return path[..<end].dropFirst().split(
            separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    }

    /// The fault, as a phrase that follows "the path".
    package var text: String {
        switch self {
        case .dotSegment: "would have . or .. between its slashes, which leads elsewhere"
        case .emptySegment: "would have nothing between two slashes, or at its end"
        }
    }
}
