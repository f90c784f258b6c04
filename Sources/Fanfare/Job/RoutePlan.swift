import FanfareBase
import FanfareCore

/// A route of a plan: what is sent to one of the job's providers.
struct RoutePlan: Sendable {
    /// Whom it is sent to, and as whom.
    let options: ProviderOptions
    /// Where its payloads come from.
    let payload: PayloadSource
    /// The text that its payloads are made of; `nil` where rows bring them.
    let template: [UInt8]?
    /// What makes requests of its rows, as far as that is known without credentials.
    let service: any PushService
    /// What its rows are prepared by.
    let preparation: PreparationSettings
    /// Where the values of its template lie in a row.
    let templateSlots: [Int]

    /// The name of the provider, where a job has several; `nil` where there is only this one.
    var name: String? { preparation.providerSlot == nil ? nil : options.provider.rawValue }

    /// The provider, as rows name it.
    var kind: ProviderKind { options.provider.kind }
}

extension Configuration {
    /// Where the payloads of a route come from.
    package func payload(of route: ProviderOptions) -> PayloadSource {
        if let own = route.payload { return own }
        // A description says what is sent; of what is for all it takes a payload, and no message.
        guard let declared = route.declared else { return payload }
        guard case .template = payload, declared.takesPayload else { return .column }
        return payload
    }

    /// What one value for each route is told by: the value where there is one route, else all that there
    /// are with their providers.
    func byRoute(_ value: (ProviderOptions) -> String?) -> String? {
        guard routes.count > 1 else { return value(provider) }
        let values = routes.compactMap { route in
            value(route).map { "\(route.provider.rawValue)=\($0)" }
        }
        return values.isEmpty ? nil : values.joined(separator: ",")
    }
}
