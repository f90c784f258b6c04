import FanfareBase
import FanfareCore
import FanfareLoop

/// An address of Google's that a credential is shown to.
///
/// A key file names the address for its key. The author of a malicious file could name a server of
/// his own, so only known hosts are allowed.
package struct GoogleURL: Equatable, Sendable {
    /// The reason why an address is not used.
    enum Fault: Error, Equatable {
        /// It is no URL as it is needed here.
        case malformed
        /// The host is none of Google's, and not this machine.
        case otherHost(String)
        /// The port is not Google's usual one, or the address is in the clear and not this
        /// machine's.
        case otherPort
    }

    package let endpoint: Endpoint
    package let path: String
    /// As it was written.
    let text: String
    /// False if it is this machine, as in tests and with simulators.
    let isGoogles: Bool

    /// The longest URL that is read; those of Google have some 150 bytes.
    private static let bytesMax = 2048

    /// Reads a URL: `https://oauth2.googleapis.com/token`.
    init(_ text: String) throws(Fault) {
        guard text.utf8.count <= Self.bytesMax,
            text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\\#?\"<>".utf8.contains($0) }),
            let (scheme, rest) = text.parts(at: "://"),
            let (authority, path) = rest.parts(at: "/"),
            // A path that leads back is another one for some servers.
            !path.contains(".."), !path.lowercased().contains("%2e")
        else { throw .malformed }
        let isSecure: Bool
        switch scheme.lowercased() {
        case "https": isSecure = true
        case "http": isSecure = false
        default: throw .malformed
        }
        let (host, port) = try Self.hostAndPort(authority)
        let usual: UInt16 = isSecure ? 443 : 80
        if Self.isLoopback(host) {
            isGoogles = false
        } else {
            guard Self.isGoogles(host, String(path)) else { throw .otherHost(host) }
            guard isSecure, port ?? usual == usual else { throw .otherPort }
            isGoogles = true
        }
        self.text = text
        endpoint = Endpoint(host: host, port: port ?? usual, usesTLS: isSecure)
        self.path = "/" + path
    }

    /// Reads a member of a key file.
    /// - Throws: `FanfareError.Code.configuration`, which says what the member names.
    init(_ text: String, member: String, file: String) throws(FanfareError) {
        do throws(Fault) {
            try self.init(text)
        } catch {
            let shown = TerminalText.shown(text, max: 80)
            switch error {
            case .malformed:
                throw FanfareError(
                    .configuration, "\(file): '\(member)' is no URL: '\(shown)'")
            case .otherHost(let host):
                throw FanfareError(
                    .configuration,
                    "\(file): '\(member)' names \(TerminalText.shown(host, max: 80)), and keys are "
                        + "shown only to Google's services that give tokens (oauth2, sts and "
                        + "iamcredentials.googleapis.com); get the file from Google again")
            case .otherPort:
                throw FanfareError(
                    .configuration,
                    "\(file): '\(member)' is '\(shown)', and Google is asked by https at its usual "
                        + "port only; get the file from Google again")
            }
        }
    }

    /// A host and its port, in small letters and without brackets.
    static func hostAndPort(_ authority: String) throws(Fault) -> (String, UInt16?) {
        guard let parts = AuthorityText(authority) else { throw .malformed }
        let (host, port) = (parts.host, parts.port)
        if parts.isBracketed {
            guard SocketAddress(String(host), port: 0) != nil, host.contains(":") else {
                throw .malformed
            }
            return (host.lowercased(), port)
        }
        // A text that could be read in two ways, such as one with a user's name, is no host.
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isName = labels.allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") }
        }
        guard isName else { throw .malformed }
        return (host.lowercased(), port)
    }

    /// True if a label is one such as `us-east1`, and not `storage`.
    private static func isRegion(_ label: Substring) -> Bool {
        label.contains("-") && label.last?.isNumber == true
    }

    /// The services that give tokens.
    private static let services = ["oauth2", "sts", "iamcredentials"]

    /// The addresses of older key files, at hosts that do more than give tokens: `https://www.googleapis.com/oauth2/v4/token`.
    private static let olderPaths = [
        "accounts.google.com": ["o/oauth2/token", "o/oauth2/v2/token"],
        "www.googleapis.com": ["oauth2/v3/token", "oauth2/v4/token"],
    ]

    /// Returns true if an address gives tokens.
    ///
    /// Others of Google's have what anybody puts there, such as a bucket with a file that looks like an answer. The
    /// regional forms are those of Google's own libraries: google-auth-library-python,
    /// `google/auth/external_account.py`, and those of regional endpoints, `sts.REGION.rep.googleapis.com`.
    private static func isGoogles(_ host: String, _ path: String) -> Bool {
        if let paths = olderPaths[host] { return paths.contains(path) }
        let suffix = ".googleapis.com"
        guard host.hasSuffix(suffix) else { return false }
        let labels = host.dropLast(suffix.utf8.count)
            .split(separator: ".", omittingEmptySubsequences: false)
        return services.contains { service in
            switch labels.count {
            case 1: labels[0] == service || labels[0].hasSuffix("-" + service)
            case 2:
                labels[1] == service
                    || labels[0] == service && (labels[1] == "mtls" || isRegion(labels[1]))
                    || labels[0].hasPrefix(service + "-") && labels[1] == "p"
            case 3: labels[0] == service && labels[2] == "rep"
            default: false
            }
        }
    }

    /// True if a host is this machine.
    static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || SocketAddress(host, port: 0)?.isLoopback == true
    }
}
