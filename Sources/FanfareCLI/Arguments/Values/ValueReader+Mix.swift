package import FanfareCore

extension ValueReader {
    /// Reads providers with their parts of the rows: `apns=50,fcm=50`, or one provider alone.
    /// - Parameter text: The words between commas.
    /// - Returns: The mix.
    /// - Throws: `ValueFault` for a text that is no mix.
    package static func mix(_ text: String) throws(ValueFault) -> RowMix {
        let words = try list(text)
        var shares: [RowMix.Share] = []
        for word in words {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let names = RowMix.providers.map(\.rawValue)
            let name = parts[0].trimmed
            guard let provider = RowMix.providers.first(where: { $0.rawValue == name }) else {
                let meant = fault(name, noneOf: names).example
                throw ValueFault(
                    "has \(name.quotedForMessage), which is none of \(names.joined(last: " and "))",
                    example: meant.map { meant in
                        ([meant] + parts.dropFirst().map(String.init)).joined(separator: "=")
                    })
            }
            guard !shares.contains(where: { $0.provider == provider }) else {
                throw ValueFault("names \(name.quotedForMessage) twice")
            }
            if parts.count == 1 {
                guard words.count == 1 else {
                    throw ValueFault("does not say how many rows are for \(name)")
                }
                shares.append(RowMix.Share(provider, 1))
            } else {
                let weight = try count(String(parts[1].trimmed), in: 1...999_999)
                shares.append(RowMix.Share(provider, UInt64(weight)))
            }
        }
        return RowMix(shares)
    }
}
