import FanfareBase

/// Takes requests of HTTP/1.1 off a connection, within bounds; bodies have a length that is announced.
///
/// RFC 9112
package struct TextRequestReader: ~Copyable {
    /// A request as it came.
    package struct Request: Equatable, Sendable {
        package var method: String
        package var path: String
        /// In the order in which they came; names are in small letters.
        package var fields: [Field] = []
        package var body: [UInt8] = []

        package struct Field: Equatable, Sendable {
            package var name: String
            package var value: String
        }

        /// The value of the first field of a name.
        package func field(_ name: String) -> String? {
            fields.first { $0.name == name }?.value
        }
    }

    /// The next thing that the bytes so far give.
    package enum Step: Equatable, Sendable {
        case needsMore
        case request(Request)
        /// Bytes that are no request, to be answered with this status, and nothing behind them.
        case fault(status: Int)
    }

    private enum State {
        case head
        case body(Request, count: Int)
        case failed(Int)
    }

    private var bytes = ByteBuffer()
    private var state = State.head

    package init() {}

    /// Takes bytes of the client.
    package mutating func append(_ more: UnsafeRawBufferPointer) {
        unsafe bytes.append(more.bindMemory(to: UInt8.self))
    }

    /// Takes the next request off the front.
    package mutating func next() -> Step {
        if case .head = state { readHead() }
        switch state {
        case .head: return .needsMore
        case .failed(let status): return .fault(status: status)
        case .body(var request, let count):
            guard bytes.count >= count else { return .needsMore }
            request.body = unsafe Array(bytes.bytes[..<count])
            bytes.removeFirst(count)
            state = .head
            return .request(request)
        }
    }

    private mutating func readHead() {
        let end: [UInt8] = Array("\r\n\r\n".utf8)
        let count = unsafe bytes.bytes.count
        let found = (0..<max(count - 3, 0)).first { start in
            unsafe bytes.bytes[start..<start + 4].elementsEqual(end)
        }
        guard let found, found <= Limits.simulatorHeadBytes else {
            if count > Limits.simulatorHeadBytes { state = .failed(431) }
            return
        }
        let head = unsafe String(decoding: bytes.bytes[..<found], as: UTF8.self)
        bytes.removeFirst(found + 4)
        state = Self.read(head)
    }

    /// A field's value without the blanks around it.
    ///
    /// RFC 9112 §5.1
    private static func trimming(_ value: Substring) -> Substring {
        var value = value.drop { $0 == " " || $0 == "\t" }
        while value.last == " " || value.last == "\t" { value.removeLast() }
        return value
    }

    private static func read(_ head: String) -> State {
        // A line end is one character of Swift's, so nothing of a line is left at it.
        var lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)[...]
        let parts = (lines.popFirst() ?? "").split(
            separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "HTTP/1.1", parts[1].hasPrefix("/"),
            !parts[0].isEmpty, !lines.contains(where: { $0.utf8.contains(0x0A) })
        else { return .failed(400) }
        var request = Request(method: String(parts[0]), path: String(parts[1]))
        for line in lines {
            guard let (name, value) = String(line).parts(at: ":"), !name.isEmpty,
                !name.contains(" ")
            else { return .failed(400) }
            request.fields.append(
                Request.Field(
                    name: name.lowercased(),
                    value: String(trimming(value[...]))))
        }
        guard request.field("transfer-encoding") == nil else { return .failed(501) }
        let lengths = request.fields.filter { $0.name == "content-length" }
        guard lengths.count <= 1 else { return .failed(400) }
        guard let length = lengths.first?.value else { return .body(request, count: 0) }
        guard let count = Int(length), count >= 0 else { return .failed(400) }
        guard count <= Limits.simulatorBodyBytes else { return .failed(413) }
        return .body(request, count: count)
    }
}
