import FanfareBase

/// The bounds of requests to token services.
extension Limits {
    /// The time for one request, from the look-up of the name to the end of the answer.
    ///
    /// Google's services answer within a second; as long as a connection may take to be set up.
    static let tokenAnswerTime = Duration.seconds(10)

    /// The bytes of an answer that are read.
    ///
    /// Tokens of 2 KiB are long ones, and `accessTokenBytesMax` is 8.
    static let tokenAnswerBytes = 16 * 1024

    /// The time between looks at a file that another program keeps a token in.
    ///
    /// `gcloud` writes a new token when the old one has minutes left.
    static let tokenFileLook = Duration.seconds(20)

    /// The time for one request to a metadata server, which is on the machine, and how often it is asked.
    ///
    /// As google-auth has it (`compute_engine/_metadata.py`).
    static let metadataTime = Duration.seconds(3)
    static let metadataTries = 3
}
