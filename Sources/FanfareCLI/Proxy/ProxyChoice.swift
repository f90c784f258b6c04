import Fanfare
import FanfareCore

/// The choice of a proxy that leads to the provider, if any.
///
/// `--proxy` decides, for every host. Without it the environment may name a proxy, as for curl, but
/// not for servers on this machine: no user who sets `https_proxy` means a server on a loopback
/// address.
extension Proxy {
    /// - Parameters:
    ///   - arguments: The arguments of a command with the provider's options.
    ///   - endpoint: The provider's address.
    ///   - isSimulator: True if it is inside this process, though the endpoint does not say so yet.
    ///   - variable: The environment.
    /// - Throws: `UsageError` about an option or a variable, without a password.
    init?(
        _ arguments: ParsedArguments, to endpoint: Endpoint, isSimulator: Bool,
        variable: (String) -> String?
    ) throws(UsageError) {
        if arguments[Options.noProxy] { return nil }
        let file = arguments[Options.proxyCredentialsFile]
        if let address = arguments[Options.proxy] {
            self.init(host: address.host, port: address.port)
        } else {
            let isLocal =
                isSimulator || !endpoint.usesTLS
                || HostPort(host: endpoint.host, port: endpoint.port).isLoopback
            if isLocal { return nil }
            guard let found = Self.value(of: Self.names, variable) else {
                guard file != nil else { return nil }
                throw arguments.error(
                    Options.proxyCredentialsFile,
                    "there is no proxy; give --proxy as well, or set https_proxy")
            }
            let exceptions = Self.value(of: ["no_proxy", "NO_PROXY"], variable)?.value ?? ""
            if NoProxyList(exceptions).contains(endpoint.host, port: endpoint.port) { return nil }
            self = try Self.read(found.value, of: found.name, arguments.command)
        }
        if let file { credentials = .file(file) }
    }

    /// The variables that may name it, as curl reads them for `https://`: the one for all schemes comes last.
    private static let names = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

    /// The first of some variables that is set, as curl looks for them: the small letters win.
    private static func value(
        of names: [String], _ variable: (String) -> String?
    ) -> (name: String, value: String)? {
        for name in names {
            if let value = variable(name), !value.isEmpty { return (name, value) }
        }
        return nil
    }

    /// Reads `http://user:password@host:port`; the secret part stays in the variable.
    private static func read(
        _ text: String, of name: String, _ command: CommandSpec
    ) throws(UsageError) -> Proxy {
        var bytes = Array(text.utf8)
        let userInfo = UserInfo.range(in: bytes)
        if let userInfo { bytes.removeSubrange(userInfo.lowerBound...userInfo.upperBound) }
        do throws(ValueFault) {
            let address = try ValueReader.proxy(String(decoding: bytes, as: UTF8.self))
            var proxy = Proxy(host: address.host, port: address.port)
            if userInfo != nil { proxy.credentials = .environment(name) }
            return proxy
        } catch {
            // A text that does not read as a proxy's address may contain its password anywhere.
            let problem =
                text.contains("@")
                ? "this is no proxy's address, such as http://user:password@host:port; write "
                    + "special characters of user and password as in %40"
                : "\(text.quotedForMessage) \(error.problem)"
                    + (error.example.map { "; write for example \($0.quotedForShell)" } ?? "")
            throw UsageError(
                command: command.name, "\(name): \(problem). --no-proxy does without")
        }
    }
}
