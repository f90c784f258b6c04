/// Names that scenarios use, at the place of their number.
enum ErrorCodes {
    /// The error codes of HTTP/2.
    ///
    /// RFC 9113 §7
    static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The reason of a status that has only one at APNs, or one that is far more common than the others.
    ///
    /// At Google's services the body follows from the status.
    static func usualReason(status: UInt64, of service: SimulatedService?) -> String {
        guard service == nil || service == .apns else { return "" }
        return switch status {
        case 404: "BadPath"
        case 405: "MethodNotAllowed"
        case 410: "Unregistered"
        case 413: "PayloadTooLarge"
        case 429: "TooManyRequests"
        case 500: "InternalServerError"
        case 503: "ServiceUnavailable"
        default: ""
        }
    }
}
