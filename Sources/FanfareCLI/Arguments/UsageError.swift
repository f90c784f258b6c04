import FanfareBase

/// A mistake on a command line, with a correct example.
///
/// The caller prints `description` as one line on standard error and ends with exit code 2.
package struct UsageError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The command whose line was wrong; nil before a command was recognized.
    package let command: String?
    package let message: String

    package init(command: String?, _ message: String) {
        self.command = command
        self.message = message
    }

    /// The whole message: `fanfare send: --topic needs a value; write for example --topic …`.
    package var description: String {
        if let command { "fanfare \(command): \(message)" } else { "fanfare: \(message)" }
    }
}

/// A mistake in one value, which `UsageError` puts the option's name around.
package struct ValueFault: Error, Equatable, Sendable {
    /// A verb phrase that follows the quoted value: "has no unit".
    package let problem: String
    /// A correct value; nil stands for the option's own example.
    package let example: String?
    /// True if the value contains a secret, which no message may repeat.
    package let isSecret: Bool

    package init(_ problem: String, example: String? = nil, isSecret: Bool = false) {
        self.problem = problem
        self.example = example
        self.isSecret = isSecret
    }

    /// The value as a message may name it.
    func shown(_ text: String) -> String { isSecret ? "the value" : text.quotedForMessage }
}

extension String {
    /// The text in single quotes as a message may show it: shortened, and on one line.
    ///
    /// Control characters are escaped, because a terminal would obey them.
    var quotedForMessage: String {
        let shown = 60
        var text = ""
        for scalar in unicodeScalars.prefix(shown) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            text += isControl ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "'\(text)\(unicodeScalars.count > shown ? "..." : "")'"
    }

    /// The same without quotes, for a message that has its own.
    var shownInMessage: String { String(quotedForMessage.dropFirst().dropLast()) }

    /// The text as one word of a POSIX shell, quoted only where that is needed.
    var quotedForShell: String {
        let isPlain = utf8.allSatisfy { $0.isLetterOrDigit || "-_./,:=+@%".utf8.contains($0) }
        if isPlain && !isEmpty { return self }
        return singleQuoted
    }
}
