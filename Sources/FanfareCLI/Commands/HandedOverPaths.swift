import FanfareSystem

/// Checks that a path such as `/dev/fd/3` names a descriptor that the command was started with.
///
/// It does so before anything is opened: a number that is free now may become that of a file of
/// ours, which would then receive text for another place.
enum HandedOverPaths {
    /// - Throws: `UsageError` that names the option and the path.
    static func check(_ arguments: ParsedArguments) throws(UsageError) {
        for option in arguments.command.options {
            for text in arguments.texts(option) {
                let problems = (option.form?.paths(in: text) ?? []).compactMap(problem)
                if let problem = problems.first { throw arguments.error(option, problem) }
            }
        }
        for word in arguments.positionals {
            guard let problem = problem(word) else { continue }
            throw arguments.error(problem)
        }
    }

    private static func problem(_ path: String) -> String? {
        guard let number = FileDescriptor.handedOver(path), !FileDescriptor.isInherited(number)
        else { return nil }
        return "\(path) is no file that the command was started with; in a shell, "
            + "\(number)> FILE or \(number)< FILE behind it opens one"
    }
}
