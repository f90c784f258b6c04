package import FanfareBase

/// Making frames.
extension ClientSession {
    /// Appends frames until the buffer holds about `limit` bytes or nothing is left to write.
    ///
    /// The last frame may go beyond the limit by at most 16 KiB. A request's body follows its
    /// HEADERS at once, as far as the windows go; the bytes that they hold back go first when they
    /// open. A session that has failed still writes its GOAWAY.
    /// - Returns: The number of bytes appended.
    @discardableResult
    package mutating func write(into buffer: inout ByteBuffer, limit: Int) -> Int {
        if haveWindowsMoved { lineBodiesUp() }
        let before = buffer.count
        bytesBefore = bytesWritten &- before
        defer { bytesWritten = bytesBefore &+ buffer.count }
        while buffer.count < limit {
            if !control.isEmpty {
                control.write(into: &buffer)
            } else if failure != nil {
                break
            } else if hasBody {
                writeBody(sending.first, into: &buffer)
            } else if hasRequest {
                writeHeaders(pending.first, into: &buffer)
            } else {
                break
            }
        }
        return buffer.count - before
    }

    /// True if a body can be written now.
    var hasBody: Bool { !sending.isEmpty && sendWindow.available > 0 }

    /// True if the HEADERS of a request can be written now.
    var hasRequest: Bool {
        !pending.isEmpty && activeStreams < Int(peer.maxConcurrentStreams)
    }

    /// Opens a stream.
    private mutating func writeHeaders(_ slot: UInt32, into buffer: inout ByteBuffer) {
        let stream = unsafe slots.streams + Int(slot)
        guard let places = unsafe places(slot) else {
            preconditionFailure("BUG: a request without headers")
        }
        let values = unsafe UnsafeBufferPointer(
            start: places, count: Int(stream.pointee.valueCount))
        let bytesMax = unsafe encoder?.bytesMax(values) ?? 0
        let hasBody = unsafe !stream.pointee.requestBody.isEmpty
        let start = unsafe buffer.space(FrameHeader.byteCount + bytesMax)
        let payload = unsafe start + FrameHeader.byteCount
        let count = unsafe (encoder?.encode(values, to: payload) ?? payload) - payload
        if count <= FrameReader.payloadBytesMax {
            let flags = FrameHeader.Flag.endHeaders | (hasBody ? 0 : FrameHeader.Flag.endStream)
            unsafe FrameHeader(
                length: count, kind: FrameHeader.Kind.headers, flags: flags,
                stream: stream.pointee.id
            ).write(to: start)
            buffer.commit(FrameHeader.byteCount + count)
        } else {
            unsafe split(count, hasBody: hasBody, stream.pointee.id, in: &buffer)
        }
        unsafe pending.remove(slot, in: slots.streams)
        unsafe table.insert(stream.pointee.id, slot: slot)
        activeStreams &+= 1
        lastSentStreamID = unsafe stream.pointee.id
        unsafe stream.pointee.phase = .open
        unsafe stream.pointee.receiveWindow = ReceiveWindow(receiveWindowBytes)
        unsafe stream.pointee.isSent = !hasBody
        if !hasBody { unsafe stream.pointee.requestSent = bytesBefore &+ buffer.count }
        queueBody(slot)
    }

    /// Makes HEADERS and CONTINUATION of a field block that is too large for one frame.
    ///
    /// Rare enough to be copied once more. Frames have the size that every peer takes, also if it
    /// says that it takes more. RFC 9113 §4.2, §6.10
    private func split(
        _ count: Int, hasBody: Bool, _ id: Int32, in buffer: inout ByteBuffer
    ) {
        var block = ByteBuffer(capacity: count)
        unsafe block.append(
            UnsafeBufferPointer(start: buffer.space(0) + FrameHeader.byteCount, count: count))
        var offset = 0
        while offset < count {
            let length = min(count - offset, FrameReader.payloadBytesMax)
            var flags: UInt8 = offset == 0 && !hasBody ? FrameHeader.Flag.endStream : 0
            if offset + length == count { flags |= FrameHeader.Flag.endHeaders }
            unsafe FrameHeader(
                length: length,
                kind: offset == 0 ? FrameHeader.Kind.headers : FrameHeader.Kind.continuation,
                flags: flags, stream: id
            ).write(to: buffer.space(FrameHeader.byteCount))
            buffer.commit(FrameHeader.byteCount)
            unsafe buffer.append(
                UnsafeBufferPointer(rebasing: block.bytes[offset..<offset + length]))
            offset += length
        }
    }

    /// Writes one DATA frame.
    private mutating func writeBody(_ slot: UInt32, into buffer: inout ByteBuffer) {
        let stream = unsafe slots.streams + Int(slot)
        let sent = unsafe stream.pointee.requestSent
        let rest = unsafe stream.pointee.requestBody.count - sent
        let count = min(
            min(rest, FrameReader.payloadBytesMax),
            min(sendWindow.available, sendRoom(of: slot)))
        let target = unsafe buffer.space(FrameHeader.byteCount + count)
        unsafe FrameHeader(
            length: count, kind: FrameHeader.Kind.data,
            flags: count == rest ? FrameHeader.Flag.endStream : 0, stream: stream.pointee.id
        ).write(to: target)
        if let source = unsafe stream.pointee.requestBody.baseAddress {
            unsafe (target + FrameHeader.byteCount).update(from: source + sent, count: count)
        }
        buffer.commit(FrameHeader.byteCount + count)
        sendWindow.take(count)
        unsafe stream.pointee.sendCredit -= count
        unsafe stream.pointee.requestSent = sent + count
        if count == rest {
            unsafe sending.remove(slot, in: slots.streams)
            unsafe stream.pointee.isSending = false
            unsafe stream.pointee.isSent = true
            unsafe stream.pointee.requestSent = bytesBefore &+ buffer.count
        } else if sendRoom(of: slot) <= 0 {
            unsafe sending.remove(slot, in: slots.streams)
            unsafe stream.pointee.isSending = false
        }
    }

    /// Returns the number of bytes of its body that the peer still takes on a stream. §6.9.1
    func sendRoom(of slot: UInt32) -> Int {
        unsafe Int(peer.initialWindowSize) &+ slots.streams[Int(slot)].sendCredit
    }

    /// Lines all streams up anew after the peer has moved their windows.
    private mutating func lineBodiesUp() {
        haveWindowsMoved = false
        slotReviews += 1
        for slot in 0..<UInt32(slots.usedCount) {
            let stream = unsafe slots.streams + Int(slot)
            guard unsafe stream.pointee.phase == .open else { continue }
            if unsafe stream.pointee.isSending && sendRoom(of: slot) <= 0 {
                unsafe sending.remove(slot, in: slots.streams)
                unsafe stream.pointee.isSending = false
            }
            queueBody(slot)
        }
    }

    /// Lines a stream up to send its body, if it has one left and room in its window.
    mutating func queueBody(_ slot: UInt32) {
        let stream = unsafe slots.streams + Int(slot)
        guard unsafe !stream.pointee.isSent, unsafe !stream.pointee.isSending,
            sendRoom(of: slot) > 0
        else { return }
        unsafe stream.pointee.isSending = true
        unsafe sending.append(slot, in: slots.streams)
    }
}
