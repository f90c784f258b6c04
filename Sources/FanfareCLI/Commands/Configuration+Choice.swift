import Fanfare

/// The choice of rows that are sent to, or looked at.
extension Configuration {
    /// Reads the share of the rows.
    mutating func readSample(_ sample: RowSample?, _ arguments: ParsedArguments) {
        guard var sample else { return }
        sample.seed = UInt64(arguments[Options.sampleSeed])
        rows.choice.sample = sample
    }

    /// Reads `--sample` of `check`.
    /// - Returns: The number of payloads to show.
    mutating func readCheckSample(_ arguments: ParsedArguments) throws(CommandError) -> Int {
        switch arguments[Options.sample] {
        case nil: return 0
        case .rows(let sample):
            readSample(sample, arguments)
            return 0
        case .payloads(let count):
            guard !arguments.has(Options.sampleSeed) else {
                throw arguments.fault(
                    Options.sampleSeed, "is for a share of the rows, such as --sample 1%")
            }
            return count
        }
    }
}
