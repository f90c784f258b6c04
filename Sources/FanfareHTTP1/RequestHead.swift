internal import FanfareBase
internal import FanfareHTTP2

/// The heads of a connection's requests, ready to be written but for the values that each one brings.
///
/// They are made of the same description as the header lists of HTTP/2: `:method`, `:path` and
/// `:authority` become the request line and `host`, the scheme is left out, and `content-length`
/// follows from the body.
///
/// ```
///  POST /3/device/ ‹token›  HTTP/1.1⏎host: api.example.com⏎apns-topic: com.example⏎apns-id:  ‹id›  ⏎…
///  └───── run ───┘         └──────────────────────── run ──────────────────────────────┘
/// ```
/// The bytes of values are checked first: a line end in a value would begin a field, or a request,
/// of another author. RFC 9112 §3, §5, §11.1
struct RequestHead: ~Copyable {
    /// The bytes before a value, and the value.
    private struct Part {
        /// The bytes that always stand before the value, from the end of the value before.
        var run: ByteRange
        /// The field's name and the value's beginning; not written without a value.
        var lead: ByteRange
        /// The number of the value among the request's values.
        var place: Int
        var usual: ByteRange?
        var kind: Kind

        enum Kind {
            /// The target, or its end: a request cannot do without.
            case target(isBegun: Bool)
            case place
            case optional
        }
    }

    private var text = ByteBuffer(capacity: 512)
    private var parts: [Part] = []
    /// The bytes behind the last value, up to the content-length.
    private var end = ByteRange.empty
    private var runStart = 0
    /// True if a request without a body says so. RFC 9110 §8.6
    private var saysLengthAlways = false
    /// True if the fields can be written at all.
    private(set) var isSendable = true

    /// Fields about the connection or about where a message ends, which are the session's alone.
    private static let owned: [StaticString] = [
        "connection", "host", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade",
    ]

    /// - Parameter headers: The fields of all requests; `:method` and `:authority` are the same in each.
    init(_ headers: borrowing RequestHeaders) {
        writeRequestLine(headers)
        var (place, optional) = (0, headers.placeCount)
        for field in headers.fields {
            defer {
                switch field.source {
                case .fixed: break
                case .place: place += 1
                case .optional: optional += 1
                }
            }
            let name = unsafe headers.text.bytes(field.name)
            guard unsafe name.first != UInt8(ascii: ":") else { continue }
            unsafe write(
                field, name, headers.text, place: field.source == .optional ? optional : place)
        }
        end = range(from: runStart)
    }

    private func range(from start: Int) -> ByteRange {
        ByteRange(start: start, count: text.count - start)
    }

    // MARK: Made once

    /// Writes `POST /path HTTP/1.1` and `host`, which comes first. RFC 9110 §7.2
    private mutating func writeRequestLine(_ headers: borrowing RequestHeaders) {
        var method = unsafe UnsafeBufferPointer<UInt8>.empty
        var authority = unsafe UnsafeBufferPointer<UInt8>.empty
        var path: RequestHeaders.Field?
        var (place, pathPlace) = (0, 0)
        for field in headers.fields {
            let name = unsafe headers.text.bytes(field.name)
            let isFixed = field.source == .fixed
            if unsafe FieldText.equals(name, ":method"), isFixed {
                unsafe method = headers.text.bytes(field.value)
            } else if unsafe FieldText.equals(name, ":authority"), isFixed {
                unsafe authority = headers.text.bytes(field.value)
            } else if unsafe FieldText.equals(name, ":path") {
                (path, pathPlace) = (field, place)
            } else if unsafe name.first == UInt8(ascii: ":") {
                if unsafe !(FieldText.equals(name, ":scheme") && isFixed) { isSendable = false }
            }
            if field.source == .place { place += 1 }
        }
        guard let path, path.source != .optional, unsafe FieldText.isToken(method),
            !authority.isEmpty, unsafe FieldText.isInTarget(authority)
        else { return isSendable = false }
        let target = unsafe headers.text.bytes(path.value)
        guard unsafe Self.begins(target, isPlace: path.source == .place) else {
            return isSendable = false
        }
        saysLengthAlways = Self.bodyMethods.contains { unsafe $0.equals(method) }
        unsafe text.append(method)
        text.append(" ")
        unsafe text.append(target)
        if path.source == .place {
            addPart(lead: .empty, place: pathPlace, nil, .target(isBegun: !target.isEmpty))
        }
        text.append(" HTTP/1.1\r\nhost: ")
        unsafe text.append(authority)
        text.append("\r\n")
    }

