package import FanfareCore

/// The provider to send to, and the credentials for it.
public struct ProviderOptions: Sendable {
    /// The provider.
    public var provider = Provider.apns
    /// The file that describes the service, if there is one.
    package internal(set) var declared: DeclaredOptions?
    /// The provider's address.
    public var endpoint = Endpoint.apns(.production, port: 443)
    /// The credentials.
    public var credentials = Credentials.none
    /// The project of FCM, by its id or number; `nil` for the one that the credentials name.
    public var project: String?
    /// The default of `apns-topic`: the app's bundle id.
    ///
    /// A row's own value wins.
    public var topic: String?
    /// The default of `apns-push-type`.
    public var pushType: String?
    /// The default of `apns-priority`.
    public var priority: String?
    /// The default of `apns-expiration`, in UNIX seconds; `nil` and "0" are not the same.
    public var expiration: String?
    /// The default of `apns-expiration` as a time after the start of the job, which stays the same
    /// when the job is resumed; used when `expiration` is `nil`.
    public var expiresAfter: Duration?
    /// The default of `apns-collapse-id`.
    public var collapseID: String?
    /// The same with placeholders, as a message may have it; used when `collapseID` is `nil`.
    var collapseTemplate: String?
    /// The hosts that rows may name, in place of those in the provider's file; for providers whose rows have
    /// URLs of their own.
    ///
    /// `hooks.example.org` is that host, `.example.org` stands for all hosts below it, `*` for any host; a port
    /// may follow, or `:*`, and else it is the usual one. An address, or the name of this machine, has to be
    /// listed itself.
    public var allowedHosts: [String] = []
    /// True if hosts that rows name may be on this machine, and in networks that are not the public Internet.
    ///
    /// Otherwise they may be asked only at public addresses, so that no row leads into a network of one's own.
    /// Behind a ``proxy``, which looks names up itself, it has to be true: then the proxy decides.
    ///
    /// A program whose rows name many hosts should start with `UV_THREADPOOL_SIZE=512` in its environment: names are
    /// looked up on half of so many threads, and on two by default.
    public var allowsPrivateHosts = false
    /// A file of certificates to trust besides the system's.
    public var caFile: String?
    /// Certificates to trust besides the system's, in PEM.
    public var caPEM: String?
    /// True if the server's certificate is checked.
    ///
    /// Only for loopback addresses the check may be off.
    public var verifiesServer = true
    /// True if rows are only validated, and nothing is delivered.
    ///
    /// FCM is asked about each row (`validate_only`) and finds dead tokens; a row that it would
    /// take is `skipped` for the reason `valid`. APNs offers no such question: its rows are checked
    /// against the rules here, with the same outcome, and no connection is made. Rows need no
    /// payload then.
    public var validatesOnly = false
    /// The provider's identity in a checkpoint, if that is not its address.
    ///
    /// A simulator inside the process has another port in each run, and is the same provider.
    package var identity: String?
    /// The payload of this provider's rows without one of their own; `nil` for
    /// ``Configuration/payload``.
    public var payload: PayloadSource?
    /// Attempts started at this provider; `nil` for no bound but the job's, ``EngineOptions/rate``.
    public var rate: SendingRate?
    /// The HTTP proxy that leads to the provider; `nil` for a direct connection.
    ///
    /// The environment is not asked here; the command-line tool does that.
    public var proxy: Proxy?

    /// True if rows name the hosts that they go to.
    package var hasHostsOfRows: Bool { declared?.provider.origin.isOfRows ?? false }

    /// The address for people.
    package var shownEndpoint: String {
        hasHostsOfRows ? "the URLs of the rows" : endpoint.description
    }

    /// The same as requests name it.
    var shownAuthority: String { hasHostsOfRows ? shownEndpoint : endpoint.authority }

    /// True if the provider requires `apns-topic`: with a provider token it does, while a client
    /// certificate may stand for one topic.
    var requiresTopic: Bool {
        if case .token = credentials { true } else { false }
    }

    /// APNs in production without credentials, which have to be added.
    public init() {}

    /// Google's FCM without credentials, which have to be added.
    public static var fcm: ProviderOptions {
        var options = ProviderOptions()
        options.provider = .fcm
        options.endpoint = .fcm
        return options
    }
}

