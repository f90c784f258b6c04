/// The providers that Fanfare speaks to by itself.
package enum ProviderKind: String, CaseIterable, Sendable {
    case apns
    case fcm
    case webpush

    /// What people call it.
    package var title: String {
        switch self {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .webpush: "Web Push"
        }
    }
}
