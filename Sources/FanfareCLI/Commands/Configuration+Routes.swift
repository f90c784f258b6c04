import Fanfare
import FanfareBase

extension Configuration {
    /// Reads the providers that get the rows, and the settings of each.
    ///
    /// This comes before all settings of single providers.
    mutating func readRoutes(_ arguments: ParsedArguments) throws(CommandError) {
        let described = try ProviderOptions.described(arguments)
        let builtIn = try Self.providers(arguments, besides: described)
        routes = builtIn.map { $0 == .fcm ? .fcm : ProviderOptions() } + described
        let providers = routes.map(\.provider)
        try checkWords(arguments)
        for (word, provider) in arguments[ifOffered: Options.route] {
            try Self.require(provider, in: providers, Options.route.spec, arguments)
            if let other = rows.providerWords[word], other != provider {
                throw arguments.fault(
                    Options.route, "\(word.quotedForMessage) is for one provider, and not two")
            }
            rows.providerWords[word] = provider
        }
        for option in Self.ofAPNs where arguments.has(option) {
            // Some words of this one are for all providers.
            if option.name == Options.priority.name,
                arguments.text(option).flatMap(Message.Priority.init(rawValue:)) != nil
            {
                continue
            }
            try Self.require(.apns, in: providers, option, arguments)
        }
        try checkOwn(Options.endpoint, arguments)
        let endpoints = arguments[ifOffered: Options.endpoint]
        for route in routes where route.hasHostsOfRows && endpoints[route.provider] != nil {
            throw arguments.fault(
                Options.endpoint,
                "\(route.provider.rawValue) has a URL in each row, and no other address")
        }
    }

    /// Refuses words for providers that the job does not have.
    private func checkWords(_ arguments: ParsedArguments) throws(CommandError) {
        for (_, provider) in arguments[ifOffered: Options.route] {
            guard case .declared(let name) = provider, ShippedProvider(named: name) == nil,
                !routes.contains(where: { $0.provider == provider })
            else { continue }
            let known =
                Provider.allCases
                + routes.map(\.provider).filter {
                    !Provider.allCases.contains($0)
                }
            let fault = ValueReader.fault(name, noneOf: known.map(\.rawValue))
            let advice = fault.example.map { "; did you mean \($0)?" } ?? ""
            throw arguments.fault(
                Options.route, "\(name.quotedForMessage) \(fault.problem)\(advice)")
        }
    }

    /// Options that only APNs has a use for.
    private static let ofAPNs = [
        Options.topic.spec, Options.pushType.spec, Options.priority.spec, Options.expiration.spec,
        Options.collapseID.spec, Options.environment.spec, Options.port.spec,
    ]

    /// The providers that are named, or those whose credentials are given; where none is, APNs, or who can be asked.
    private static func providers(
        _ arguments: ParsedArguments, besides described: [ProviderOptions]
    ) throws(CommandError) -> [Provider] {
        let named = arguments[ifOffered: Options.provider].providers
        let signs: [(option: OptionSpec, provider: Provider)] = [
            (Options.key.spec, .apns), (Options.certificate.spec, .apns),
            (Options.serviceAccount.spec, .fcm), (Options.accessTokenFile.spec, .fcm),
            (Options.metadataServer.spec, .fcm), (Options.project.spec, .fcm),
        ]
        let given = signs.filter { arguments.has($0.option) }
        guard named.isEmpty && described.isEmpty else {
            for (option, provider) in given {
                try require(
                    provider, in: named + described.map(\.provider), option, arguments)
            }
            return named
        }
        let endpoints = arguments[ifOffered: Options.endpoint].providers
        if let other = endpoints.first(where: { !Provider.allCases.contains($0) }) {
            try require(other, in: [.apns], Options.endpoint.spec, arguments)
        }
        let found = given.map(\.provider) + endpoints
        if found.isEmpty, arguments[ifOffered: Options.online] { return [.fcm] }
        return found.isEmpty ? [.apns] : Provider.allCases.filter(found.contains)
    }

    /// Checks that an option names only providers of the job.
    func checkOwn<Value>(
        _ option: Option<ByRoute<Value>>, _ arguments: ParsedArguments
    ) throws(CommandError) {
        for provider in arguments[ifOffered: option].providers {
            try Self.require(
                provider, in: routes.map(\.provider), option.spec, arguments)
        }
    }

    private static func require(
        _ provider: Provider, in providers: [Provider], _ option: OptionSpec,
        _ arguments: ParsedArguments
    ) throws(CommandError) {
        guard !providers.contains(provider) else { return }
        let others = providers.map(\.rawValue).joined(last: " and ")
        throw arguments.fault(
            option,
            "is for \(provider.rawValue), and this job sends to \(others); --provider "
                + "\((providers + [provider]).map(\.rawValue).joined(separator: ",")) is for both"
        )
    }

    /// Changes the route of a provider, if the job has one.
    mutating func change(
        _ provider: Provider, _ body: (inout ProviderOptions) -> Void
    ) {
        for index in routes.indices where routes[index].provider == provider {
            body(&routes[index])
        }
    }

    /// Changes all routes.
    mutating func changeAll(_ body: (inout ProviderOptions) -> Void) {
        for index in routes.indices { body(&routes[index]) }
    }
}
