import FanfareBase

/// The words by which a column names a provider.
///
/// Letters of ASCII may be of either case, and blanks around a word do not count. A version or a model
/// may be behind it: `iOS 17.1`, `iPhone 12`.
package struct ProviderWords: Sendable {
    /// The words that all jobs know.
    package static let known: [(word: String, provider: ProviderKind)] = [
        ("ios", .apns), ("apple", .apns), ("apns", .apns),
        ("iphone", .apns), ("ipad", .apns), ("ipados", .apns), ("ipod", .apns),
        ("android", .fcm), ("fcm", .fcm), ("gcm", .fcm), ("firebase", .fcm),
        ("web", .webpush), ("webpush", .webpush), ("browser", .webpush),
    ]

    private struct Entry {
        var start: Int
        var count: Int
        var provider: ProviderKind
    }

    /// All words, one behind the other, in small letters.
    private var text: [UInt8] = []
    private var entries: [Entry] = []

    /// - Parameter additional: Words of the job; they come before those that all jobs know.
    package init(_ additional: [String: ProviderKind] = [:]) {
        let words = additional.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } + Self.known
        for (word, provider) in words {
            let bytes = unsafe Array(word.utf8).withUnsafeBufferPointer { bytes in
                unsafe Self.trimmed(bytes).map(Self.folded)
            }
            entries.append(Entry(start: text.count, count: bytes.count, provider: provider))
            text += bytes
        }
    }

    /// The provider that a text names, without blanks around it: by all of it, or by its first word.
    ///
    /// The first word does not do for Web Push: `web` begins the names of many other things.
    package subscript(text: UnsafeBufferPointer<UInt8>) -> ProviderKind? {
        if let provider = unsafe provider(of: text) { return provider }
        guard let end = unsafe text.firstIndex(where: Self.isBlank),
            let provider = unsafe provider(of: UnsafeBufferPointer(rebasing: text[..<end])),
            provider != .webpush
        else { return nil }
        return provider
    }

    private func provider(of word: UnsafeBufferPointer<UInt8>) -> ProviderKind? {
        for entry in entries where entry.count == word.count {
            var index = 0
            while index < entry.count,
                unsafe text[entry.start + index] == Self.folded(word[index])
            {
                index += 1
            }
            if index == entry.count { return entry.provider }
        }
        return nil
    }

    /// Returns bytes without blanks and line ends at both ends.
    static func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var range = 0..<bytes.count
        while let first = range.first, unsafe isBlank(bytes[first]) { range.removeFirst() }
        while let last = range.last, unsafe isBlank(bytes[last]) { range.removeLast() }
        return unsafe UnsafeBufferPointer(rebasing: bytes[range])
    }

    static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
    }

    private static func folded(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }
}
