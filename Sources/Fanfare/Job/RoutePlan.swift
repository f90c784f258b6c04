import FanfareBase
import FanfareCore

/// A route of a plan: the settings for one of the job's providers.
struct RoutePlan: Sendable {
    /// The provider, and the credentials for it.
    let options: ProviderOptions
    /// The source of its payloads.
    let payload: PayloadSource
    /// The texts that its payloads are made of; none where rows bring them.
    let templates: [NamedTemplate]
    /// The service that makes requests of its rows, as far as it is known without credentials.
    let service: any PushService
    /// The settings for the preparation of its rows.
    let preparation: PreparationSettings
    /// The places of its template's values in a row.
    let templateSlots: [Int]

    /// The name of the provider, where a job has several; `nil` where there is only this one.
    var name: String? { preparation.providerSlot == nil ? nil : options.provider.rawValue }

    /// The provider, as rows name it.
    var kind: ProviderKind { options.provider.kind }
}

extension Configuration {
    /// Returns the source of a route's payloads.
    package func payload(of route: ProviderOptions) -> PayloadSource {
        if let own = route.payload { return own }
        // A description decides what is sent; it has columns for a message, and may have a place for a
        // template.
        guard let declared = route.declared else { return payload }
        switch payload {
        case .template, .chosen: return declared.takesPayload ? payload : .column
        case .column, .message: return payload
        }
    }

    /// Returns the text of one value for each route: the value of a single route, else all values
    /// with their providers.
    func byRoute(_ value: (ProviderOptions) -> String?) -> String? {
        guard routes.count > 1 else { return value(provider) }
        let values = routes.compactMap { route in
            value(route).map { "\(route.provider.rawValue)=\($0)" }
        }
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}
