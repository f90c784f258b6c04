import FanfareBase
package import FanfareCore

/// The rows of a worker whose report is lost for good, for which a person has lines written.
package struct ClusterLostReport: Sendable {
    /// The worker, as commands call it, and where its report was.
    package let worker: String
    package let report: String
    /// The rows, counted from 0, of which it had told that its report has their lines.
    package let rows: RowIntervals
    /// The rows, counted from 1, that have a line in the reports that there are.
    package let reported: RowSet
    /// The number of its rows without a line.
    package let count: UInt64
    /// The cuts of the job's inputs, in their order.
    var cuts: [ClusterCut] = []

    /// - Parameters:
    ///   - holder: The worker.
    ///   - reported: The rows that have a line.
    init(_ holder: ClusterHolder, reported: RowSet) {
        worker = ClusterControl.shown(holder.label)
        report = holder.place
        rows = holder.toldRows
        self.reported = reported
        count = rows.missing(in: reported).count
    }

    /// Finds the rows without a line in the job's inputs, after it has made sure that these are the job's.
    /// - Parameters:
    ///   - files: The job's inputs, in their order.
    ///   - options: The settings for reading them.
    /// - Returns: The rows, and others of the cuts that they are in.
    /// - Throws: `FanfareError` with code `input` if these are other files, with code `configuration` if other settings are
    ///   right for them, and what reading them throws.
    package func rows(
        in files: [RowInput], _ options: RowOptions = RowOptions()
    ) throws(FanfareError) -> ClusterLostRows {
        // Of a cut that has a row to be written all rows are looked at anyway.
        try ClusterLostRows(of: self, in: files, options)
    }
}

extension ClusterControl {
    /// True if a worker of a shared job has written a report: the file of its folder is beside it.
    package static func isWorkers(report path: String) -> Bool {
        (try? ClusterFolderFile(besideReport: path).isWorkers) == true
    }

    /// Finds the rows of a worker whose report is lost.
    /// - Parameters:
    ///   - text: The worker, as commands call it.
    ///   - digest: The reports that there are, with the rows of each.
    ///   - name: The job.
    /// - Returns: Its rows without a line.
    /// - Throws: `FanfareError` with code `configuration` if the worker may still write its report, if that is among those
    ///   given, or if nothing of it is missing.
    package func lostReport(
        of text: String, _ digest: ReportDigest, in name: String
    ) throws(FanfareError) -> ClusterLostReport {
        let key = try key(of: name)
        let found = try holdings(of: key)
        let names = ClusterNames(found.holders.map { ($0.id, $0.name) })
        let place = try names.place(of: text, in: name)
        var lost = try Self.lostReport(of: place, found, digest, in: name)
        lost.cuts = try cuts(of: key)
        return lost
    }

    /// Returns the cuts of a job's inputs, in their order.
    private func cuts(of key: ClusterJobKey) throws(FanfareError) -> [ClusterCut] {
        let results = try run(
            """
            SELECT \(ClusterReading.cutColumns) FROM fanfare.cuts
            WHERE job = (SELECT job FROM fanfare.jobs WHERE \(key.isRow)) ORDER BY first_row
            """)
        do throws(ClusterRow.Fault) {
            var cuts: [ClusterCut] = []
            for values in results.first ?? [] { cuts.append(try ClusterReading.cut(values)) }
            return cuts
        } catch {
            throw Self.strange
        }
    }

    static func lostReport(
        of place: Int, _ found: ClusterHoldings, _ digest: ReportDigest, in name: String
    ) throws(FanfareError) -> ClusterLostReport {
        let holder = found.holders[place]
        let worker = shown(holder.label)
        let patience = ClusterPatience().others.components.seconds
        guard !holder.isAlive else {
            throw FanfareError(
                .configuration,
                message:
                    "\(worker) was heard of \(Int64(holder.silentSeconds)) s ago, so its report may be written yet (\(holder.place)); "
                    + "wait until it has been silent for \(patience) s")
        }
        if let stranger = found.strangers(in: digest).first {
            throw FanfareError(
                .configuration,
                message: "\(stranger.file) is the report of another job than \(name)")
        }
        if let part = digest.parts.first(where: { found.owner(of: $0) == place }) {
            throw FanfareError(
                .configuration,
                message:
                    "\(part.file) has lines of rows that \(worker) had, so it is the report of this worker, or what is "
                    + "left of it. Leave it out here, and name it when you merge: its lines count more than those that say "
                    + "\(Outcome.reportLostReason)")
        }
        let lost = ClusterLostReport(holder, reported: digest.rows)
        guard lost.count > 0 else {
            throw FanfareError(
                .configuration,
                message:
                    "each row of which \(worker) has told that its report has a line has one here: there is nothing "
                    + "to write")
        }
        return lost
    }
}

extension ClusterHoldings {
    /// Returns the worker that a report is of: that with the most rows that have a line of their own in it.
    func owner(of part: ReportRows) -> Int? {
        let lines = holders.map { $0.toldRows.count - $0.toldRows.missing(in: part.own).count }
        guard let most = lines.max(), most > 0 else { return nil }
        return lines.firstIndex(of: most)
    }
}
