internal import CNghttp2
internal import FanfareBase
package import FanfareHTTP2

/// One header field of an answer; copied when the answer is given.
@safe
package struct ResponseField {
    package var name: UnsafeBufferPointer<UInt8>
    package var value: UnsafeBufferPointer<UInt8>
    /// True if the client's header table is to remember it; false for values that never repeat.
    package var isIndexed: Bool

    package init(
        name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, isIndexed: Bool
    ) {
        unsafe self.name = name
        unsafe self.value = value
        self.isIndexed = isIndexed
    }
}

extension ServerSession {
    /// Returns the value of a header field, empty if it did not come; valid until `release`.
    package func field(
        _ field: RequestField, of stream: StreamHandle
    ) -> UnsafeBufferPointer<UInt8> {
        unsafe state.withValue { state in
            precondition(state.isCurrent(stream), "BUG: a field of a stream that is not there")
            let entry = unsafe state.streams + Int(stream.slot)
            guard unsafe entry.pointee.seen & 1 << UInt16(field.rawValue) != 0 else {
                return unsafe .empty
            }
            return unsafe entry.pointee.fields.bytes(entry.pointee.ranges[field.rawValue])
        }
    }

    /// The body of a request, as far as it is kept; valid until `release`.
    package func body(of stream: StreamHandle) -> UnsafeBufferPointer<UInt8> {
        unsafe state.withValue { state in
            precondition(state.isCurrent(stream), "BUG: the body of a stream that is not there")
            return unsafe state.streams[Int(stream.slot)].body.bytes
        }
    }

    /// True if a recorded header field came more than once; the first value counts.
    package func hasDuplicateField(_ stream: StreamHandle) -> Bool {
        state.withValue { unsafe $0.isCurrent(stream) && $0.streams[Int(stream.slot)].hasDuplicate }
    }

    /// Answers a request, at any time after its header list; does nothing if the stream has ended.
    /// - Parameters:
    ///   - stream: The request.
    ///   - status: 200 … 999.
    ///   - fields: At most 15; copied.
    ///   - body: Copied; if empty, the stream ends with the header list.
    /// - Throws: `outOfMemory`.
    package mutating func respond(
        _ stream: StreamHandle, status: UInt16, fields: UnsafeBufferPointer<ResponseField>,
        body: UnsafeBufferPointer<UInt8>
    ) throws(HTTP2Error) {
        precondition(status >= 200 && status <= 999, "BUG: a status of \(status)")
        precondition(fields.count < 16, "BUG: more fields than an answer has room for")
        let isOpen = state.withValue { state in
            guard state.isCurrent(stream) else { return false }
            let entry = unsafe state.streams + Int(stream.slot)
            guard unsafe entry.pointee.phase == .open else { return false }
            unsafe precondition(!entry.pointee.isAnswered, "BUG: a second answer")
            unsafe entry.pointee.isAnswered = true
            unsafe entry.pointee.answer.append(body)
            return true
        }
        guard isOpen else { return }
        var source = unsafe nghttp2_data_provider()
        unsafe source.source.fd = Int32(bitPattern: stream.slot)
        unsafe source.read_callback = body.isEmpty ? nil : Self.bodySource
        try unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: 16) {
            list throws(HTTP2Error) in
            try unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) {
                digits throws(HTTP2Error) in
                unsafe digits[0] = UInt8(48 + status / 100)
                unsafe digits[1] = UInt8(48 + status / 10 % 10)
                unsafe digits[2] = UInt8(48 + status % 10)
                let name: StaticString = ":status"
                unsafe list[0] = Self.pair(
                    UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount),
                    UnsafeBufferPointer(digits), isIndexed: true)
                for unsafe(index, field) in unsafe fields.enumerated() {
                    unsafe list[index + 1] = Self.pair(
                        field.name, field.value, isIndexed: field.isIndexed)
                }
                try unsafe ServerEngine.check(
                    nghttp2_submit_response(
                        engine.session, stream.id, list.baseAddress, fields.count + 1, &source))
            }
        }
    }

    private static func pair(
        _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isIndexed: Bool
    ) -> nghttp2_nv {
        unsafe nghttp2_nv(
            name: UnsafeMutablePointer(mutating: name.baseAddress),
            value: UnsafeMutablePointer(mutating: value.baseAddress),
            namelen: name.count, valuelen: value.count,
            flags: UInt8((isIndexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX).rawValue))
    }

    /// Ends a stream without an answer; `refusedStream` tells that it was not processed.
    package mutating func reset(
        _ stream: StreamHandle, _ code: HTTP2ErrorCode
    ) throws(HTTP2Error) {
        let isOpen = state.withValue {
            unsafe $0.isCurrent(stream) && $0.streams[Int(stream.slot)].phase == .open
        }
        if isOpen { try engine.reset(stream.id, code) }
    }

    /// Gives the slot of a closed stream back.
    package mutating func release(_ stream: StreamHandle) {
        state.withValue { state in
            unsafe precondition(
                state.isCurrent(stream) && state.streams[Int(stream.slot)].phase == .closed,
                "BUG: release of a stream that is not closed")
            state.giveBack(stream.slot)
        }
    }
}
