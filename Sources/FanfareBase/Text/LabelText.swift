/// The rules for words by which people know a job.
///
/// They are shown on terminals and pages, written to logs, and read by other programs.
package enum LabelText {
    /// Looks for a fault of a text.
    /// - Parameters:
    ///   - text: The text.
    ///   - bytesMax: The most bytes of UTF-8 that it may have.
    /// - Returns: The fault as a predicate, such as `is empty`; `nil` for a good text.
    package static func fault(_ text: String, bytesMax: Int) -> String? {
        if !text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) {
            return "is empty"
        }
        if text.unicodeScalars.contains(where: { $0 == "\n" || TerminalText.isObeyed($0) }) {
            return "has a character in it that cannot be shown, such as a line end"
        }
        guard text.utf8.count <= bytesMax else {
            return "has \(text.utf8.count) bytes, and may have \(bytesMax)"
        }
        return nil
    }
}

/// Bounds of words for people.
extension Limits {
    /// The longest name of a job: a line of a terminal twice, or 66 letters of three bytes.
    ///
    /// It is a label of one metric, so that it stays short.
    package static let jobNameBytesMax = 200

    /// The longest remark about a job: a few sentences.
    package static let jobNoteBytesMax = 1000
}
