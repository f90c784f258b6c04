/// The reason why a row was not sent: the `reason` of the outcomes `invalid` and `skipped`.
///
/// Faults of reading (a bad line of CSV or JSON) are `RowFault`s; these are about the values that
/// were read.
package enum RowProblem: UInt8, Error, CaseIterable, Sendable {
    case tokenMissing
    case tokenEmpty
    case tokenTooShort
    case tokenTooLong
    case tokenNotHexadecimal
    case tokenInvalid
    case tokenRounded
    /// Another provider has given it to the app.
    case tokenOfFCM
    /// Tokens are bytes.
    case tokenCutOff
    /// The file that describes the provider has another shape of tokens.
    case tokenOfOtherShape
    case topicMissing
    case topicInvalid
    case pushTypeInvalid
    case priorityInvalid
    case priorityNotAllowed
    case expirationInvalid
    case collapseIDTooLong
    case collapseIDInvalid
    case apnsIDInvalid
    case payloadMissing
    /// None of the payloads that rows choose from is for it.
    case payloadNotChosen
    case payloadEmpty
    case payloadNotJSON
    case payloadNotAnObject
    case payloadWithoutMessage
    case payloadTooLarge
    /// It would end the field, or is empty.
    case fieldInvalid
    /// The URL of the row leads to a host, a port or an address that is not asked.
    case urlRefused
    case templateValueMissing
    case templateValueNotJSON
    /// The file that describes the provider has a rule for the values of the column.
    case valueRefused
    case carriedTooLarge
    case rowTooLargeToKeep
    case zoneMissing
    case zoneUnknown
    case providerUnknown
    case providerNotInJob
    case tokenOfNoProvider
    /// The outcome is `failed`: other rows for the host were sent, or it could not be reached.
    case hostGivenUp
    /// The outcome is `skipped`.
    case tokenDuplicate
    /// The outcome is `skipped`.
    case tokenSuppressed
    /// The outcome is `skipped`.
    case deadlinePassed
    /// The outcome is `skipped`.
    case expirationPassed
    /// The outcome is `skipped`.
    case outsideWindow

    /// The text in the report.
    ///
    /// The texts are fixed: they are tallied, and people search for them.
    package var text: StaticString {
        switch self {
        case .tokenMissing: "token is missing"
        case .tokenEmpty: "token is empty"
        case .tokenTooShort: "token is too short"
        case .tokenTooLong: "token is too long"
        case .tokenNotHexadecimal: "token is not hexadecimal"
        case .tokenInvalid: "token has characters that no token has"
        case .tokenRounded: "token was rounded to a number by a spreadsheet (like 1.2E+63)"
        case .tokenOfFCM: "token is one of FCM's"
        case .tokenCutOff: "token has an odd number of digits"
        case .tokenOfOtherShape: "token does not look like the provider's"
        case .topicMissing: "topic is missing"
        case .topicInvalid: "topic is not a valid header value"
        case .pushTypeInvalid: "push_type is not a valid header value"
        case .priorityInvalid: "priority must be 1 or 5 or 10"
        case .priorityNotAllowed: "priority must be 5 for background pushes"
        case .expirationInvalid: "expiration is not 0 or a time in unix seconds"
        case .collapseIDTooLong: "collapse_id is longer than 64 bytes"
        case .collapseIDInvalid: "collapse_id is not a valid header value"
        case .apnsIDInvalid: "apns_id is not a UUID"
        case .payloadMissing: "payload is missing"
        case .payloadNotChosen: "no payload is for the row's value"
        case .payloadEmpty: "payload is empty"
        case .payloadNotJSON: "payload is not JSON"
        case .payloadNotAnObject: "payload is not a JSON object"
        case .payloadWithoutMessage: "payload has no message"
        case .payloadTooLarge: "payload is too large"
        case .fieldInvalid: "a header field has no valid value"
        case .urlRefused: "URL is not one to send to"
        case .templateValueMissing: "a value of the template is missing"
        case .templateValueNotJSON: "a value of the template is not JSON"
        case .valueRefused: "a value is not one that the provider takes"
        case .carriedTooLarge: "id and carried columns are too large"
        case .rowTooLargeToKeep: "row is too large for --retry-rows"
        case .zoneMissing: "time zone is missing"
        case .zoneUnknown: "time zone is unknown"
        case .providerUnknown: "provider is unknown"
        case .providerNotInJob: "the job does not send to this provider"
        case .tokenOfNoProvider: "token fits no provider of this job"
        case .hostGivenUp: "host was given up"
        case .tokenDuplicate: "token is a duplicate"
        case .tokenSuppressed: "token is suppressed"
        case .deadlinePassed: "deadline has passed"
        case .expirationPassed: "expiration has passed"
        case .outsideWindow: "hours are closed"
        }
    }

    /// The outcome of a row with this problem.
    package var outcome: Outcome {
        switch self {
        case .tokenDuplicate, .tokenSuppressed, .deadlinePassed, .expirationPassed, .outsideWindow:
            .skipped
        case .hostGivenUp: .failed
        default: .invalid
        }
    }
}
