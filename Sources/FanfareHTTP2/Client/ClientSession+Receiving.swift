internal import FanfareBase

/// The field block that is being received.
struct HeaderBlock {
    /// The stream whose CONTINUATION must come next, 0 if none must.
    var stream: Int32 = 0
    var endsStream = false
    var continuations = 0
}

/// The frames for the streams.
extension ClientSession {
    /// Takes one frame. RFC 9113 §6
    mutating func received(_ frame: Frame) throws(SessionFault) {
        let kind = frame.header.kind
        guard block.stream == 0 || kind == FrameHeader.Kind.continuation else {
            throw SessionFault(.protocolError, "a frame inside of a field block")
        }
        guard peer.hasArrived || kind == FrameHeader.Kind.settings else {
            throw SessionFault(.protocolError, "the first frame is not SETTINGS")
        }
        switch kind {
        case FrameHeader.Kind.data: try received(data: frame)
        case FrameHeader.Kind.headers: try received(headers: frame)
        case FrameHeader.Kind.continuation: try received(continuation: frame)
        case FrameHeader.Kind.resetStream: try received(reset: frame)
        case FrameHeader.Kind.windowUpdate: try received(windowUpdate: frame)
        case FrameHeader.Kind.settings: try received(settings: frame)
        case FrameHeader.Kind.ping: try received(ping: frame)
        case FrameHeader.Kind.goAway: try received(goAway: frame)
        case FrameHeader.Kind.priority: try received(priority: frame)
        case FrameHeader.Kind.pushPromise:
            // Our SETTINGS forbid it, and they came before any request that could cause it.
            throw SessionFault(.protocolError, "PUSH_PROMISE: push is off")
        default:
            // Unknown ones are ignored. §4.1
            break
        }
    }

    /// Returns the slot of an open stream, nil if it has ended.
    private func slot(of stream: Int32) throws(SessionFault) -> UInt32? {
        if let slot = table.slot(of: stream) { return slot }
        guard stream & 1 == 1, stream <= lastSentStreamID else {
            throw SessionFault(.protocolError, "a frame for a stream that was never opened")
        }
        return nil
    }

    // MARK: DATA

    private mutating func received(data frame: Frame) throws(SessionFault) {
        let length = frame.header.length
        let slot = try slot(of: frame.header.stream)
        guard receiveWindow.receive(length) else {
            throw SessionFault(.flowControlError, "DATA: beyond the connection's window")
        }
        if let credit = receiveWindow.credit() { control.append(windowUpdate: credit) }
        guard let slot else { return }
        let content = try unsafe unpadded(frame)
        let stream = unsafe slots.streams + Int(slot)
        guard unsafe !stream.pointee.isComplete else { return reset(slot: slot, .streamClosed) }
        guard unsafe stream.pointee.receiveWindow.receive(length) else {
            return reset(slot: slot, .flowControlError)
        }
        if let fault = unsafe slots.received(body: content, slot: slot) {
            return malformed(slot, fault)
        }
        if frame.header.has(FrameHeader.Flag.endStream) { return answerEnded(slot) }
        if let credit = unsafe stream.pointee.receiveWindow.credit() {
            guard unsafe stream.pointee.bodyTotal <= bodyBytesMax else {
                return reset(slot: slot, .cancel)
            }
            control.append(windowUpdate: credit, stream: frame.header.stream)
        }
        if content.isEmpty {
            unsafe stream.pointee.emptyFrames &+= 1
            try checkEmptyFrames(slot)
        }
    }

    /// Returns the content of a DATA or HEADERS frame without its padding. §6.1
    private func unpadded(_ frame: Frame) throws(SessionFault) -> UnsafeBufferPointer<UInt8> {
        guard frame.header.has(FrameHeader.Flag.padded) else { return unsafe frame.payload }
        guard let padding = unsafe frame.payload.first else {
            throw SessionFault(.frameSizeError, "padding without its length")
        }
        let end = unsafe frame.payload.count - Int(padding)
        guard end >= 1 else {
            throw SessionFault(.protocolError, "more padding than frame")
        }
        return unsafe UnsafeBufferPointer(rebasing: frame.payload[1..<end])
    }

    /// Ends a stream with its answer, since END_STREAM has come.
    ///
    /// A body that the peer has not waited for stays here, instead of waiting for its window. §8.1
    @inline(__always)
    private mutating func answerEnded(_ slot: UInt32) {
        guard slots.isWhole(slot: slot) else { return malformed(slot, .otherLength) }
        let stream = unsafe slots.streams + Int(slot)
        unsafe stream.pointee.isComplete = true
        if unsafe stream.pointee.isSent {
            close(slot, .noError)
        } else {
            reset(slot: slot, .noError)
        }
    }

    private func checkEmptyFrames(_ slot: UInt32) throws(SessionFault) {
        guard unsafe slots.streams[Int(slot)].emptyFrames <= Limits.emptyFramesMax else {
            throw SessionFault(.enhanceYourCalm, "frames without end or content")
        }
    }

