import FanfareCore
import FanfareHTTP2
import FanfareHTTP2Server

/// One complete request, as far as the simulator looks at it.
///
/// Borrows the bytes of the session that received it: valid until the stream is released.
@safe
struct ReceivedRequest {
    private(set) var check = RequestCheck()
    /// The device token of the path; empty if there is none.
    let token: UnsafeBufferPointer<UInt8>
    let messageID: UnsafeBufferPointer<UInt8>
    let topic: UnsafeBufferPointer<UInt8>
    /// The value of the field `authorization`; it has no address if the field did not come.
    let authorization: UnsafeBufferPointer<UInt8>
    let payload: UnsafeBufferPointer<UInt8>
    /// The body's length; that of the part which was kept if it was far too long.
    let payloadBytes: Int

    init(_ stream: StreamHandle, of session: borrowing ServerSession) {
        let path = unsafe session.field(.path, of: stream)
        unsafe token = RequestCheck.token(in: path)
        unsafe messageID = session.field(.apnsID, of: stream)
        unsafe topic = session.field(.apnsTopic, of: stream)
        unsafe authorization = session.field(.authorization, of: stream)
        unsafe payload = session.body(of: stream)
        payloadBytes = unsafe payload.count
        unsafe note(.path, path)
        unsafe note(.apnsID, messageID)
        unsafe note(.apnsTopic, topic)
        unsafe note(.authorization, authorization)
        unsafe note(.method, session.field(.method, of: stream))
        unsafe note(.apnsPushType, session.field(.apnsPushType, of: stream))
        unsafe note(.apnsPriority, session.field(.apnsPriority, of: stream))
        unsafe note(.apnsExpiration, session.field(.apnsExpiration, of: stream))
        unsafe note(.apnsCollapseID, session.field(.apnsCollapseID, of: stream))
        if session.hasDuplicateField(stream) { check.repeated() }
    }

    /// Looks at a header field, if it came: one that did not has no address.
    private mutating func note(_ field: RequestField, _ value: UnsafeBufferPointer<UInt8>) {
        if unsafe value.baseAddress != nil { unsafe check.received(field, value) }
    }

    mutating func authorized(_ refusal: Refusal?) {
        check.authorized(refusal)
    }

    /// Ends the request, which is complete.
    /// - Returns: The reason to refuse the request, or nil.
    mutating func refusal(
        isJSON: Bool, isCertified: Bool, topics: borrowing AcceptedTopics
    ) -> Refusal? {
        unsafe check.headersEnded(topic: topic, isCertified: isCertified, topics: topics)
        check.ended(payloadBytes: payloadBytes, isJSON: isJSON)
        return check.faults.first
    }
}
