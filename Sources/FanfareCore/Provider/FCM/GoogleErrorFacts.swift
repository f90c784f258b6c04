/// The facts in the body of a refusal, in the form of Google's services, as far as we judge them.
///
/// ```
/// {"error":{"code":404,"message":"…","status":"NOT_FOUND","details":[
///     {"@type":"type.googleapis.com/google.firebase.fcm.v1.FcmError","errorCode":"UNREGISTERED"}]}}
/// ```
///
/// https://google.aip.dev/193
package struct GoogleErrorFacts: Equatable, Sendable {
    /// The origin of the word of a refusal: the nearest to the case is taken.
    package enum Source: UInt8, Sendable {
        /// There is none.
        case nothing
        /// `error.status`, which is little more than the HTTP status.
        case status
        /// The reason of a `google.rpc.ErrorInfo`: the cause that has kept Google from asking the
        /// service.
        case info
        /// The code of an `FcmError`: FCM's own word.
        case fcm
    }

    /// The part of the request that a `google.rpc.BadRequest` names.
    package enum Part: UInt8, Sendable {
        case nothing
        /// The registration token.
        case token
        /// Something else in the message.
        case other
    }

    /// Whose quota a `google.rpc.QuotaFailure` names.
    package enum Quota: UInt8, Sendable {
        case nothing
        case device
        case topic
        /// Neither: the project's.
        case project
    }

    package var source: Source
    package var part: Part
    package var quota: Quota

    /// Collects facts; without any the body says that there was an error, and no more.
    package init(source: Source = .nothing, part: Part = .nothing, quota: Quota = .nothing) {
        self.source = source
        self.part = part
        self.quota = quota
    }
}
