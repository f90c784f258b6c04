internal import FanfareBase

// The parts of an answer that are kept. Called for every header field and every frame, so each function is a
// straight line; what a peer sends that makes no sense is answered with false, never with a trap.
extension StreamSlots {
    /// Records one header field.
    /// - Returns: True if the stream goes on; false if it is to be reset because the answer is malformed.
    @inline(__always)
    mutating func received(_ field: AnswerField, slot: UInt32) -> Bool {
        guard field.isWellFormed else { return false }
        let stream = unsafe streams + Int(slot)
        switch field.name {
        case .other, .malformed, .pseudo, .te, .upgrade, .connection, .keepAlive, .proxyConnection,
            .transferEncoding:
            break
        case .status:
            // Once, and not among trailers. RFC 9113 §8.1, §8.3
            guard unsafe !stream.pointee.hasAnswer, unsafe stream.pointee.status == 0,
                let status = unsafe Self.status(field.value)
            else {
                return false
            }
            unsafe stream.pointee.status = status
        case .contentLength:
            // In digits (RFC 9110 §8.6); what announces more than 64 bits can say sends no answer.
            guard unsafe stream.pointee.bodyAnnounced == ClientStream.unannounced,
                let length = unsafe field.value.decimal
            else {
                return false
            }
            unsafe stream.pointee.bodyAnnounced = length
        case .quotaRemaining:
            quota.remaining = unsafe field.value.decimal
        case .quotaReset:
            quota.reset = unsafe field.value.decimal
        case _ where unsafe stream.pointee.hasAnswer:
            break
        case .messageID where field.valueBytes <= AnswerPlaces.messageIDBytes:
            unsafe keep(field.value, answers.messageID(answer(of: stream)))
            unsafe stream.pointee.messageIDCount = UInt8(field.valueBytes)
        case .retryAfter where field.valueBytes <= AnswerPlaces.retryAfterBytes:
            unsafe keep(field.value, answers.retryAfter(answer(of: stream)))
            unsafe stream.pointee.retryAfterCount = UInt8(field.valueBytes)
        case .date where field.valueBytes <= AnswerPlaces.dateBytes:
            unsafe keep(field.value, answers.date(answer(of: stream)))
            unsafe stream.pointee.dateCount = UInt8(field.valueBytes)
        case .messageID, .retryAfter, .date:
            break
        }
        return true
    }

    /// Returns the fault of a header field for which a stream is to be reset.
    ///
    /// Apart from `received`, which nearly all fields pass.
    func fault(of field: AnswerField, slot: UInt32) -> MalformedAnswer {
        guard field.isWellFormed else { return field.fault }
        guard field.name == .status else { return .badLength }
        let stream = unsafe streams + Int(slot)
        let isFirst = unsafe !stream.pointee.hasAnswer && stream.pointee.status == 0
        return isFirst ? .badStatus : .severalStatuses
    }

    /// Returns the place of a stream's answer, and gives it one if it has none.
    private mutating func answer(of stream: UnsafeMutablePointer<ClientStream>) -> UInt32 {
        if unsafe stream.pointee.answer == AnswerPlaces.none {
            unsafe stream.pointee.answer = answers.take()
        }
        return unsafe stream.pointee.answer
    }

    private func keep(_ value: UnsafeBufferPointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>) {
        if let start = value.baseAddress { unsafe target.update(from: start, count: value.count) }
    }

    /// Returns a status of three digits, 100 … 999, but not 101: HTTP/2 has no such answer (RFC
    /// 9113 §8.6).
    @inline(__always)
    private static func status(_ value: UnsafeBufferPointer<UInt8>) -> UInt16? {
        guard value.count == 3 else { return nil }
        let (first, second, third) = unsafe (value[0] &- 48, value[1] &- 48, value[2] &- 48)
        guard first < 10, second < 10, third < 10 else { return nil }
        let status = UInt16(first) &* 100 &+ UInt16(second) &* 10 &+ UInt16(third)
        return status >= 100 && status != 101 ? status : nil
    }

    /// Notes the end of a header list.
    /// - Returns: `nil` if the stream goes on; the fault for which it is to be reset.
    func receivedHeaderList(slot: UInt32, endsStream: Bool) -> MalformedAnswer? {
        let stream = unsafe streams + Int(slot)
        // After the answer only trailers come, and they end the stream (RFC 9113 §8.1).
        if unsafe stream.pointee.hasAnswer { return endsStream ? nil : .trailersWithoutEnd }
        guard unsafe stream.pointee.status != 0 else { return .noStatus }
        if unsafe stream.pointee.status < 200 {
            // An informational answer: the real one is still to come (RFC 9113 §8.1). It announces
            // no content (RFC 9110 §8.6).
            guard unsafe stream.pointee.bodyAnnounced == ClientStream.unannounced else {
                return .announcedWithoutContent
            }
            unsafe stream.pointee.status = 0
            unsafe stream.pointee.messageIDCount = 0
            unsafe stream.pointee.retryAfterCount = 0
            unsafe stream.pointee.dateCount = 0
            unsafe stream.pointee.emptyFrames &+= 1
            return endsStream ? .endedInformational : nil
        }
        unsafe stream.pointee.hasAnswer = true
        let status = unsafe stream.pointee.status
        if status == 204 || status == 304 || answersLackContent {
            // They announce a length, and no body follows (RFC 9113 §8.1.1); 204 announces nothing.
            let isAnnounced = unsafe stream.pointee.bodyAnnounced != ClientStream.unannounced
            if unsafe status == 204 && isAnnounced && stream.pointee.bodyAnnounced > 0 {
                return .announcedWithoutContent
            }
            unsafe stream.pointee.bodyAnnounced = 0
        }
        return nil
    }

    /// True if the body that has come is as long as was announced. RFC 9113 §8.1.1
    func isWhole(slot: UInt32) -> Bool {
        let stream = unsafe streams + Int(slot)
        let announced = unsafe stream.pointee.bodyAnnounced
        return unsafe announced == ClientStream.unannounced
            || announced == stream.pointee.bodyTotal
    }

    /// Records bytes of an answer's body.
    /// - Returns: `nil` if the stream goes on; the fault for which it is to be reset.
    mutating func received(
        body bytes: UnsafeBufferPointer<UInt8>, slot: UInt32
    ) -> MalformedAnswer? {
        let stream = unsafe streams + Int(slot)
        guard unsafe stream.pointee.hasAnswer else { return .bodyFirst }
        let kept = unsafe Int(stream.pointee.bodyKept)
        let more = min(bytes.count, answers.bodyLimit - kept)
        if more > 0, let start = bytes.baseAddress {
            let body = unsafe answers.body(
                answer(of: stream), of: kept, growingTo: kept + more)
            unsafe (body + kept).update(from: start, count: more)
        }
        unsafe stream.pointee.bodyKept = UInt32(kept + more)
        unsafe stream.pointee.bodyTotal &+= UInt64(bytes.count)
        return unsafe stream.pointee.bodyTotal <= stream.pointee.bodyAnnounced ? nil : .otherLength
    }
}
