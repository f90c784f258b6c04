import FanfareBase

/// The reason why the endpoint issues no access token, in OAuth's words. RFC 6749 §5.2
struct OAuthRefusal: Error, Equatable {
    var status = 400
    var error: String
    var description: String

    init(status: Int = 400, _ error: String, _ description: String) {
        self.status = status
        self.error = error
        self.description = description
    }

    static func missing(_ parameter: String) -> OAuthRefusal {
        OAuthRefusal("invalid_request", "Required parameter is missing: \(parameter)")
    }

    static let unreasonableTime = OAuthRefusal(
        "invalid_grant",
        "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe. "
            + "Check your iat and exp values in the JWT claim.")

    /// Creates the refusal of a rule's answer: its reason is an error, with a description behind a
    /// colon.
    init(_ answer: ScenarioAnswer) {
        let usual =
            switch answer.status {
            case 400: "invalid_grant"
            case 401: "invalid_client"
            case 429: "rate_limit_exceeded"
            case 503, 504: "temporarily_unavailable"
            default: "internal_failure"
            }
        let parts = answer.reason.parts(at: ": ")
        let error = parts?.0 ?? answer.reason
        self.init(status: answer.status, error.isEmpty ? usual : error, parts?.1 ?? "")
    }

    var answer: GoogleAnswer {
        GoogleAnswer(
            status: status, word: error,
            .object(
                [.init("error", error)]
                    + (description.isEmpty ? [] : [.init("error_description", description)])),
            isPretty: false)
    }
}