    /// Methods for which a body is expected.
    private static let bodyMethods: [StaticString] = ["POST", "PUT", "PATCH"]

    /// True if bytes are a target in origin form or `*`, or can begin such a target. RFC 9112 §3.2
    private static func begins(_ target: UnsafeBufferPointer<UInt8>, isPlace: Bool) -> Bool {
        guard unsafe FieldText.isInTarget(target) else { return false }
        guard let first = unsafe target.first else { return isPlace }
        return first == UInt8(ascii: "/")
            || !isPlace && first == UInt8(ascii: "*") && target.count == 1
    }

    /// Ends the run before a value with the bytes written so far.
    private mutating func addPart(
        lead: ByteRange, place: Int, _ usual: ByteRange?, _ kind: Part.Kind
    ) {
        let runEnd = lead.isEmpty ? text.count : Int(lead.start)
        let run = ByteRange(start: runStart, count: runEnd - runStart)
        parts.append(Part(run: run, lead: lead, place: place, usual: usual, kind: kind))
        runStart = text.count
    }

    private mutating func write(
        _ field: RequestHeaders.Field, _ name: UnsafeBufferPointer<UInt8>,
        _ source: borrowing ByteBuffer, place: Int
    ) {
        // The body says how long it is, and is asked.
        guard unsafe !FieldText.equals(name, "content-length") else { return }
        let value = unsafe source.bytes(field.value)
        let isOwned = Self.owned.contains { unsafe FieldText.equals(name, $0) }
        guard !isOwned, unsafe FieldText.isToken(name), unsafe FieldText.isValue(value) else {
            return isSendable = false
        }
        // RFC 9110 §10.1.4
        if unsafe FieldText.equals(name, "te") { text.append("connection: te\r\n") }
        let start = text.count
        unsafe text.append(name)
        text.append(": ")
        switch field.source {
        case .fixed:
            unsafe text.append(value)
            text.append("\r\n")
        case .place:
            unsafe text.append(value)
            addPart(lead: range(from: start), place: place, nil, .place)
        case .optional:
            let lead = range(from: start)
            let valueStart = text.count
            unsafe text.append(value)
            let usual = field.hasValue ? range(from: valueStart) : nil
            addPart(lead: lead, place: place, usual, .optional)
        }
    }

    // MARK: Once for each request

    /// Writes the head of a request.
    /// - Parameters:
    ///   - values: One for each place, then one for each optional field unless all are as usual.
    ///   - bodyBytes: The length of the body.
    ///   - output: The buffer to append to; it ends in rubbish if the call throws.
    /// - Throws: `unsendable`.
    func write(
        _ values: UnsafeBufferPointer<UnsafeBufferPointer<UInt8>>, bodyBytes: Int,
        into output: inout ByteBuffer
    ) throws(HTTP1Error) {
        guard isSendable else { throw .unsendable }
        for part in parts {
            unsafe output.append(text.bytes(part.run))
            var value = unsafe UnsafeBufferPointer<UInt8>.empty
            if part.place < values.count { unsafe value = values[part.place] }
            if unsafe value.baseAddress == nil, let usual = part.usual {
                unsafe value = text.bytes(usual)
            }
            switch part.kind {
            case .target(let isBegun):
                // RFC 9112 §3.2.1
                guard unsafe value.baseAddress != nil, unsafe FieldText.isInTarget(value),
                    unsafe isBegun || value.first == UInt8(ascii: "/")
                else { throw .unsendable }
                unsafe output.append(value)
            case .place, .optional:
                guard unsafe value.baseAddress != nil else { continue }
                guard unsafe FieldText.isValue(value) else { throw .unsendable }
                unsafe output.append(text.bytes(part.lead))
                unsafe output.append(value)
                output.append("\r\n")
            }
        }
        unsafe output.append(text.bytes(end))
        if bodyBytes > 0 || saysLengthAlways {
            output.append("content-length: ")
            output.append(decimal: UInt64(bodyBytes))
            output.append("\r\n")
        }
        output.append("\r\n")
    }
}
