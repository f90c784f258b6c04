/// A search for wanted columns that the input calls by other names.
///
/// An exact name always wins, and so does `--map`; a column that is wanted under its own name, as a
/// value of the template, is never taken for another one.
package enum ColumnNames {
    /// A column that is wanted, and those that may be it.
    package struct Ambiguity: Error, Equatable {
        package var column: String
        package var candidates: [String]
    }

    /// Returns other names of a column that Fanfare understands, in small letters and without
    /// separators of words.
    private static func aliases(of column: RowSchema.Known) -> [String] {
        switch column {
        case .token:
            [
                "token", "devicetoken", "pushtoken", "apnstoken", "apnsdevicetoken",
                "apnspushtoken", "registrationid", "registrationtoken", "fcmtoken",
                "fcmdevicetoken",
                "fcmpushtoken", "fcmregistrationtoken", "gcmtoken", "firebasetoken",
                "expotoken", "expopushtoken",
            ]
        case .payload: ["payload", "apnspayload"]
        case .topic: ["topic", "apnstopic", "bundleid", "bundleidentifier"]
        case .pushType: ["pushtype", "apnspushtype"]
        case .priority: ["priority", "apnspriority"]
        case .expiration: ["expiration", "apnsexpiration"]
        case .collapseID: ["collapseid", "apnscollapseid"]
        case .apnsID: ["apnsid"]
        case .id: ["id"]
        }
    }

    /// Returns the names to look for in an input in the place of the names of a schema.
    /// - Parameters:
    ///   - columns: The columns of the input.
    ///   - schema: The wanted columns.
    ///   - findsProvider: True if it also looks for the column that names each row's provider.
    /// - Returns: A map from our names to the input's, with those that are found under another name
    ///   only.
    /// - Throws: `Ambiguity` if several columns of the input fit one name.
    package static func found(
        in columns: [String], for schema: RowSchema, findsProvider: Bool = false
    ) throws(Ambiguity) -> [String: String] {
        var found: [String: String] = [:]
        let taken = Set(schema.names).union(schema.mapping.values)
        let free = columns.filter { !taken.contains($0) }
        // Two values may be one column, but none is a header value's, and above all not the token's,
        // which a report may have been told to hide.
        var ofKnown: Set<String> = []
        for (slot, name) in schema.names.enumerated()
        where schema.mapping[name] == nil && !columns.contains(name) {
            if findsProvider && name == RowSchema.provider { continue }
            let candidates: [String]
            if let known = RowSchema.Known(rawValue: slot) {
                let aliases = aliases(of: known)
                candidates = free.filter { aliases.contains(folded($0)) }
                if let only = candidates.first { ofKnown.insert(only) }
            } else {
                candidates = spellings(of: name, in: free.filter { !ofKnown.contains($0) })
            }
            if candidates.count > 1 { throw Ambiguity(column: name, candidates: candidates) }
            if let only = candidates.first { found[name] = only }
        }
        if findsProvider { found[RowSchema.provider] = try provider(in: columns, for: schema) }
        return found
    }

    /// Returns the columns that may be a value of the template: those with its name in another case, or
    /// else those that only separate its words otherwise.
    ///
    /// A name with a dot leads into an object of NDJSON, and is no other spelling of a name without.
    private static func spellings(of name: String, in free: [String]) -> [String] {
        let sameLetters = free.filter { $0.lowercased() == name.lowercased() }
        let dot = UInt8(ascii: ".")
        if !sameLetters.isEmpty || name.utf8.contains(dot) { return sameLetters }
        let wanted = folded(name)
        return wanted.isEmpty
            ? [] : free.filter { folded($0) == wanted && !$0.utf8.contains(dot) }
    }

    /// The names of a column of providers, the best one first; without case and without separators
    /// of words.
    private static let providerNames = [RowSchema.provider, "platform", "os", "service"]

    /// Finds the column that names each row's provider, where it has another name.
    ///
    /// It may be a value of the template at the same time.
    private static func provider(
        in columns: [String], for schema: RowSchema
    ) throws(Ambiguity) -> String? {
        let name = RowSchema.provider
        guard schema.mapping[name] == nil, !columns.contains(name) else { return nil }
        let taken = Set(schema.mapping.values)
        for alias in providerNames {
            let candidates = columns.filter { folded($0) == alias && !taken.contains($0) }
            if candidates.count > 1 { throw Ambiguity(column: name, candidates: candidates) }
            if let only = candidates.first { return only }
        }
        return nil
    }

    /// Returns a name without case and without separators of words: `deviceToken`, `device_token`
    /// and `Device-Token` are one.
    private static func folded(_ name: String) -> String {
        String(name.lowercased().unicodeScalars.filter { !"_- .".unicodeScalars.contains($0) })
    }
}
