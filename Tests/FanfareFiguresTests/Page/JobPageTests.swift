import FanfareBase
import FanfareCore
import FanfareFigures
import Testing

@Suite struct JobPageTests {
    private static func record(
        _ outcome: Outcome, _ status: UInt16, _ reason: String, attempts: UInt16 = 1,
        into tally: inout Tally
    ) {
        var reason = reason
        reason.withUTF8 {
            tally.record(
                outcome, status: status, reason: $0, index: .unlisted, attempts: attempts)
        }
        tally.rowsRead += 1
    }

    private static func line(
        _ row: UInt64, _ outcome: Outcome, attempts: UInt16 = 1, latency: Int64 = 20,
        sentAt: Int64?
    ) -> ReportLine {
        ReportLine(
            row: row, outcome: outcome, status: outcome == .accepted ? 200 : 503,
            reason: .empty, index: .unlisted,
            attempts: attempts, latencyNanoseconds: latency * 1_000_000, sentAtMilliseconds: sentAt)
    }

    /// Two rows every ten milliseconds for ten seconds, one in four of them failed.
    private static func digest() -> ReportDigest {
        var digest = ReportDigest(keepsSeries: true)
        for row in 0..<2000 {
            digest.record(
                line(
                    UInt64(row + 1), row % 4 == 3 ? .failed : .accepted,
                    attempts: row % 4 == 3 ? 3 : 1, sentAt: 1_800_000_000_000 + Int64(row / 2) * 10)
            )
        }
        digest.record(line(2001, .invalid, attempts: 0, sentAt: nil))
        digest.files = [.init(name: "r.csv", lines: 2001)]
        return digest
    }

    private static func tree(_ page: JobPage) throws -> PageTree { try PageTree(page.render()) }

