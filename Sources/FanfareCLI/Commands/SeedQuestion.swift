import Fanfare
import FanfareSystem

extension Configuration {
    /// Reads the settings of a seed list.
    mutating func readSeeds(_ arguments: ParsedArguments) throws(CommandError) {
        guard seeds != nil else { return }
        seeds?.wait = arguments[Options.seedWait] ?? .zero
        seeds?.continuesAfterFailures = arguments[Options.seedFailures] == .continue
        let wait = arguments.text(Options.seedWait)
        let rows = inputs.dropFirst().map(\.name).joined(separator: ", ")
        let continues = seeds?.continuesAfterFailures == true
        seeds?.show = { result in
            Terminal.show("\n" + result.table + "\n")
            guard let wait, result.isAccepted || continues else { return }
            Terminal.error("going on with \(rows) in \(wait); Ctrl-C stops the job")
        }
        guard wait == nil else { return }
        let isRowsFromTerminal = inputs.contains(.standardInput)
        guard Terminal.canAsk, !isRowsFromTerminal else {
            throw arguments.fault(
                Options.seedList,
                (isRowsFromTerminal
                    ? "the rows come from standard input" : "there is no terminal")
                    + ", so fanfare cannot ask whether to go on; --seed-wait DURATION says how "
                    + "long to wait for a signal that stops the job")
        }
        seeds?.confirm = { result, isStopping in
            SeedQuestion.ask(
                result.isAccepted
                    ? "Continue with \(rows)? [y/N] "
                    : "Not all were accepted. Continue with \(rows) all the same? [y/N] ",
                isStopping: isStopping)
        }
    }
}

/// A question on the terminal.
enum SeedQuestion {
    /// Asks until there is an answer, or the job is stopping.
    /// - Returns: True if the answer was yes.
    static func ask(_ question: String, isStopping: () -> Bool) -> Bool {
        ["y", "yes"].contains(answer(question, isStopping: isStopping).lowercased())
    }

    /// Asks until there is an answer, or it is not wanted any more.
    /// - Returns: The beginning of the answer's line; empty without one.
    static func answer(_ question: String, isStopping: () -> Bool) -> String {
        Terminal.ask(question)
        defer { Terminal.endAsking() }
        let input = FileDescriptor.standardInput
        var line: [UInt8] = []
        while !isStopping() {
            guard input.isReadable(within: 100) else { continue }
            var byte: [UInt8] = [0]
            let count = unsafe byte.withUnsafeMutableBytes { bytes in
                (unsafe try? input.read(into: bytes)) ?? 0
            }
            guard count == 1, byte[0] != UInt8(ascii: "\n") else { break }
            // A word is enough of an answer.
            if line.count < 16 { line.append(byte[0]) }
        }
        return String(decoding: line, as: UTF8.self)
    }
}
