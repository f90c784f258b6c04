/// The words of a command line, from the bytes that the system gives.
enum ArgumentWords {
    /// Returns the arguments of this process, without its name.
    ///
    /// A word that is not UTF-8 is an error and not repaired: a repaired text would be sent to
    /// people, or name another file.
    /// - Returns: The words.
    /// - Throws: `UsageError` for a word that is not UTF-8.
    static func ofProcess() throws(UsageError) -> [String] {
        var words: [String] = []
        for index in 1..<max(1, Int(CommandLine.argc)) {
            guard let bytes = unsafe CommandLine.unsafeArgv[index] else { break }
            guard let word = unsafe String(validatingCString: bytes) else {
                throw UsageError(
                    command: nil,
                    "argument \(index) is not UTF-8; write it in UTF-8, and give a file with such a name "
                        + "another one, or its rows on standard input (- < FILE)")
            }
            words.append(word)
        }
        return words
    }
}
