import FanfareCore
import FanfareSystem

/// The last stage of a report: its lines in the order of their rows.
extension ReportJournal where Disk == FileSystem {
    /// Puts the report in order, or copies it in order to its destination; it is at rest, or
    /// complete.
    /// - Parameters:
    ///   - ordering: The ordering to use.
    ///   - lineCount: The number of its lines; `nil` if that is not known.
    /// - Throws: `FanfareError.Code.output`; a report that has a file is unchanged then.
    func order(by ordering: ReportOrdering, lineCount: UInt64?) throws(FanfareError) {
        guard let path = files.reportPath else { return }
        if let destination = files.destination {
            return try ordering.write(
                path, to: destination, folder: OutputFiles.collectingFolder, lineCount: lineCount)
        }
        do throws(FanfareError) {
            // If the process is killed, the next run has to know whose file the copy is.
            try note(isBeingOrdered: true)
            try ordering.replace(path, lineCount: lineCount) { length throws(FileError) in
                try checkpoint?.replaceReport(byBytes: length)
            }
        } catch {
            // The copy is gone. If that cannot be recorded, a later run removes the copy's
            // leftovers.
            try? note(isBeingOrdered: false)
            throw error
        }
    }

    private func note(isBeingOrdered: Bool) throws(FanfareError) {
        try told(\.outputError) { () throws(FileError) in
            try checkpoint?.orderReport(isBeingOrdered)
        }
    }
}
