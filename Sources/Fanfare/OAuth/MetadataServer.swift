import FanfareBase
import FanfareCore
import FanfareTLS

/// The server that tells a machine of Google's cloud about itself, and gives it access tokens.
///
/// It is asked without TLS, over a network that does not leave the machine.
///
/// https://cloud.google.com/compute/docs/access/authenticate-workloads
package struct MetadataServer: Sendable {
    /// Its names and address; search domains make `metadata` of the first one.
    private static let hosts = ["metadata.google.internal", "metadata", "169.254.169.254"]

    package let endpoint: Endpoint

    /// - Parameter host: Another host with or without a port, as GCE_METADATA_HOST names it.
    /// - Throws: `FanfareError.Code.configuration` if it is neither Google's nor this machine.
    package init(host: String? = nil) throws(FanfareError) {
        guard let host else {
            endpoint = Endpoint(host: Self.hosts[0], port: 80, usesTLS: false)
            return
        }
        guard let (name, port) = try? GoogleURL.hostAndPort(host),
            Self.hosts.contains(name) && port ?? 80 == 80 || GoogleURL.isLoopback(name)
        else {
            throw FanfareError(
                .configuration,
                "GCE_METADATA_HOST is '\(TerminalText.shown(host, max: 80))', and tokens are taken "
                    + "from \(Self.hosts[0]) or this machine only")
        }
        endpoint = Endpoint(host: name, port: port ?? 80, usesTLS: false)
    }

    private static let path = "/computeMetadata/v1/"
    /// Without it nothing is answered, so that no web page can have a browser ask.
    private static let fields = [("metadata-flavor", Secret("Google"))]

    /// The request for an access token.
    package var tokenRequest: TokenRequest {
        TokenRequest(
            .metadata, endpoint: endpoint, method: "GET",
            path: Self.path + "instance/service-accounts/default/token?scopes="
                + FormText.escaped(TokenRequest.scope),
            fields: Self.fields, body: nil)
    }

    /// The request for the id of the machine's project; see `project`.
    package var projectRequest: TokenRequest {
        TokenRequest(
            .metadata, endpoint: endpoint, method: "GET", path: Self.path + "project/project-id",
            fields: Self.fields, body: nil)
    }

    /// The project in the answer to `projectRequest`; nil if it is none.
    package static func project(
        status: UInt16, body: UnsafeBufferPointer<UInt8>
    ) -> String? {
        let text = unsafe String(decoding: body, as: UTF8.self)
        return status == 200 && GoogleProject.isValid(text) ? text : nil
    }
}

/// The id of a project of Google's, or its number.
package enum GoogleProject {
    /// Returns true if a text can be a project's id, and so stand in a path.
    ///
    /// An id has letters, digits, `-`, and in those of old domains `.` and `:`
    /// (`example.com:project`).
    package static func isValid(_ text: String) -> Bool {
        (1...100).contains(text.utf8.count)
            && text.utf8.first != UInt8(ascii: ".")
            && text.utf8.allSatisfy { $0.isLetterOrDigit || "-.:".utf8.contains($0) }
    }

    /// Returns the project to send for.
    /// - Parameters:
    ///   - given: The project that the user has named.
    ///   - found: The project that the credential names.
    ///   - credential: The credential's name in a message, its file; `nil` without one.
    ///   - hints: The settings that the user may give.
    /// - Returns: Its id or number.
    /// - Throws: `FanfareError.Code.configuration` if there is none.
    package static func chosen(
        given: String?, found: String?, credential: String?, hints: GoogleHints
    ) throws(FanfareError) -> String {
        guard let project = given ?? found else {
            guard let credential else {
                throw FanfareError(
                    .configuration,
                    "without a credential nothing says which project the messages are of; name it "
                        + "with \(hints.project)")
            }
            throw FanfareError(
                .configuration,
                "\(credential) does not say which project it is for; name it with \(hints.project)")
        }
        guard isValid(project) else {
            throw FanfareError(
                .configuration,
                "'\(TerminalText.shown(project, max: 80))' is no project's id; it stands in the "
                    + "Firebase console, at Project settings. Name it with \(hints.project)")
        }
        return project
    }
}