/// A push service that Fanfare speaks to.
public enum Provider: Sendable, Hashable {
    /// The Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging, by its HTTP v1 API.
    case fcm
    /// One that a file describes, by the name in it.
    case declared(String)

    /// The word for it in columns, options and reports.
    public var rawValue: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .declared(let name): name
        }
    }

    /// The provider that is built in by a name; `nil` for any other name.
    public init?(rawValue: String) {
        guard let found = Self.allCases.first(where: { $0.rawValue == rawValue }) else {
            return nil
        }
        self = found
    }

    package var kind: ProviderKind {
        switch self {
        case .apns: .apns
        case .fcm: .fcm
        case .declared(let name): .declared(DeclaredName(name))
        }
    }

    /// The provider of a kind; `nil` for one that nothing is sent to.
    package init?(_ kind: ProviderKind) {
        switch kind {
        case .apns: self = .apns
        case .fcm: self = .fcm
        case .webpush: return nil
        case .declared(let name): self = .declared(name.text)
        }
    }
}

extension Provider: CaseIterable {
    /// The providers that are built in.
    public static let allCases: [Provider] = [.apns, .fcm]
}

/// An environment of APNs.
public enum ProviderEnvironment: String, Sendable, CaseIterable {
    /// Apps from the App Store and TestFlight.
    case production
    /// Apps started from Xcode.
    case sandbox
}

/// The address of a provider.
public struct Endpoint: Sendable, Equatable, CustomStringConvertible {
    /// A name or an address, without brackets.
    public var host: String
    /// The TCP port.
    public var port: UInt16
    /// True if the connection is encrypted.
    ///
    /// Otherwise (`http://`) HTTP/2 starts by prior knowledge.
    public var usesTLS: Bool

    /// An address of one's own: a gateway, a simulator.
    public init(host: String, port: UInt16, usesTLS: Bool = true) {
        self.host = host
        self.port = port
        self.usesTLS = usesTLS
    }

    /// Apple's address for an environment.
    /// - Parameters:
    ///   - environment: Production, or the sandbox of apps under development.
    ///   - port: 443, or 2197 where a firewall wants it.
    /// - Returns: The address, with TLS.
    public static func apns(_ environment: ProviderEnvironment, port: UInt16) -> Endpoint {
        switch environment {
        case .production: Endpoint(host: APNsEnvironment.production.host, port: port)
        case .sandbox: Endpoint(host: APNsEnvironment.sandbox.host, port: port)
        }
    }

    /// Google's address for FCM.
    public static let fcm = Endpoint(host: "fcm.googleapis.com", port: 443)

    /// The value of `:authority`.
    public var authority: String {
        port == (usesTLS ? 443 : 80) ? Self.inURL(host) : Self.inURL(host, port)
    }

    /// A host as URLs have it: an IPv6 address in brackets. RFC 3986 §3.2.2
    private static func inURL(_ host: String) -> String {
        host.contains(":") ? "[\(host)]" : host
    }

    static func inURL(_ host: String, _ port: UInt16) -> String { "\(inURL(host)):\(port)" }

    /// The scheme of its URLs.
    var scheme: String { usesTLS ? "https" : "http" }

    /// The address as a URL.
    public var description: String { "\(scheme)://\(authority)" }
}

/// The credentials that a job shows to the provider.
///
/// They are paths of files: the configuration contains no secret.
public enum Credentials: Sendable, Equatable {
    /// No credentials: for a simulator, or a server that does not ask for any.
    case none
    /// A provider token, signed with an ES256 key from Apple.
    case token(keyFile: String, keyID: String, teamID: String)
    /// A client certificate, PEM or PKCS#12.
    case certificate(file: String, keyFile: String?, passphraseFile: String?)
    /// The key file of a Google service account, or the configuration of a workload identity.
    case serviceAccount(file: String)
    /// A file in which another program keeps an access token of Google's.
    case accessToken(file: String)
    /// The metadata server of a machine in Google's cloud, which gives access tokens to its programs and
    /// names the project.
    ///
    /// A host, with or without a port, is one of Google's names for it or on this machine; `nil` is
    /// `metadata.google.internal`.
    case metadataServer(host: String? = nil)
}
