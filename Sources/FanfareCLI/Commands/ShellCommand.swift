/// Command lines as people type them.
enum ShellCommand {
    /// The command that carries on with the job that another one has begun.
    static func resuming(_ words: [String]) -> String {
        var words = words.filter { $0 != "--overwrite" && $0 != "--resume" }
        // Behind `--` it would be a file.
        let place = words.firstIndex(of: "--") ?? words.endIndex
        words.insert("--resume", at: place)
        return words.map(quoted).joined(separator: " ")
    }

    /// A word that a POSIX shell takes for one, with any characters in it.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:=,+@%".utf8.contains(byte)
            }
        }
        if plain && !word.isEmpty { return word }
        return "'"
            + word.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