    private static func table(_ caption: String, in tree: PageTree) throws -> [[String]] {
        let table = try #require(
            tree.all("table").first { $0.all("caption").first?.text == caption }, "\(caption)")
        return try #require(table.all("tbody").first).cells
    }

    private static func number(_ text: String) -> Double? {
        Double(text.replacing(",", with: ""))
    }

    private static func page() -> JobPage {
        digest().page(hasCheckpoint: false) { "list \($0) \($1.joined(separator: ","))" }
    }

    @Test func `the sums on the page are those of the report`() throws {
        let tree = try Self.tree(Self.page())
        let outcomes = try Self.table("Rows by outcome", in: tree)
        #expect(outcomes.map { $0[1] } == ["1,500", "500", "1"])
        #expect(outcomes.map { $0[2] } == ["75.0 %", "25.0 %", "< 0.1 %"])
        let figures = Dictionary(
            uniqueKeysWithValues: zip(
                tree.all("dt").map(\.text), tree.all("dd").map { $0.all("b")[0].text }))
        #expect(figures["Rows"] == "2,001")
        #expect(figures["Accepted"] == "1,500")
        #expect(figures["Undecided"] == "500")
        #expect(figures["Retries"] == "1,000")
        #expect(figures["Duration"] == "10.0 s")
        // Rates times the seconds of their buckets are the rows again: all that have a moment.
        let rows = try Self.table("Rows finished", in: tree)
        #expect(rows.count <= 60 && rows.count >= 30)
        let full = rows.dropFirst().dropLast(2)
        // 150 accepted and 50 others a second.
        for row in full {
            #expect(abs((Self.number(row[1]) ?? 0) - 150) < 10, "\(row)")
            #expect(abs((Self.number(row[2]) ?? 0) - 50) < 10, "\(row)")
        }
    }

    @Test func `what a report does not know is not drawn, and said`() throws {
        let tree = try Self.tree(Self.page())
        let titles = tree.all("h3").map(\.text)
        #expect(
            titles == [
                "Rows finished", "Rows not accepted", "Latency", "Retries",
                "How long answers took",
            ])
        let notes = tree.all("section").last?.text ?? ""
        #expect(notes.contains("How many connections were open"))
        #expect(notes.contains("1 rows have no moment"))
    }

    @Test func `each plot has a title, a description and its numbers`() throws {
        let tree = try Self.tree(Self.page())
        let figures = tree.all("figure")
        #expect(figures.count == 5)
        for figure in figures {
            let svg = try #require(figure.all("svg").first { $0.attributes["role"] == "img" })
            #expect(svg.all("title").first?.text.isEmpty == false)
            #expect(svg.all("desc").first?.text.isEmpty == false)
            #expect(figure.all("details").first?.all("tbody").first?.cells.isEmpty == false)
        }
        let ids =
            tree.all("title").compactMap { $0.attributes["id"] }
            + tree.all("desc").compactMap { $0.attributes["id"] }
            + tree.all("h2").compactMap { $0.attributes["id"] }
        #expect(Set(ids).count == ids.count)
    }

    @Test func `hostile texts stay texts`() throws {
        let text = "\"><script>alert(1)</script>&\u{202E}\0"
        let shown = "\"><script>alert(1)</script>&\u{FFFD}\u{FFFD}"
        var tally = Tally()
        Self.record(.rejected, 400, text, into: &tally)
        var page = JobPage(
            title: text, lead: text, footer: text, tally: tally, latency: LatencyHistogram(),
            rowCount: 1)
        page.stopMessage = text
        page.settings = [(text, text)]
        page.advice = [.init(text, command: text)]
        page.notes = [text]
        page.limits = [(text, 3)]
        let tree = try Self.tree(page)
        #expect(tree.all("script").isEmpty)
        #expect(tree.all("h1")[0].text == shown)
        #expect(tree.all("code")[0].text == shown)
        #expect(try Self.table("Settings", in: tree) == [[shown, shown]])
        #expect(try Self.table("Rows by reason", in: tree)[0][0] == "400 \(shown) rejected")
        #expect(try Self.table("Time by limit", in: tree) == [[shown, "3.0 s", "100.0 %"]])
    }

    @Test func `a job of nothing has a page`() throws {
        let page = JobPage(
            title: "t", lead: "l", footer: "f", tally: Tally(), latency: LatencyHistogram(),
            rowCount: 0)
        #expect(try Self.tree(page).all("figure").isEmpty)
        let digest = ReportDigest(keepsSeries: true)
        #expect(
            try Self.tree(digest.page(hasCheckpoint: true) { _, _ in "list" }).root.text
                .contains("ReportOptions.resumes"))
    }

    @Test func `rows without a line wait if the job can go on, and were excluded else`() throws {
        var digest = Self.digest()
        digest.record(Self.line(2101, .invalid, attempts: 0, sentAt: nil))
        for (hasCheckpoint, rows, label) in [
            (true, "2,101", "missing"), (false, "2,002", "without line"),
        ] {
            let tree = try Self.tree(digest.page(hasCheckpoint: hasCheckpoint) { _, _ in "list" })
            #expect(tree.all("dd").first?.all("b")[0].text == rows)
            let says = tree.root.text.contains("99 rows up to the highest one have no line")
            #expect(says != hasCheckpoint)
            let table = digest.table(hasCheckpoint: hasCheckpoint)
            #expect(table.contains("  \(label) "))
        }
    }

    @Test func `a page stays below 300 KB, after any job`() throws {
        var tally = Tally()
        var latency = LatencyHistogram()
        var series = TimeSeries()
        var dice = SplitMix64(seed: 7)
        for index in 0..<40_000 {
            let outcome = Outcome.allCases[index % Outcome.count]
            let nanoseconds = Int64(1) << Int64(dice.next() % 32 + 10)
            latency.record(nanoseconds: nanoseconds)
            Self.record(
                outcome, 500, String(repeating: "<&>\"", count: 64) + "\(index % 200)",
                attempts: UInt16(index % 5), into: &tally)
            var bucket = TimeSeries.Bucket()
            bucket.outcomes[outcome] = dice.next() % 100_000_000
            bucket.retries = dice.next() % 100_000_000
            bucket.attempts = bucket.retries
            bucket.connectionMilliseconds = dice.next() % 100_000_000
            bucket.requestMilliseconds = dice.next() % 100_000_000
            bucket.allowedMilliseconds = dice.next() % 100_000_000
            bucket.latency.record(nanoseconds: nanoseconds)
            series.add(bucket, atMilliseconds: 1_800_000_000_000 + Int64(index) * 97)
        }
        var page = JobPage(
            title: "t", lead: "l", footer: "f", tally: tally, latency: latency, rowCount: 40_000)
        page.series = series
        page.span = 1_800_000_000_000...1_800_003_880_000
        let bytes = page.render()
        #expect(bytes.count < 300_000, "\(bytes.count)")
        #expect(try PageTree(bytes).all("figure").count == 7)
    }
}
