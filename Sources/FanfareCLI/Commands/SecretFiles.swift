import Fanfare
import FanfareBase
import FanfareSystem
import FanfareTLS

/// Warnings about files with secrets that every user of the machine may read.
///
/// A job takes such a file all the same, and its exit code stays the same: the secret works, and the user may
/// not be the one to mend the file.
enum SecretFiles {
    /// The options whose files are secrets, with any content.
    private static let secrets: [Option<String?>] = [
        Options.key, Options.certificateKey, Options.passphraseFile, Options.accessTokenFile,
        Options.proxyCredentialsFile, Options.notifySecretFile,
    ]
    /// The options whose files may have a key in them: certificates have it in a file of its own, too, and
    /// the configuration of a workload identity has none.
    private static let maybeSecrets: [Option<String?>] = [
        Options.certificate, Options.serviceAccount,
    ]

    /// The names of all options that may name a secret.
    static let optionNames =
        secrets.map(\.name) + maybeSecrets.map(\.name) + [
            Options.notify.name, Options.Declared.secret.name, Options.Bench.header.name,
        ]

    /// Says on standard error which files are open to others, unless the user wants no such text.
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - configuration: The job, whose providers' descriptions may name files; `nil` without one.
    static func warn(_ arguments: ParsedArguments, _ configuration: Configuration? = nil) {
        let isSilent: Bool =
            switch arguments[ifOffered: Options.progress] {
            case .none, .json: true
            case .auto, .bar, .plain: arguments[ifOffered: Options.quiet]
            }
        guard !isSilent, !isContainer(Terminal.environment, FileDescriptor.exists) else { return }
        let paths = paths(arguments) + (configuration?.describedSecretFiles ?? [])
        for warning in warnings(about: paths) { Terminal.error("fanfare: warning: \(warning)") }
    }

    /// Returns the paths of the files with secrets that a command line names.
    static func paths(_ arguments: ParsedArguments) -> [String] {
        var paths = secrets.compactMap { arguments[ifOffered: $0] }
        paths += maybeSecrets.compactMap { arguments[ifOffered: $0] }.filter(hasKey)
        paths += arguments[ifOffered: Options.Declared.secret].map(\.value)
        for option in [Options.notify.spec, Options.Bench.header.spec]
        where arguments.offers(option) {
            paths += arguments.texts(option).flatMap { option.form?.paths(in: $0) ?? [] }
        }
        return paths
    }

    /// Returns a sentence for each of some files that others may read, one for a file under two names.
    /// - Parameters:
    ///   - paths: The files.
    ///   - top: The folder from which others are known to get on; empty for `/`.
    /// - Returns: The sentences.
    static func warnings(about paths: [String], below top: String = "") -> [String] {
        var known: [(UInt64, UInt64)] = []
        return paths.compactMap { path in
            guard let exposure = FileExposure(path, below: top),
                let identity = try? FileDescriptor.identity(of: path),
                !known.contains(where: { $0 == identity })
            else { return nil }
            known.append(identity)
            let command = "chmod 600 \(path.quotedForShell)"
            let advice =
                switch exposure {
                case .own: "\(command) keeps it to its owner"
                case .ofAnother:
                    "its owner can end that with \(command), after giving it to the user who runs "
                        + "this command"
                }
            return "\(path) has a secret that every user of this machine can read; \(advice)"
        }
    }

    /// True if the process runs in a container.
    ///
    /// The mode of a file says nothing there: Kubernetes mounts secrets with 0644, Docker with 0444, in
    /// folders that all may enter, and the only users are the job's own. On the outside other folders lead
    /// to the file, which cannot be seen from here.
    static func isContainer(
        _ variable: (String) -> String?, _ exists: (String) -> Bool
    ) -> Bool {
        variable("KUBERNETES_SERVICE_HOST") != nil || variable("container") != nil
            || exists("/.dockerenv") || exists("/run/.containerenv")
    }

    /// True if a file that others can read has a private key in it, or cannot be read here.
    private static func hasKey(_ path: String) -> Bool {
        // A pipe has its content once, and is no file that others can read.
        guard FileExposure(path) != nil, let file = try? Secret(wholeFile: path) else {
            return true
        }
        return unsafe file.withBytes { unsafe hasKey(Array($0)) }
    }

    /// True if bytes have a private key in them: in PEM, or in PKCS#12, which begins with a sequence of DER.
    /// RFC 7292 §4
    static func hasKey(_ bytes: [UInt8]) -> Bool {
        bytes.first == 0x30 || bytes.contains(Array("PRIVATE KEY".utf8))
    }
}
