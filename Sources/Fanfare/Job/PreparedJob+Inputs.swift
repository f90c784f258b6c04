import FanfareBase
import FanfareSystem

/// The facts for people about the inputs that they have named, and about those that fail.
extension PreparedJob {
    /// A sentence about each file that is named more than once, by any path and link.
    ///
    /// There is none if tokens that come twice are found in any case: with `--deduplicate`, and
    /// those of a seed list.
    var repeatedInputs: [Statement] {
        guard configuration.rows.deduplication == nil else { return [] }
        var names: [String: [String]] = [:]
        var files: [String] = []
        for input in configuration.inputs.dropFirst(configuration.seeds == nil ? 0 : 1) {
            guard case .file(let path) = input, FileDescriptor.isRegularFile(path),
                let file = try? FileDescriptor.resolved(path)
            else { continue }
            if names[file] == nil { files.append(file) }
            names[file, default: []].append(path)
        }
        return files.compactMap { file in
            guard let all = names[file], let first = all.first, all.count > 1 else { return nil }
            let times = all.count == 2 ? "twice" : "\(all.count) times"
            let other = all.first { $0 != first }
            let cause =
                other.map { "\(first) and \($0) are one file" } ?? "\(first) is named \(times)"
            return "\(cause), so each of its rows is sent \(times); "
                + "\(.deduplication, Deduplication.first) sends to "
                + "each token once"
        }
    }

    /// Advice when reading stopped where each later run would stop, too; `nil` if a later run may
    /// get further.
    ///
    /// A pipe may bring the right rows the next time, and a disk may be read again. But if rows of
    /// a file were begun, its size and time identify it: it cannot be repaired for `--resume`.
    var adviceAtDeadEnd: Statement? {
        guard source.readFault?.isLasting == true, source.next > 0 else { return nil }
        let index = source.next - 1
        switch configuration.inputs[index] {
        case .file(let path): guard FileDescriptor.isRegularFile(path) else { return nil }
        case .sqlite: break
        case .standardInput, .memory, .generated, .sequence: return nil
        }
        let isUnbegun = source.rowCount == source.rowCountBefore
        let mayChange =
            configuration.hasFilesOnly && ChangedInputs.mayChange(index, of: configuration)
        if isUnbegun && mayChange { return nil }
        // The beginning of a token is no one's.
        let report = configuration.report
        return report.token != .prefix
            ? FileChange.newJob(report: report.path)
            : "Begin a new one with another \(.reportPath) and the rows behind row "
                + "\(source.rowCount)"
    }
}
