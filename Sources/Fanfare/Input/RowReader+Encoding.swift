import FanfareBase
import FanfareCore

/// The look at an input's first rows for another encoding than UTF-8.
extension RowReader {
    /// Rows that are not UTF-8 at the beginning of an input that is taken for it.
    struct OtherEncoding {
        /// The line of the first byte that does not fit.
        var line: UInt64
        /// The encoding that those rows look like, if it is one that can be read.
        var encoding: TextEncoding?
        /// True if there are also rows with letters in UTF-8: no encoding fits all of them.
        var isMixture: Bool

        /// Returns the error for people.
        /// - Parameter name: The input.
        /// - Returns: The error, with the line.
        func error(in name: String) -> FanfareError {
            let advice: Statement =
                isMixture
                ? ", but other lines with letters beyond ASCII are, so no encoding fits all of them. "
                    + "Write the file anew in UTF-8, or say \(.encoding, RowEncoding.utf8), which "
                    + "sends the others and takes such rows for invalid"
                : Self.advice(encoding, isUpToThem: true)
            return FanfareError(.input, "\(name): line \(line) is not UTF-8" + advice)
        }

        /// Returns advice on a text that is not UTF-8, to go behind a message.
        /// - Parameters:
        ///   - encoding: The encoding that it looks like.
        ///   - isUpToThem: True if people can set the encoding.
        /// - Returns: The advice.
        static func advice(_ encoding: TextEncoding?, isUpToThem: Bool) -> Statement {
            guard let encoding, let known = RowEncoding(rawValue: encoding.rawValue) else {
                return
                    "; the bytes do not tell which encoding it is. iconv -f ENCODING -t UTF-8 converts "
                    + "the file from any"
            }
            return isUpToThem
                ? "; this looks like \(known.rawValue): \(.encoding, known)"
                : "; this looks like \(known.rawValue): iconv -f \(known.rawValue) -t UTF-8 converts "
                    + "the file"
        }
    }

    /// Looks at the first rows of an input, which are gone then.
    ///
    /// If more rows have letters in UTF-8 than have bytes that are not, it is UTF-8, and those rows are
    /// damaged.
    /// - Returns: `nil` if they are UTF-8, or if a setting or a mark says what they are.
    func otherEncoding() -> OtherEncoding? {
        guard mayBeOther else { return nil }
        var survey = EncodingSurvey()
        let batch = RowBatch(slotCount: head.schema.slotCount)
        let end = offset + UInt64(Limits.encodingLookBytes)
        while offset < end, (try? fill(batch)) == true { survey.look(at: batch) }
        return survey.result
    }

    /// Looks at the rows that were read and not handed out yet, as they are of a pipe.
    /// - Returns: As of a file.
    func otherEncodingAtHand() -> OtherEncoding? {
        guard mayBeOther else { return nil }
        var survey = EncodingSurvey()
        surveyAtHand { survey.look(at: $0) }
        return survey.result
    }

    private var mayBeOther: Bool {
        text.takesForUTF8 && text.rows == nil && !text.input.isSequence
    }
}

extension Limits {
    /// The text at the beginning of an input that is looked at before anything is sent: some 10,000 rows,
    /// in a few milliseconds.
    static let encodingLookBytes = 1024 * 1024
}

/// The counts by which an input is taken for UTF-8, or not.
private struct EncodingSurvey {
    private var firstLine: UInt64?
    private var foreign = ForeignText()
    private var foreignCount = 0
    /// Rows with letters in UTF-8.
    private var wideCount = 0

    mutating func look(at batch: RowBatch) {
        for index in 0..<batch.rowCount {
            let row = unsafe batch.rawRow(index)
            guard let offset = unsafe UTF8Check.firstFault(in: row) else {
                if unsafe row.contains(where: { $0 >= 0x80 }) { wideCount += 1 }
                continue
            }
            foreignCount += 1
            unsafe foreign.add(row)
            if firstLine == nil {
                let lineEnds = unsafe row.prefix(offset).count { $0 == UInt8(ascii: "\n") }
                firstLine = unsafe batch.rows[index].line + UInt64(lineEnds)
            }
        }
    }

    var result: RowReader.OtherEncoding? {
        guard let firstLine, foreignCount > wideCount else { return nil }
        // A text in another encoding has such a row by chance: a name that was spoiled before.
        return RowReader.OtherEncoding(
            line: firstLine, encoding: foreign.encoding, isMixture: 10 * wideCount > foreignCount)
    }
}
