package import FanfareBase

/// A converter from a JSON array of objects to lines with one of them each, piece by piece.
///
/// Line ends within an object become blanks, which mean the same between the parts of JSON; commas between
/// objects become line ends. So the line of an object is its number in the array. What is no object is a line of its own,
/// which is no row.
package struct JSONArrayLines: Sendable {
    /// The reason why a text is no array from its beginning to its end.
    package enum Fault: Equatable, Sendable {
        /// The text ends in the array, at the object of this number.
        case isCutOff(object: UInt64)
        /// On this line of the text something else follows the array.
        case isFollowed(line: UInt64)
    }

    private enum Place: Sendable {
        case beforeArray
        /// Between elements, and how many levels an element is deep.
        case inArray(depth: Int)
        case behindArray
    }

    private var place = Place.beforeArray
    private var isInString = false
    private var isEscaped = false
    private var line: UInt64 = 1
    private var object: UInt64 = 1
    /// The fault, once it is known; no line is made from there on.
    package private(set) var fault: Fault?

    package init() {}

    /// Tells whether a text is an array of objects.
    /// - Parameter head: Its beginning.
    /// - Returns: `nil` if more of it is needed.
    package static func isArray(_ head: UnsafeBufferPointer<UInt8>) -> Bool? {
        let rest = unsafe head.dropFirst(ByteOrderMark.count(in: head))
        var marks = unsafe rest.lazy.filter { !isBlank($0) }.makeIterator()
        guard let first = unsafe marks.next() else { return nil }
        guard first == UInt8(ascii: "[") else { return false }
        guard let second = unsafe marks.next() else { return nil }
        return second == UInt8(ascii: "{") || second == UInt8(ascii: "]")
    }

    /// Appends the lines of a piece of the array.
    package mutating func convert(
        _ bytes: UnsafeBufferPointer<UInt8>, into lines: inout ByteBuffer
    ) {
        let space = unsafe lines.space(bytes.count)
        var count = 0
        while count < bytes.count, fault == nil {
            unsafe space[count] = convert(bytes[count])
            count += 1
        }
        lines.commit(count)
    }

    /// Notes that no piece follows.
    package mutating func finish() {
        guard fault == nil, case .inArray = place else { return }
        fault = .isCutOff(object: object)
    }

    private mutating func convert(_ byte: UInt8) -> UInt8 {
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return byte
        }
        switch place {
        case .beforeArray:
            if byte == UInt8(ascii: "[") { place = .inArray(depth: 0) }
            if byte == UInt8(ascii: "\n") { line += 1 }
            // A mark and blanks may stand before it.
            return UInt8(ascii: " ")
        case .inArray(let depth): return convert(byte, depth)
        case .behindArray:
            if byte == UInt8(ascii: "\n") { line += 1 }
            guard Self.isBlank(byte) else {
                fault = .isFollowed(line: line)
                return UInt8(ascii: " ")
            }
            return byte
        }
    }

    private mutating func convert(_ byte: UInt8, _ depth: Int) -> UInt8 {
        switch byte {
        case UInt8(ascii: "\""):
            isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            place = .inArray(depth: depth + 1)
        case UInt8(ascii: "]") where depth == 0:
            place = .behindArray
            return UInt8(ascii: "\n")
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            place = .inArray(depth: max(depth - 1, 0))
        case UInt8(ascii: ",") where depth == 0:
            object += 1
            return UInt8(ascii: "\n")
        case UInt8(ascii: "\n"):
            line += 1
            return UInt8(ascii: " ")
        case UInt8(ascii: "\r"):
            return UInt8(ascii: " ")
        default: break
        }
        return byte
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }
}
