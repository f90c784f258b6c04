/// The path of a request for FCM: `/v1/projects/{project}/messages:send`, and the query behind it.
package struct FCMPath: Equatable, Sendable {
    /// The beginning of all such paths.
    static let prefix: StaticString = "/v1/projects/"

    /// The project's id or number; empty if the path is not one that is served.
    package let project: String
    /// True if answers have lines and indentation, which is the default.
    package let isPretty: Bool
    /// A parameter of the query that no service of Google knows.
    package let unknownParameter: String?

    /// The parameters that all services of Google have.
    ///
    /// Source: the discovery document of fcm.googleapis.com/v1.
    private static let parameters: Set<String> = [
        "$.xgafv", "access_token", "alt", "callback", "fields", "key", "oauth_token", "prettyPrint",
        "quotaUser", "uploadType", "upload_protocol",
    ]

    /// Reads a path.
    /// - Parameter path: The path, with the query if there is one.
    package init(_ path: String) {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let places = parts[0].split(separator: "/", omittingEmptySubsequences: false)
        // The first is the text before the first slash.
        let isServed = places.count == 5 && places[1] == "v1" && places[4] == "messages:send"
        project = isServed ? String(places[3]) : ""
        let query = parts.count == 2 ? FormText(parts[1]).members : []
        isPretty = !query.contains {
            $0.name == "prettyPrint" && ["false", "0"].contains($0.value)
        }
        unknownParameter = query.first { !Self.parameters.contains($0.name) }?.name
    }
}
