import Fanfare
import FanfareBase

/// Payloads of which each row gets one.
extension PayloadSource {
    /// Creates the choice that rows make; `nil` if the command line has none.
    /// - Parameters:
    ///   - arguments: The command line.
    ///   - takesMessages: True if the files are messages, which a job to several providers needs.
    /// - Throws: `CommandError` if a file cannot be read, or the choice is none.
    init?(choiceOf arguments: ParsedArguments, takesMessages: Bool) throws(CommandError) {
        do throws(FanfareError) {
            if let given = arguments[ifOffered: Options.payloadBy] {
                var payloads: [(value: String, payload: PayloadSource)] = []
                for (value, path) in given.files {
                    payloads.append((value, try Self.text(path, takesMessages)))
                }
                self = .chosen(try PayloadChoice(byColumn: given.column, payloads))
                return
            }
            let variants = arguments[ifOffered: Options.variant]
            guard !variants.isEmpty else { return nil }
            let given = variants.compactMap(\.percent).reduce(0, +)
            let rest = variants.count { $0.percent == nil }
            let share = rest == 0 ? 0 : max(100 - given, 0) / Double(rest)
            if share < 0.0001, let left = variants.first(where: { $0.percent == nil }) {
                throw FanfareError(
                    .configuration,
                    "\(.variants) \(left.name): nothing is left for it, because the shares of the "
                        + "others are \(PayloadChoice.percent(UInt64((given * 10_000).rounded()))) together"
                )
            }
            var payloads: [(name: String, percent: Double, payload: PayloadSource)] = []
            for variant in variants {
                payloads.append(
                    (
                        variant.name, variant.percent ?? share,
                        try Self.text(variant.path, takesMessages)
                    ))
            }
            let seed = UInt64(arguments[ifOffered: Options.variantSeed])
            self = .chosen(try PayloadChoice(variants: payloads, seed: seed))
        } catch {
            throw .job(error)
        }
    }

    private static func text(
        _ path: String, _ takesMessages: Bool
    ) throws(FanfareError) -> PayloadSource {
        do throws(CommandError) {
            return takesMessages
                ? .message(try Message(file: path))
                : .template(json: try contents(of: path), name: path)
        } catch {
            guard case .job(let error) = error else {
                preconditionFailure("BUG: reading a file is no question of usage")
            }
            throw error
        }
    }
}
