import FanfareBase
import FanfareCore

/// The settings that the workers of a job have in common, each as a checksum by its name.
///
/// The server keeps them as a text, so that a worker which is refused can say what differs. No value stands in it.
struct SharedSettings: Equatable {
    private var sums: [String: UInt64] = [:]

    /// Collects the settings of a job.
    /// - Parameters:
    ///   - fingerprint: The job, with the settings that stay the same for as long as there is the job.
    ///   - cutRows: The rows of a cut.
    ///   - policy: The settings on which the workers may agree anew.
    init(_ fingerprint: JobFingerprint, cutRows: UInt64, policy: [JobFingerprint.Setting]) {
        let shared = fingerprint.ofAllWorkers
        for setting in shared.settings + policy where !setting.value.isEmpty {
            sums[setting.name] = Checksum.of(Array(setting.value.utf8))
        }
        let files = shared.inputs.map { "\($0.bytes ?? 0) \($0.name)" }
        sums[Self.inputs] = Checksum.of(Array(files.joined(separator: "\n").utf8))
        sums[Self.cut] = cutRows
    }

    /// Reads a text of the server's, which may be anyone's.
    init(text: String) {
        for word in text.split(separator: " ").prefix(Self.wordsMax) {
            guard let (name, digits) = String(word).parts(at: "=") else { continue }
            sums[name] = UInt64(digits, radix: 16)
        }
    }

    /// The text that the server keeps.
    var text: String {
        sums.sorted { $0.key < $1.key }
            .map { "\($0.key)=\(String($0.value, radix: 16))" }.joined(separator: " ")
    }

    /// The digest of those on which the workers may agree anew.
    var policy: UInt64 {
        let text = Self.policyNames.keys.sorted()
            .map { "\($0)=\(sums[$0].map { String($0, radix: 16) } ?? "")" }
        return Checksum.of(Array(text.joined(separator: " ").utf8))
    }

    /// Names what differs from the settings of the workers that have joined before.
    /// - Parameters:
    ///   - job: Their settings.
    ///   - isPolicy: True for those on which the workers may agree anew, false for all others.
    /// - Returns: The differences, joined by commas; nil if none has a name.
    func differences(from job: SharedSettings, ofPolicy isPolicy: Bool) -> Statement? {
        let names = Set(sums.keys).union(job.sums.keys)
            .filter { sums[$0] != job.sums[$0] && (Self.policyNames[$0] != nil) == isPolicy }
        let texts = names.sorted().compactMap { name in
            Self.subject(name).map { $0 + difference(name, from: job) }
        }
        guard let first = texts.first else { return nil }
        return texts.dropFirst().reduce(first) { $0 + ", " + $1 }
    }

    private func difference(_ name: String, from job: SharedSettings) -> Statement {
        if sums[name] == nil { return " is missing here" }
        if job.sums[name] == nil { return " is given here alone" }
        return name == Self.suppressed ? " has other tokens here" : " is another one here"
    }

    /// The words for a setting; `nil` for one that this version does not know.
    private static func subject(_ name: String) -> Statement? {
        switch name {
        case inputs: return "the path, the size or the number of the inputs"
        case "payload": return "the payload"
        case "report-columns": return "the version of the report"
        case cut: return "the length of a cut"
        default:
            return (policyNames[name] ?? JobFingerprint.settingNames[name]).map { "\($0)" }
        }
    }

    private static let inputs = "inputs"
    private static let cut = "cut-rows"
    private static let suppressed = "suppress"

    /// More than any version has.
    private static let wordsMax = 256

    // MARK: Policy

    /// The names of the settings on which the workers may agree anew.
    static let policyNames: [String: FanfareBase.Setting] = [
        suppressed: .suppressions, "stop-if": .stopIf, "until": .until,
        "allow-host": .allowedHosts, "allow-private-hosts": .privateHosts, "project": .project,
        "description": .provider, "set": .settings,
    ]

    /// Returns the settings that a job on one machine may change from run to run, and that decide nevertheless who gets
    /// what, or when all workers stop.
    /// - Parameters:
    ///   - configuration: The settings of the job.
    ///   - suppressed: The sum of the tokens that are left out; `nil` without a list.
    ///   - projects: The projects of FCM, which the credentials may have named.
    /// - Returns: The settings by the names of their options.
    static func policy(
        of configuration: Configuration, suppressed: UInt64?, projects: [String]
    ) -> [JobFingerprint.Setting] {
        let bounds = configuration.guards.chosenStopIf.map { bounds in
            bounds.isEmpty ? "none" : bounds.map(\.description).sorted().joined(separator: ",")
        }
        let values: [(name: String, value: String?)] = [
            (Self.suppressed, suppressed.map { String($0, radix: 16) }),
            ("stop-if", bounds),
            // A time such as `+6h` begins with each process, so only having one is compared.
            ("until", configuration.engine.untilMilliseconds.map { _ in "yes" }),
            (
                "allow-host",
                configuration.byRoute { route in
                    route.allowedHosts.isEmpty
                        ? nil : route.allowedHosts.sorted().joined(separator: " ")
                }
            ),
            (
                "allow-private-hosts",
                configuration.byRoute { $0.allowsPrivateHosts ? "yes" : nil }
            ),
            ("project", projects.isEmpty ? nil : projects.joined(separator: ",")),
            (
                "description",
                configuration.byRoute { $0.declared.map { String($0.file.checksum, radix: 16) } }
            ),
            (
                "set",
                configuration.byRoute {
                    $0.declared.map { String(Checksum.of($0.settings.plainValues), radix: 16) }
                }
            ),
        ]
        return values.map { .init(name: $0.name, value: $0.value ?? "") }
    }
}
