import FanfareBase
import FanfareCore

/// Columns under the names that others give them.
extension RowSource {
    /// What is read from columns of other names.
    /// - Returns: From our names to the input's.
    /// - Throws: `FanfareError.Code.input` when there are two that a column may be.
    func otherNames(
        in columns: [String], of name: String
    ) throws(FanfareError) -> [String: String] {
        guard findsOtherNames else { return [:] }
        let found: [String: String]
        do throws(ColumnNames.Ambiguity) {
            found = try ColumnNames.found(in: columns, for: schema)
        } catch {
            let candidates = error.candidates.map { "'\(TerminalText.shown($0, max: 32))'" }
            throw FanfareError(
                .input,
                "\(name) has no column '\(error.column)', and more than one that may be it: "
                    + "\(candidates.joined(separator: ", ")). "
                    + "\(.mapping, of: error.column, is: "NAME") says which one")
        }
        // Later inputs are opened while the job runs; what is to be said of them `lookAhead` has said.
        guard next == 1 else { return found }
        for (ours, theirs) in found.sorted(by: { $0.key < $1.key }) {
            let values = ours == RowSchema.Known.token.name ? "tokens" : ours
            notices.append(
                "reading \(values) from column '\(TerminalText.shown(theirs, max: 32))' of \(name)")
        }
        return found
    }
}
