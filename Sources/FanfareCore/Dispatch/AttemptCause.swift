/// Every way in which one attempt can end, and the proof that follows for sending the row again.
///
/// `docs/outcomes.md` shows them in a table.
package enum AttemptCause: UInt8, CaseIterable, Sendable {
    /// An answer has begun to arrive; the cause that ended the stream behind it does not matter.
    case answered
    /// RST_STREAM with REFUSED_STREAM. RFC 9113 §8.7
    case refusedStream
    /// A GOAWAY names a last id below the request's. RFC 9113 §6.8
    case aboveGoAway
    /// A GOAWAY left the request its turn, and the connection ended before the answer.
    case lostBelowGoAway
    /// RST_STREAM with any other code, or an answer that breaks HTTP. RFC 9113 §8.1.1
    case reset
    /// An answer of HTTP/1.1 that breaks HTTP; its connection ends with it.
    case malformed
    /// The connection ended, and the transport had taken nothing of the request.
    case endedBefore
    /// The connection ended, and the transport had not taken the request's last byte.
    case endedWithin
    /// The same in HTTP/1.1, where nothing but its length says how long a request is.
    case endedWithinText
    /// The connection was lost after the transport had taken the whole request.
    case lostAfter
    /// Time ran out, and the request was not even made into frames as a whole.
    case lateUnsent
    /// Time ran out, though the peer showed signs of life: the stream is reset.
    case late
    /// The peer showed no sign of life: the connection is given up.
    case silent
    /// We ended the connection: the job was aborted.
    case aborted

    /// The fact that an ending proves.
    package enum Proof: Sendable {
        /// The provider cannot have acted on it: it is sent again, and no attempt counts.
        case unprocessed
        /// The answer decides: see `ResponseClass`.
        case answered
        /// It may have reached the provider: `--delivery` decides.
        case inDoubt
    }

    package var proof: Proof {
        switch self {
        case .answered: .answered
        // The last byte carries END_STREAM's frame to its end, and a TLS record that is not whole
        // cannot be decrypted: without it there is no request that a provider could act on.
        case .refusedStream, .aboveGoAway, .endedBefore, .endedWithin, .lateUnsent: .unprocessed
        case .lostBelowGoAway, .reset, .malformed, .endedWithinText, .lostAfter, .late, .silent,
            .aborted:
            .inDoubt
        }
    }

    /// True if it concerns the connection, and not the request.
    ///
    /// A connection may have ended because of a request of which a part had left.
    package var isOfConnection: Bool {
        switch self {
        case .aboveGoAway, .endedBefore: true
        case .answered, .refusedStream, .lostBelowGoAway, .reset, .malformed, .endedWithin,
            .endedWithinText, .lostAfter, .lateUnsent, .late, .silent, .aborted:
            false
        }
    }

    /// True if the connection was cut while the request was on its way, so that it may be the reason.
    package var isCut: Bool {
        switch self {
        case .lostBelowGoAway, .endedWithin, .endedWithinText, .lostAfter: true
        case .answered, .refusedStream, .aboveGoAway, .reset, .malformed, .endedBefore, .lateUnsent,
            .late, .silent, .aborted:
            false
        }
    }

    /// The report's reason for a row whose last attempt ended so; empty for an answer.
    ///
    /// A `reset` has the name of the peer's code instead.
    package var reason: StaticString {
        switch self {
        case .answered: ""
        case .refusedStream: "REFUSED_STREAM"
        case .aboveGoAway: "GOAWAY"
        case .reset: "stream reset"
        case .malformed: "malformed answer"
        case .lostBelowGoAway, .endedBefore, .endedWithin, .endedWithinText, .lostAfter:
            "connection lost"
        case .lateUnsent, .late: "no answer in time"
        case .silent: "no sign of life"
        case .aborted: "the job was aborted"
        }
    }

    /// The part of a request that the transport has taken, as far as that can be proved.
    package enum Extent: Sendable {
        case nothing
        case part
        /// All of it, or it cannot be told.
        case whole
    }

    /// The reason why a connection ended that still had requests.
    package enum ConnectionEnd: Sendable {
        case lost
        case silent
        case aborted
    }

    /// Returns the ending of a request whose connection has ended.
    /// - Parameters:
    ///   - extent: The part of the request that had left.
    ///   - end: The reason why the connection ended.
    ///   - isBelowGoAway: True if a GOAWAY had promised to process it.
    ///   - isText: True if it is of HTTP/1.1, where a server may take a part of it for the whole.
    /// - Returns: The row of the table.
    package static func of(
        _ extent: Extent, connection end: ConnectionEnd, isBelowGoAway: Bool = false,
        isText: Bool = false
    ) -> AttemptCause {
        switch (extent, end) {
        case (.nothing, _): .endedBefore
        case (.part, _) where !isText: .endedWithin
        case (.part, .lost): .endedWithinText
        case (.whole, .lost): isBelowGoAway ? .lostBelowGoAway : .lostAfter
        case (.part, .silent), (.whole, .silent): .silent
        case (.part, .aborted), (.whole, .aborted): .aborted
        }
    }
}

extension AttemptCause {
    /// The event, in words.
    package var meaning: String {
        switch self {
        case .answered: "an answer began to arrive, and then the stream ended, however"
        case .refusedStream: "RST_STREAM with REFUSED_STREAM"
        case .aboveGoAway: "GOAWAY whose last id is below the request's"
        case .lostBelowGoAway: "GOAWAY whose last id is not below it, then the connection ended"
        case .reset: "RST_STREAM with another code"
        case .malformed:
            "an answer that breaks HTTP, so that fanfare resets its stream or closes its connection"
        case .endedBefore: "the connection ended before a byte of the request had left"
        case .endedWithin: "the connection ended before the last byte of the request had left"
        case .endedWithinText: "the same over HTTP/1.1, where a byte of the request had left"
        case .lostAfter: "the connection was lost after the whole request had left"
        case .lateUnsent: "no answer in time, and the request had not left as a whole"
        case .late: "no answer in time, from a peer that lives"
        case .silent: "no sign of life from the peer, and the connection was given up"
        case .aborted: "the second Ctrl-C"
        }
    }

    /// The proof that follows from it, in words.
    package var explanation: String {
        switch self {
        case .answered: "the table of answers says what it means"
        case .refusedStream, .aboveGoAway: "the provider says that it did nothing (RFC 9113 §8.7)"
        case .lostBelowGoAway: "it was about to be processed"
        case .reset, .malformed: "the provider may have begun"
        case .endedBefore: "it cannot have got there"
        case .endedWithin: "without its last byte there is no request, and no whole TLS record"
        case .endedWithinText: "some servers take the end of the connection for the request's"
        case .lostAfter, .silent, .aborted: "it may have got there"
        case .lateUnsent: "the reset keeps the rest of it back"
        case .late: "it got there, as far as anyone knows"
        }
    }
}