    // MARK: HEADERS

    private mutating func received(headers frame: Frame) throws(SessionFault) {
        var slot = try slot(of: frame.header.stream)
        var fragment = try unsafe unpadded(frame)
        if frame.header.has(FrameHeader.Flag.priority) {
            guard fragment.count >= 5 else {
                throw SessionFault(.frameSizeError, "HEADERS: too short for a priority")
            }
            unsafe fragment = UnsafeBufferPointer(rebasing: fragment[5...])
        }
        if let ended = slot, unsafe slots.streams[Int(ended)].isComplete {
            reset(slot: ended, .streamClosed)
            slot = nil
        }
        block = HeaderBlock()
        block.endsStream = frame.header.has(FrameHeader.Flag.endStream)
        if frame.header.has(FrameHeader.Flag.endHeaders) {
            return try unsafe received(fragment, slot)
        }
        block.stream = frame.header.stream
        fragments.removeAll()
        unsafe fragments.append(fragment)
    }

    private mutating func received(continuation frame: Frame) throws(SessionFault) {
        guard block.stream != 0, block.stream == frame.header.stream else {
            throw SessionFault(.protocolError, "CONTINUATION: of nothing")
        }
        block.continuations += 1
        guard block.continuations <= Limits.continuationsMax else {
            throw SessionFault(.enhanceYourCalm, "CONTINUATION: without end")
        }
        unsafe fragments.append(frame.payload)
        guard frame.header.has(FrameHeader.Flag.endHeaders) else { return }
        block.stream = 0
        // The stream may have been reset since its HEADERS.
        try unsafe received(fragments.bytes, table.slot(of: frame.header.stream))
        fragments.removeAll()
        fragments.shrink(toCapacity: FrameReader.payloadBytesMax)
    }

    /// Takes a whole field block, also that of a stream which has ended: the next block depends on it.
    private mutating func received(
        _ bytes: UnsafeBufferPointer<UInt8>, _ slot: UInt32?
    ) throws(SessionFault) {
        var isRight = true
        let list = try unsafe decoder.decode(bytes) { field in
            if let slot, isRight {
                isRight = slots.received(field, slot: slot)
                if !isRight { faultyField.note(field, of: slots, slot: slot) }
            }
        }
        guard let slot else { return }
        var fault = isRight ? nil : faultyField.fault
        if fault == nil, list.hasLatePseudoField { fault = .latePseudoField }
        if fault == nil, list.bytes > Limits.headerListBytes { fault = .largeList }
        if fault == nil {
            fault = slots.receivedHeaderList(slot: slot, endsStream: block.endsStream)
        }
        if let fault { return malformed(slot, fault) }
        if block.endsStream { return answerEnded(slot) }
        try checkEmptyFrames(slot)
    }

    // MARK: RST_STREAM, PRIORITY, WINDOW_UPDATE

    private mutating func received(reset frame: Frame) throws(SessionFault) {
        guard let payload = unsafe frame.payload.baseAddress, unsafe frame.payload.count == 4 else {
            throw SessionFault(.frameSizeError, "RST_STREAM: a wrong length")
        }
        if let slot = try slot(of: frame.header.stream) {
            unsafe close(slot, HTTP2ErrorCode(rawValue: payload.bigEndianWord))
        }
    }

    private func received(priority frame: Frame) throws(SessionFault) {
        guard unsafe frame.payload.count == 5 else {
            throw SessionFault(.frameSizeError, "PRIORITY: a wrong length")
        }
        guard frame.header.stream != 0 else {
            throw SessionFault(.protocolError, "PRIORITY: without a stream")
        }
    }

    private mutating func received(windowUpdate frame: Frame) throws(SessionFault) {
        guard let payload = unsafe frame.payload.baseAddress, unsafe frame.payload.count == 4 else {
            throw SessionFault(.frameSizeError, "WINDOW_UPDATE: a wrong length")
        }
        let increment = unsafe Int(payload.bigEndianWord & 0x7FFF_FFFF)
        let id = frame.header.stream
        let slot = id == 0 ? nil : try slot(of: id)
        if id == 0 {
            guard increment > 0 else {
                throw SessionFault(.protocolError, "WINDOW_UPDATE: of nothing")
            }
            guard sendWindow.move(by: increment) else {
                throw SessionFault(.flowControlError, "WINDOW_UPDATE: too large a window")
            }
        } else if let slot {
            guard increment > 0 else { return reset(slot: slot, .protocolError) }
            unsafe slots.streams[Int(slot)].sendCredit += increment
            guard sendRoom(of: slot) <= SendWindow.bytesMax else {
                return reset(slot: slot, .flowControlError)
            }
            sendCreditMax = unsafe max(sendCreditMax, slots.streams[Int(slot)].sendCredit)
            queueBody(slot)
        }
    }
}
