import FanfareSystem

/// Sees to it that a path such as `/dev/fd/3` names a descriptor that the command was started with.
///
/// Looked at before anything is opened: a number that is free now may become that of a file of ours,
/// and what is meant for another place would be written into that.
enum HandedOverPaths {
    /// - Throws: `UsageError` that names the option and the path.
    static func check(_ arguments: ParsedArguments) throws(UsageError) {
        for option in arguments.command.options {
            guard let type = option.type else { continue }
            for text in arguments.texts(option.name) {
                guard let path = Self.path(text, of: type), let problem = problem(path) else {
                    continue
                }
                throw arguments.error(option.name, problem)
            }
        }
        for word in arguments.positionals {
            guard let problem = problem(word) else { continue }
            throw UsageError(command: arguments.command.name, problem)
        }
    }

    /// The path in an option's value, if there is one.
    private static func path(_ text: String, of type: ValueType) -> String? {
        switch type {
        case .file: text
        case .headerField: text.hasPrefix("@") ? String(text.dropFirst()) : nil
        default: nil
        }
    }

    private static func problem(_ path: String) -> String? {
        guard let number = FileDescriptor.handedOver(path), !FileDescriptor.isInherited(number)
        else { return nil }
        return "\(path) is no file that the command was started with; in a shell, "
            + "\(number)> FILE or \(number)< FILE behind it opens one"
    }
}
