// Made by dev/embed-providers of Sources/Fanfare/Declared/Shipped, which is what to change.
// swift-format-ignore-file

extension ShippedProvider {
    /// All of them, by their names.
    package static let all: [ShippedProvider] = [
        expo,
        gotify,
        hms,
        jpush,
        leancloud,
        ntfy,
        onesignal,
        pushover,
        tpns,
        webhook,
    ]
}
