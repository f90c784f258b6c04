internal import FanfareCore

/// What frames mean for the connection as a whole.
extension ClientSession {
    mutating func received(settings frame: Frame) throws(SessionFault) {
        guard frame.header.stream == 0 else {
            throw SessionFault(.protocolError, "SETTINGS: for a stream")
        }
        if frame.header.has(FrameHeader.Flag.acknowledgement) {
            guard unsafe frame.payload.isEmpty else {
                throw SessionFault(.frameSizeError, "SETTINGS: an acknowledgement with content")
            }
            guard peer.hasArrived else {
                throw SessionFault(.protocolError, "the first frame is not SETTINGS")
            }
            guard awaitsAcknowledgement else {
                throw SessionFault(.protocolError, "SETTINGS: an acknowledgement of nothing")
            }
            awaitsAcknowledgement = false
            return
        }
        let windowBefore = Int(peer.initialWindowSize)
        try unsafe peer.receive(frame.payload)
        encoder?.follow(&peer)
        try moveWindows(by: Int(peer.initialWindowSize) - windowBefore)
        try control.appendSettingsAcknowledgement()
        news.settingsArrived()
    }

    /// A new initial size moves the windows of all open streams, if need be below zero. §6.9.2
    private mutating func moveWindows(by difference: Int) throws(SessionFault) {
        guard difference != 0 else { return }
        for slot in 0..<UInt32(slots.usedCount) {
            let stream = unsafe slots.streams + Int(slot)
            guard unsafe stream.pointee.phase == .open else { continue }
            guard unsafe stream.pointee.sendWindow.move(by: difference) else {
                throw SessionFault(.flowControlError, "SETTINGS: too large a window")
            }
            if unsafe stream.pointee.isSending && stream.pointee.sendWindow.available <= 0 {
                unsafe sending.remove(slot, in: slots.streams)
                unsafe stream.pointee.isSending = false
            }
            queueBody(slot)
        }
    }

    mutating func received(ping frame: Frame) throws(SessionFault) {
        guard unsafe frame.payload.count == 8 else {
            throw SessionFault(.frameSizeError, "PING: a wrong length")
        }
        guard frame.header.stream == 0 else {
            throw SessionFault(.protocolError, "PING: for a stream")
        }
        if frame.header.has(FrameHeader.Flag.acknowledgement) {
            news.pingAcknowledged()
        } else {
            try unsafe control.append(pingAcknowledgement: frame.payload)
        }
    }

    /// No more requests: those that are not on the wire, and those above the id, were not processed.
    mutating func received(goAway frame: Frame) throws(SessionFault) {
        guard let payload = unsafe frame.payload.baseAddress, unsafe frame.payload.count >= 8 else {
            throw SessionFault(.frameSizeError, "GOAWAY: too short")
        }
        guard frame.header.stream == 0 else {
            throw SessionFault(.protocolError, "GOAWAY: for a stream")
        }
        let last = unsafe Int32(bitPattern: payload.bigEndianWord & 0x7FFF_FFFF)
        guard last == 0 || last & 1 == 1, last <= goAwayLastStreamID ?? .max else {
            throw SessionFault(.protocolError, "GOAWAY: an impossible last stream")
        }
        unsafe news.goAwayArrived(
            lastStreamID: last, code: HTTP2ErrorCode(rawValue: (payload + 4).bigEndianWord),
            debugData: UnsafeBufferPointer(rebasing: frame.payload[8...]))
        let isFirst = goAwayLastStreamID == nil
        guard isFirst || last != goAwayLastStreamID else { return }
        goAwayLastStreamID = last
        for slot in 0..<UInt32(slots.usedCount) {
            let stream = unsafe slots.streams[Int(slot)]
            if stream.phase == .queued || stream.phase == .open && stream.id > last {
                close(slot, .refusedStream)
            }
        }
    }
}
