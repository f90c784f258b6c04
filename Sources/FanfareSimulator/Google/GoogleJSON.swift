import FanfareBase

/// JSON as Google's services print it: on many lines, or without a blank.
indirect enum GoogleJSON: Equatable, Sendable {
    case text(String)
    case number(Int)
    case array([GoogleJSON])
    case object([Member])

    /// One member of an object.
    struct Member: Equatable, Sendable {
        var name: String
        var value: GoogleJSON

        init(_ name: String, _ value: GoogleJSON) {
            self.name = name
            self.value = value
        }

        init(_ name: String, _ text: String) {
            self.init(name, .text(text))
        }
    }

    /// The text as bytes.
    /// - Parameter isPretty: True if each member has a line of its own, with a line end behind the
    ///   last.
    /// - Returns: UTF-8.
    func bytes(isPretty: Bool) -> [UInt8] {
        var buffer = ByteBuffer(capacity: 512)
        append(to: &buffer, depth: isPretty ? 0 : nil)
        if isPretty { buffer.append("\n") }
        return unsafe Array(buffer.bytes)
    }

    // `depth` is how many brackets are open; nil for one line.
    private func append(to buffer: inout ByteBuffer, depth: Int?) {
        switch self {
        case .text(let text): buffer.appendJSONString(text)
        case .number(let number): buffer.append("\(number)" as String)
        case .array(let elements):
            Self.append("[", elements, "]", to: &buffer, depth: depth) { element, buffer, depth in
                element.append(to: &buffer, depth: depth)
            }
        case .object(let members):
            Self.append("{", members, "}", to: &buffer, depth: depth) { member, buffer, depth in
                buffer.appendJSONString(member.name)
                buffer.append(depth == nil ? ":" : ": ")
                member.value.append(to: &buffer, depth: depth)
            }
        }
    }

    private static func append<Part>(
        _ start: StaticString, _ parts: [Part], _ end: StaticString, to buffer: inout ByteBuffer,
        depth: Int?, _ appendPart: (Part, inout ByteBuffer, Int?) -> Void
    ) {
        buffer.append(start)
        let inner = depth.map { $0 + 1 }
        for (index, part) in parts.enumerated() {
            if index > 0 { buffer.append(",") }
            breakLine(in: &buffer, depth: inner)
            appendPart(part, &buffer, inner)
        }
        if !parts.isEmpty { breakLine(in: &buffer, depth: depth) }
        buffer.append(end)
    }

    private static func breakLine(in buffer: inout ByteBuffer, depth: Int?) {
        guard let depth else { return }
        buffer.append("\n")
        for _ in 0..<depth { buffer.append("  ") }
    }
}
