import Fanfare
import FanfareBase
import FanfareCore
import FanfareSystem

/// `fanfare provider`: lists, shows, checks and tries out descriptions of providers.
enum ProviderCommand {
    /// The subcommands, in the order of the help.
    enum Subcommand: String, CaseIterable {
        case list, show, check
        case tryOut = "try"
    }

    static func run(_ arguments: ParsedArguments) throws(CommandError) -> Int32 {
        let word = arguments.positionals[0]
        let names = Array(arguments.positionals.dropFirst())
        let action = try arguments.subcommand(word, as: Subcommand.self)
        if action != .tryOut,
            let option = Options.Declared.all.first(where: { arguments.has($0.spec) })
        {
            throw arguments.fault("--\(option.name) goes with try only")
        }
        switch action {
        case .list:
            guard names.isEmpty else {
                throw arguments.fault(
                    "list takes no name; fanfare provider show \(names[0].quotedForShell) "
                        + "prints one")
            }
            Terminal.print(list())
            return ExitStatus.success.rawValue
        case .show:
            guard names.count == 1 else {
                throw arguments.fault("show takes one name; fanfare provider list has them")
            }
            Terminal.print(
                String(decoding: try source(names[0], arguments).bytes, as: UTF8.self))
            return ExitStatus.success.rawValue
        case .check:
            guard !names.isEmpty else {
                throw arguments.fault("check takes a file; write fanfare provider check FILE")
            }
            return try check(names, arguments)
        case .tryOut:
            guard names.count == 1 else {
                throw arguments.fault(
                    "try takes one file or name; write fanfare provider try FILE --row JSON")
            }
            return try ProviderTrial(file(names[0], arguments), arguments).run()
        }
    }

    // MARK: Files

    /// A description before it is read: one that comes with Fanfare, or a file.
    private struct Source {
        var name: String
        var bytes: [UInt8]
    }

    /// A name belongs to a description that comes with Fanfare; a text that cannot be a name is a
    /// file.
    private static func source(
        _ name: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> Source {
        if let shipped = ShippedProvider(named: name) {
            return Source(name: name, bytes: shipped.bytes)
        }
        let isPath = name == "-" || name.contains("/") || name.contains(".")
        guard isPath || FileDescriptor.exists(name) else {
            let names = ShippedProvider.all.map(\.name)
            throw arguments.fault(
                "there is no provider and no file \(name.quotedForMessage); "
                    + (Suggestion.question(name, among: names)
                        ?? "fanfare provider list has the names"))
        }
        do throws(FileError) {
            return Source(
                name: name,
                bytes: try SmallFile.read(name, bytesMax: Limits.providerFileBytesMax))
        } catch {
            throw .job(FanfareError(.input, "\(name) cannot be read: \(error.reason)"))
        }
    }

    /// A description that can be used.
    static func file(
        _ name: String, _ arguments: ParsedArguments
    ) throws(CommandError) -> ProviderFile {
        let source = try source(name, arguments)
        do throws(ProviderFile.Faults) {
            return try ProviderFile(source.bytes, name: source.name)
        } catch {
            let more = error.list.count - 1
            let rest =
                more == 0
                ? "" : " (and \(more) more; fanfare provider check \(name.quotedForShell))"
            throw .job(
                FanfareError(.configuration, "\(source.name): \(error.list[0].description)\(rest)"))
        }
    }

    // MARK: Actions

    static func list() -> String {
        let files = ShippedProvider.all.map { $0.file().provider }
        let longest = files.map(\.name.utf8.count).max() ?? 0
        return files.map { provider in
            let gap = String(repeating: " ", count: longest - provider.name.utf8.count + 2)
            let mark = provider.isTried ? "tried      " : "not tried  "
            return provider.name + gap + mark + (provider.about ?? "") + "\n"
        }.joined()
    }

    private static func check(
        _ names: [String], _ arguments: ParsedArguments
    ) throws(CommandError) -> Int32 {
        var status = ExitStatus.success
        for name in names {
            let source = try source(name, arguments)
            let faults: [DeclaredFault]
            do throws(ProviderFile.Faults) {
                let file = try ProviderFile(source.bytes, name: source.name)
                faults = ExampleRun.faults(of: file)
                if faults.isEmpty { Terminal.print("\(name): \(verdict(on: file.provider))\n") }
            } catch {
                faults = error.list
            }
            for fault in faults {
                Terminal.error("fanfare provider: \(name): \(fault)")
                status = .usage
            }
        }
        return status.rawValue
    }

    private static func verdict(on provider: DeclaredProvider) -> String {
        let examples = provider.examples.count
        let answers = provider.examples.reduce(0) { $0 + $1.answers.count }
        guard examples > 0 else { return "\(provider.name) is right, and has no examples" }
        let count = { (count: Int, word: String) in "\(count) \(word)\(count == 1 ? "" : "s")" }
        return "\(provider.name) is right: \(count(examples, "example")) with "
            + "\(count(answers, "answer"))"
    }
}
