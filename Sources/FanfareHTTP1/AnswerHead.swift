internal import FanfareBase
import Glibc

/// The head of one answer, as far as it describes the answer itself: its status, and where it ends.
///
/// RFC 9112 §4, §5, §6
struct AnswerHead {
    /// The way to find the end of the content. RFC 9112 §6.3
    enum Framing: Equatable {
        /// There is none.
        case none
        case counted(UInt64)
        case chunked
        /// It ends with the connection.
        case untilClose
    }

    private(set) var status: UInt16 = 0
    /// The second number of the version: 0 for HTTP/1.0.
    private var minor: UInt8 = 0
    private var length: UInt64?
    private var isChunked = false
    private var isCloseSaid = false
    /// The bytes of its lines.
    private(set) var bytes = 0
    private var fieldCount = 0

    private static let beginning: StaticString = "HTTP/"

    /// True if it is an interim answer: the real one follows. RFC 9110 §15.2
    var isInterim: Bool { status < 200 }

    /// True if the connection ends with the answer.
    ///
    /// An HTTP/1.0 connection could be kept if both sides say so; we do not. RFC 9112 §9.3
    var closes: Bool { isCloseSaid || minor == 0 }

    /// Checks whether the first bytes can begin an answer, and names the protocol if they cannot.
    /// - Parameters:
    ///   - bytes: The bytes that have come next.
    ///   - offset: The number of bytes of the line that came before.
    /// - Throws: `notHTTP`, `speaksHTTP2` or `speaksTLS`.
    static func check(
        beginning bytes: UnsafeBufferPointer<UInt8>, offset: Int
    ) throws(AnswerFault) {
        let known = beginning.utf8CodeUnitCount
        for index in 0..<min(bytes.count, max(known - offset, 0))
        where unsafe bytes[index] != beginning.utf8Start[offset + index] {
            guard offset + index == 0 else { throw .notHTTP }
            switch unsafe bytes[index] {
            // SETTINGS of less than 64 KiB. RFC 9113 §3.4, §4.1
            case 0: throw .speaksHTTP2
            // An alert or a handshake. RFC 8446 §5.1
            case 0x15, 0x16: throw .speaksTLS
            default: throw .notHTTP
            }
        }
    }

    /// Counts a line with its end.
    mutating func count(line: UnsafeBufferPointer<UInt8>) {
        bytes += line.count + 2
    }

    /// Reads `HTTP/1.1 200 OK`, also without the blank that belongs behind the status, as some send
    /// it.
    /// - Parameter line: It begins with `HTTP/`.
    /// - Throws: `version`, `statusLine` or `status`.
    mutating func receive(statusLine line: UnsafeBufferPointer<UInt8>) throws(AnswerFault) {
        unsafe count(line: line)
        guard line.count > 5 else { throw .statusLine }
        guard unsafe line[5] == UInt8(ascii: "1") else { throw .version }
        guard line.count >= 12, unsafe line[6] == UInt8(ascii: "."),
            let minor = unsafe line.decimal(7..<8), unsafe line[8] == UInt8(ascii: " "),
            let status = unsafe line.decimal(9..<12),
            unsafe line.count == 12 || line[12] == UInt8(ascii: " "),
            unsafe FieldText.isValue(line)
        else { throw .statusLine }
        guard status >= 100 else { throw .status }
        self.minor = UInt8(minor)
        self.status = UInt16(status)
    }

    /// A header field.
    @safe
    struct Field {
        let name: UnsafeBufferPointer<UInt8>
        /// The value without blanks around it.
        let value: UnsafeBufferPointer<UInt8>

        /// - Parameter line: A line that is not empty.
        /// - Throws: The fault of the line.
        init(_ line: UnsafeBufferPointer<UInt8>) throws(AnswerFault) {
            guard let start = line.baseAddress, unsafe !FieldText.isBlank(line[0]) else {
                throw .foldedLine
            }
            guard let colon = unsafe memchr(start, Int32(UInt8(ascii: ":")), line.count) else {
                throw .missingColon
            }
            let count = unsafe UnsafeRawPointer(colon) - UnsafeRawPointer(start)
            guard count > 0 else { throw .emptyName }
            guard unsafe !FieldText.isBlank(line[count - 1]) else { throw .blankBeforeColon }
            unsafe name = UnsafeBufferPointer(rebasing: line[..<count])
            unsafe value = FieldText.trimmed(
                UnsafeBufferPointer(rebasing: line[(count + 1)...]))
            guard unsafe FieldText.isToken(name) else { throw .badName }
            guard unsafe FieldText.isValue(value) else { throw .badValue }
        }
    }

    /// Takes in a field of the head or the trailers.
    mutating func receive(_ field: Field, isTrailer: Bool) throws(AnswerFault) {
        fieldCount += 1
        guard fieldCount <= Limits.answerFieldsMax else { throw .tooManyFields }
        switch unsafe field.name.count {
        case 10 where unsafe FieldText.equals(field.name, "connection"):
            unsafe receive(connection: field.value)
        case 14 where unsafe FieldText.equals(field.name, "content-length"):
            guard !isTrailer else { throw .framingInTrailers }
            unsafe try receive(length: field.value)
        case 17 where unsafe FieldText.equals(field.name, "transfer-encoding"):
            guard !isTrailer else { throw .framingInTrailers }
            guard !isChunked, unsafe FieldText.equals(field.value, "chunked") else {
                throw .unknownCoding
            }
            isChunked = true
        default:
            break
        }
    }

    /// Reads one number, once: it also refuses the same number twice, which RFC 9112 §6.3 leaves
    /// open.
    private mutating func receive(
        length value: UnsafeBufferPointer<UInt8>
    ) throws(AnswerFault) {
        guard length == nil, unsafe !value.contains(UInt8(ascii: ",")) else {
            throw .severalLengths
        }
        guard !value.isEmpty, unsafe value.allSatisfy({ $0 &- 0x30 < 10 }) else {
            throw .badLength
        }
        guard let number = unsafe value.decimal else { throw .hugeLength }
        length = number
    }

    /// Reads a list of words. RFC 9110 §7.6.1
    private mutating func receive(connection value: UnsafeBufferPointer<UInt8>) {
        var start = 0
        for index in 0...value.count
        where unsafe index == value.count || value[index] == UInt8(ascii: ",") {
            let word = unsafe FieldText.trimmed(
                UnsafeBufferPointer(rebasing: value[start..<index]))
            if unsafe FieldText.equals(word, "close") { isCloseSaid = true }
            start = index + 1
        }
    }

    /// Returns the framing of the content, once the head is whole.
    /// - Parameter lacksContent: True if the request's method is HEAD.
    /// - Returns: The framing; `none` for an interim answer.
    /// - Throws: A fault if fields contradict each other.
    func framing(lacksContent: Bool) throws(AnswerFault) -> Framing {
        guard length == nil || !isChunked else { throw .lengthWithCoding }
        guard !isChunked || minor > 0 else { throw .codingInHTTP10 }
        guard status != 101 else { throw .switchedProtocols }
        // A 204 that says that it has nothing says the truth; RFC 9110 §8.6 would have it say nothing.
        if isInterim || status == 204 {
            guard !isChunked, length == nil || status == 204 && length == 0 else {
                throw .announcedWithoutContent
            }
            return .none
        }
        // These announce a length, and no body follows. RFC 9110 §8.6
        if status == 304 || lacksContent { return .none }
        if isChunked { return .chunked }
        return length.map(Framing.counted) ?? .untilClose
    }
}
