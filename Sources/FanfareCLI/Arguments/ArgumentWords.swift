/// The words of a command line, from the bytes that the system gives.
enum ArgumentWords {
    /// Those of this process, its name left out.
    ///
    /// Nothing is put in the place of what is no text: it would be sent to people, or be the name of
    /// another file.
    /// - Returns: The words.
    /// - Throws: Which word is not UTF-8.
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
