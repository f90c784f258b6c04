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

    /// The names of all options that may name a secret.
    static let optionNames =
        secrets.map(\.name) + [
            Options.certificate.name, Options.serviceAccount.name, Options.notify.name,
            Options.Declared.secret.name, Options.Bench.header.name,
        ]

    /// A file that a command line or a description names.
    struct File: Equatable {
        let path: String
        /// False for a file of header fields, which may be no secret.
        var isSecret = true
    }

    /// Returns the warnings of a command.
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - configuration: The job, whose providers' descriptions may name files; `nil` without one.
    ///   - isContainer: True if the modes of files say nothing here.
    ///   - top: The folder from which others are known to get on; empty for `/`.
    /// - Returns: The sentences.
    static func warnings(
        _ arguments: ParsedArguments, _ configuration: Configuration? = nil,
        isContainer: Bool = SecretFiles.isInContainer, below top: String = ""
    ) -> [String] {
        guard !isContainer else { return [] }
        return warnings(about: files(arguments, configuration, below: top), below: top)
    }

    /// Returns the files with secrets that a command line names, and a job's descriptions.
    static func files(
        _ arguments: ParsedArguments, _ configuration: Configuration? = nil, below top: String = ""
    ) -> [File] {
        let described = configuration?.describedSecretFiles ?? (tokens: [], accounts: [])
        var files = (secrets.compactMap { arguments[ifOffered: $0] } + described.tokens)
            .map { File(path: $0) }
        // Certificates have their key in a file of its own, too.
        if let path = arguments[ifOffered: Options.certificate], mayHaveKey(path, below: top) {
            files.append(File(path: path))
        }
        let account = arguments[ifOffered: Options.serviceAccount]
        for path in [account].compactMap(\.self) + described.accounts {
            files += filesOfAccount(path, below: top)
        }
        files += arguments[ifOffered: Options.Declared.secret].map { File(path: $0.value) }
        files += paths(Options.notify.spec, arguments).map { File(path: $0) }
        files += paths(Options.Bench.header.spec, arguments).map {
            File(path: $0, isSecret: false)
        }
        return files
    }

    private static func paths(_ option: OptionSpec, _ arguments: ParsedArguments) -> [String] {
        guard arguments.offers(option) else { return [] }
        return arguments.texts(option).flatMap { option.form?.paths(in: $0) ?? [] }
    }

    /// The file of a Google account, if it has a key: the configuration of a workload identity has none, and
    /// names the file of a token.
    private static func filesOfAccount(_ path: String, below top: String) -> [File] {
        var files = mayHaveKey(path, below: top) ? [File(path: path)] : []
        // A pipe has its content once.
        if FileDescriptor.isRegularFile(path), let token = ExternalAccount.tokenFile(namedBy: path)
        {
            files.append(File(path: token))
        }
        return files
    }

    /// Returns a sentence for each of some files that others may read, one for a file under two names.
    /// - Parameters:
    ///   - files: The files.
    ///   - top: The folder from which others are known to get on; empty for `/`.
    /// - Returns: The sentences.
    static func warnings(about files: [File], below top: String = "") -> [String] {
        var known: [(UInt64, UInt64)] = []
        return files.compactMap { file in
            guard let exposure = FileExposure(file.path, below: top),
                let identity = try? FileDescriptor.identity(of: file.path),
                !known.contains(where: { $0 == identity })
            else { return nil }
            known.append(identity)
            let verb = file.isSecret ? "has" : "may have"
            return "\(file.path) \(verb) a secret that every user of this machine can read; "
                + advice(on: file.path, exposure)
        }
    }

    /// The command takes the right from all others, and leaves the group its own.
    static func advice(on path: String, _ exposure: FileExposure) -> String {
        let command = "chmod o= \(path.quotedForShell)"
        return switch exposure {
        case .own: "\(command) ends that"
        case .ofAnother: "its owner can end that with \(command)"
        }
    }

    /// True if this process runs in a container, as far as one can tell.
    static var isInContainer: Bool { isContainer(Terminal.environment, FileDescriptor.exists) }

    /// True if the process runs in a container.
    ///
    /// The mode of a file says nothing there: Kubernetes mounts secrets with 0644, Docker with 0444, in
    /// folders that all may enter, and the only users are the job's own. On the outside other folders lead
    /// to the file, which cannot be seen from here.
    static func isContainer(
        _ variable: (String) -> String?, _ exists: (String) -> Bool
    ) -> Bool {
        let marks = [
            "KUBERNETES_SERVICE_HOST", "ECS_CONTAINER_METADATA_URI_V4", "K_SERVICE", "container",
        ]
        return marks.contains { variable($0)?.isEmpty == false }
            || exists("/.dockerenv") || exists("/run/.containerenv")
    }

    /// True if a file that others can read has a private key in it, or cannot be read here.
    private static func mayHaveKey(_ path: String, below top: String) -> Bool {
        // A pipe has its content once, and is no file that others can read.
        guard FileExposure(path, below: top) != nil, let file = try? Secret(wholeFile: path) else {
            return true
        }
        return unsafe file.withBytes { unsafe hasKey($0) }
    }

    /// True if bytes have a private key in them: in PEM, or in PKCS#12, which begins with a sequence of DER.
    ///
    /// They are looked at in their place, as a copy would not be wiped.
    ///
    /// RFC 7292 §4
    static func hasKey(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        if unsafe bytes.first == 0x30 { return true }
        let mark = Array("PRIVATE KEY".utf8)
        guard bytes.count >= mark.count else { return false }
        return (0...bytes.count - mark.count).contains { start in
            unsafe bytes[start..<start + mark.count].elementsEqual(mark)
        }
    }
}
