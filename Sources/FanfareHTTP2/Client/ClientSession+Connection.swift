internal import FanfareBase

/// The frames for the connection as a whole.
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
        if Int(peer.initialWindowSize) != windowBefore { try windowsMoved() }
        try control.appendSettingsAcknowledgement()
        news.settingsArrived()
    }

    /// Moves the windows of all open streams by a new initial size, if need be below zero. §6.9.2
    ///
    /// A peer may send a thousand of them at once, so the session looks at the bodies only when it
    /// makes the next frames, which are our acknowledgements.
    private mutating func windowsMoved() throws(SessionFault) {
        haveWindowsMoved = true
        guard Int(peer.initialWindowSize) + sendCreditMax > SendWindow.bytesMax else { return }
        // The stream with the most may have ended. A peer needs another one each time it repeats this.
        sendCreditMax = 0
        slotReviews += 1
        for slot in 0..<slots.usedCount {
            let stream = unsafe slots.streams[slot]
            if stream.phase == .open { sendCreditMax = max(sendCreditMax, stream.sendCredit) }
        }
        guard Int(peer.initialWindowSize) + sendCreditMax <= SendWindow.bytesMax else {
            throw SessionFault(.flowControlError, "SETTINGS: too large a window")
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

    /// Ends new requests: those that are not on the wire, and those above the id, were not
    /// processed.
    mutating func received(goAway frame: Frame) throws(SessionFault) {
        guard let payload = unsafe frame.payload.baseAddress, unsafe frame.payload.count >= 8 else {
            throw SessionFault(.frameSizeError, "GOAWAY: too short")
        }
        guard frame.header.stream == 0 else {
            throw SessionFault(.protocolError, "GOAWAY: for a stream")
        }
        var last = unsafe Int32(bitPattern: payload.bigEndianWord & 0x7FFF_FFFF)
        // The peer may name a stream of its own; of ours that bounds the one below.
        if last > 0 && last & 1 == 0 { last -= 1 }
        guard last <= goAwayLastStreamID ?? .max else {
            throw SessionFault(.protocolError, "GOAWAY: a last stream above an earlier one")
        }
        unsafe news.goAwayArrived(
            lastStreamID: last, code: HTTP2ErrorCode(rawValue: (payload + 4).bigEndianWord),
            debugData: UnsafeBufferPointer(rebasing: frame.payload[8...]))
        let isFirst = goAwayLastStreamID == nil
        guard isFirst || last != goAwayLastStreamID else { return }
        goAwayLastStreamID = last
        if !isFirst { goAwaysLowering += 1 }
        guard goAwaysLowering <= Limits.goAwaysLoweringMax else {
            throw SessionFault(.enhanceYourCalm, "GOAWAY: again and again with a lower last stream")
        }
        slotReviews += 1
        for slot in 0..<UInt32(slots.usedCount) {
            let stream = unsafe slots.streams[Int(slot)]
            if stream.phase == .queued || stream.phase == .open && stream.id > last {
                close(slot, .refusedStream)
            }
        }
    }
}
