import FanfareBase

/// The identifiers that Apple gives to keys and teams: ten capital letters and digits.
enum AppleIdentifier {
    /// The identifier of a signing key, which stands in its file's name as well: `AuthKey_ABC123DEFG.p8`.
    static func ofKey(_ arguments: ParsedArguments, file: String) throws(CommandError) -> String {
        if let given = try given(Options.keyID, arguments) { return given }
        let name = file[file.nameIndex...]
        let identifier = name.dropFirst("AuthKey_".count).dropLast(".p8".count)
        guard name.hasPrefix("AuthKey_"), name.hasSuffix(".p8"), isOne(identifier) else {
            throw arguments.fault(
                Options.key,
                "needs --key-id as well, because the name of the file does not have it, as "
                    + "AuthKey_ABC123DEFG.p8 does")
        }
        return String(identifier)
    }

    /// Returns the value of an option.
    /// - Throws: `CommandError` for a value that cannot be one of Apple's identifiers.
    static func given(
        _ option: Option<String?>, _ arguments: ParsedArguments
    ) throws(CommandError) -> String? {
        guard let text = arguments[option] else { return nil }
        guard isOne(text[...]) else {
            throw arguments.fault(
                option,
                "\(text.quotedForMessage) is not an identifier of Apple's, which have ten letters and "
                    + "digits, such as ABC123DEFG")
        }
        return text
    }

    private static func isOne(_ text: Substring) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy(\.isLetterOrDigit)
    }
}
