/// Whom a row is for: the providers that Fanfare speaks to by itself, and those that files describe.
///
/// Trivial, because the rows of a job are told apart by it: copying one counts no references.
package enum ProviderKind: Hashable, Sendable {
    case apns
    case fcm
    case webpush
    /// One that a file describes.
    case declared(DeclaredName)

    /// The provider's name for people.
    package var title: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .webpush: "Web Push"
        case .declared(let name): name.text
        }
    }
}

extension ProviderKind: CaseIterable {
    /// The providers that are built in.
    package static let allCases: [ProviderKind] = [.apns, .fcm, .webpush]
}

extension ProviderKind: RawRepresentable {
    /// The word in columns and reports.
    package var rawValue: String {
        switch self {
        case .apns: "apns"
        case .fcm: "fcm"
        case .webpush: "webpush"
        case .declared(let name): name.text
        }
    }

    /// Makes the provider with a word; nil for one that no job of this process has heard of.
    package init?(rawValue: String) {
        if let known = Self.allCases.first(where: { $0.rawValue == rawValue }) {
            self = known
        } else if let name = DeclaredName(known: rawValue) {
            self = .declared(name)
        } else {
            return nil
        }
    }
}
