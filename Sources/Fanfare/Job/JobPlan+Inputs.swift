import FanfareLoop

/// What people should know of the inputs that they have named.
extension JobPlan {
    /// A sentence about each file that is named more than once, by any path and link.
    ///
    /// None where tokens that come twice are found in any case: with `--deduplicate`, and those of a seed
    /// list.
    var repeatedInputs: [String] {
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
            return "\(cause), so each of its rows is sent \(times); --deduplicate first sends to "
                + "each token once"
        }
    }
}
