import Fanfare
import FanfareBase
import FanfareCore
import FanfareLoop
import FanfareTLS

/// Providers that files describe, as a command line names them.
extension ProviderOptions {
    /// The described providers of a job, in the order in which they are named.
    static func described(_ arguments: ParsedArguments) throws(CommandError) -> [ProviderOptions] {
        let choices = arguments[ifOffered: Options.provider]
        guard !choices.described.isEmpty else {
            for option in Options.Declared.settings where arguments.has(option.spec) {
                throw arguments.fault(
                    "--\(option.spec.name) goes with a provider that a file describes; "
                        + "--provider names it")
            }
            return []
        }
        // Other commands have a payload and a token for each row, and no columns.
        guard arguments.command.option(named: Options.Declared.set.name) != nil else {
            throw arguments.fault(
                Options.provider,
                "\(choices.described[0].quotedForMessage) is described by a file; fanfare send "
                    + "sends to it")
        }
        guard !choices.isSimulated else {
            throw arguments.fault(
                Options.provider,
                "the simulator stands for \(Provider.allCases.map(\.rawValue).joined(last: " and ")), "
                    + "and for no provider that a file describes")
        }
        var files: [ProviderFile] = []
        for name in choices.described {
            let file = try ProviderCommand.file(name, arguments)
            if files.contains(where: { $0.provider.name == file.provider.name }) {
                throw arguments.fault(Options.provider, "\(file.provider.name) is named twice")
            }
            files.append(file)
        }
        var routes: [ProviderOptions] = []
        for file in files {
            let settings = try DeclaredValues(arguments, files).settings(of: file)
            do throws(FanfareError) {
                var route = try ProviderOptions(file, settings)
                if route.hasHostsOfRows {
                    route.allowedHosts = arguments[Options.Declared.allowHost]
                    route.allowsPrivateHosts = arguments[Options.Declared.allowPrivateHosts]
                    // libuv looks names up on half of its threads, of which there are four else: a few
                    // names without an answer would hold up all others.
                    Terminal.setDefault(
                        "UV_THREADPOOL_SIZE", "\(Resolver.threadsWanted)")
                }
                routes.append(route)
            } catch {
                throw .job(error)
            }
        }
        guard routes.contains(where: \.hasHostsOfRows) else {
            let options = [
                Options.Declared.allowHost.spec, Options.Declared.allowPrivateHosts.spec,
            ]
            for option in options where arguments.has(option) {
                throw arguments.fault(
                    option,
                    "is for providers whose rows have URLs of their own, and "
                        + "\(routes.map(\.provider.rawValue).joined(last: " and ")) has none")
            }
            return routes
        }
        return routes
    }
}

/// The values that a command line gives for the settings of descriptions.
struct DeclaredValues {
    private let arguments: ParsedArguments
    private let files: [ProviderFile]

    /// - Parameters:
    ///   - arguments: The arguments with `--set` and `--secret`.
    ///   - files: All descriptions that they may be for.
    init(_ arguments: ParsedArguments, _ files: [ProviderFile]) {
        self.arguments = arguments
        self.files = files
    }

    /// The values for one of the descriptions.
    /// - Throws: `CommandError` about names that none has, and files that cannot be read.
    func settings(of file: ProviderFile) throws(CommandError) -> ProviderSettings {
        var given: [(name: String, value: String)] = []
        for (key, value) in arguments[Options.Declared.set] {
            if let name = try self.name(key, of: file) { given.append((name, value)) }
        }
        var secrets: [(name: String, value: Secret)] = []
        for (key, path) in arguments[Options.Declared.secret] {
            guard let name = try self.name(key, of: file) else { continue }
            do throws(TLSError) {
                secrets.append((name, try Secret(wholeFile: path).withoutLineEnd))
            } catch {
                throw .job(FanfareError(.input, message: "\(error)"))
            }
        }
        do throws(ProviderSettings.Fault) {
            return try ProviderSettings(file.provider, given: given, secrets: secrets)
        } catch {
            let advice =
                switch error {
                case .missing(let name, _), .noSecret(let name, _): "; write --set \(name)=VALUE"
                case .secret(let name, _): "; write --secret \(name)=@FILE"
                case .unusable: "; write its value into the file, and nothing else"
                case .unknown, .refused: ""
                }
            throw .job(FanfareError(.configuration, message: error.text + advice))
        }
    }

    /// The name of a setting, if it is one of a description's; `ntfy.url` is for one of several.
    private func name(_ key: String, of file: ProviderFile) throws(CommandError) -> String? {
        if let (provider, name) = key.parts(at: "."),
            let owner = files.first(where: { $0.provider.name == provider })
        {
            return owner.provider.name == file.provider.name ? name : nil
        }
        let owners = files.filter { file in
            file.provider.settings.contains { $0.name == key }
        }.map(\.provider.name)
        guard owners.count < 2 else {
            throw arguments.fault(
                "\(key) is a setting of \(owners.joined(last: " and ")); write "
                    + "\(owners[0]).\(key)=… for one of them")
        }
        // A setting that no provider owns is reported for the first one.
        let owner = owners.first ?? files.first?.provider.name
        return owner == file.provider.name ? key : nil
    }
}
