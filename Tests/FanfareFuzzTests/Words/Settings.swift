import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareSimulator

@testable import FanfareCLI

extension FuzzTarget {
    /// A file of options.
    static let options = FuzzTarget("options") { bytes throws(Violation) in
        for command in Commands.all.prefix(3) {
            do throws(UsageError) {
                _ = try ConfigurationFile(
                    bytes, path: "folder/fanfare.json", command: command, commands: Commands.all)
            } catch {
                try isSafe(error.description)
            }
        }
    }

    /// A scenario of the simulator.
    static let scenario = FuzzTarget("scenario") { bytes throws(Violation) in
        var fault: String?
        bytes.withUnsafeBufferPointer { bytes in
            do throws(SimulatorError) {
                _ = try Scenario(json: bytes)
            } catch {
                fault = "\(error)"
            }
        }
        if let fault { try isSafe(fault) }
    }

    /// A refusal's body.
    static let refusal = FuzzTarget("refusal") { bytes throws(Violation) in
        var reader = ProviderErrorBody()
        let content: ProviderErrorBody.Content? = bytes.withUnsafeBufferPointer { reader.parse($0) }
        let value = bytes.withUnsafeBufferPointer { try? JSONValue.parse($0) }
        guard let content else {
            if case .object? = value, case .string(let reason)? = value?["reason"] {
                try Violation.check(reason.isEmpty, "a reason is not found")
            }
            return
        }
        let reason = Array(reader.reason(content))
        try Violation.check(
            String(validating: reason, as: UTF8.self) != nil, "a reason that is not UTF-8")
        try Violation.check(
            reason.count <= Limits.reasonBytesMax, "a reason is longer than one may be")
    }

    /// That a message about foreign bytes cannot steer a terminal, and is one of a length.
    static func isSafe(_ message: String) throws(Violation) {
        try Violation.check(
            !message.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x7F },
            "control characters in a message: \(message.debugDescription)")
    }
}
