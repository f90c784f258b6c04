import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareTestSupport
import Testing

/// The page about a check.
@Suite struct CheckPageTests {
    private static let place = RehearsalFigures.Place(row: 7, input: 0, line: 8)

    private static func page(_ message: MessagePreview) throws -> PageTree {
        var figures = RehearsalFigures()
        figures.countRows(2)
        _ = figures.countReady(tokenBytes: 64, payloadBytes: 4000, bytesMax: 4096)
        figures.add(large: place, bytes: 4000, bytesMax: 4096)
        figures.note("token is empty", at: .init(row: 9, input: 0, line: 10))
        let result = RehearsalResult(
            figures: figures, values: [], inputs: ["rows.csv"], rate: nil, ramp: 0,
            connections: nil, census: nil)
        var tally = Tally()
        TallySample.record(&tally, .skipped, 0, "valid", attempts: 0)
        TallySample.record(&tally, .invalid, 0, "token is empty", attempts: 0)
        tally.rowsRead = 2
        var page = JobPage(
            title: "Check of rows.csv", lead: "Nothing was sent.", footer: "Made by fanfare.",
            tally: tally, latency: LatencyHistogram(), rowCount: 2)
        page.check = JobPage.Check(
            result, warnings: ["payload.json has no 'aps'"], previews: [(place, message)])
        return try PageTree(page.render())
    }

    @Test func `a notification is shown on a light and on a dark phone`() throws {
        var message = MessagePreview(.iPhone)
        message.title = "Doors <open>"
        message.body = "at eight \u{1F468}\u{200D}\u{1F469}"
        let tree = try Self.page(message)
        let phones = tree.root.all("div").filter {
            $0.attributes["class"]?.hasPrefix("phone ") == true
        }
        #expect(phones.map { $0.attributes["class"] } == ["phone ios lt", "phone ios dk"])
        for phone in phones {
            #expect(
                phone.all("p").map(\.text) == [
                    "Doors <open>", "at eight \u{1F468}\u{200D}\u{1F469}",
                ])
        }
        #expect(tree.root.all("h3").first?.text == "Row 7, an iPhone")
    }

    @Test func `a long text says how much of it is seen, a silent one why nothing is`() throws {
        var long = MessagePreview(.android)
        long.body = String(repeating: "b", count: 300)
        let caption = try #require(try Self.page(long).root.all("figcaption").first)
        #expect(
            caption.all("p").map(\.text) == ["The body has 300 characters; about 240 are seen."])
        var silent = MessagePreview(.iPhone)
        silent.silence = "Nothing is shown."
        let tree = try Self.page(silent)
        #expect(tree.root.all("figcaption").first?.all("p").map(\.text) == ["Nothing is shown."])
        #expect(
            !tree.root.all("div").contains {
                $0.attributes["class"]?.hasPrefix("phone ") == true
            })
    }

    @Test func `the rows to look at have their numbers`() throws {
        let tree = try Self.page(MessagePreview(.iPhone))
        func cells(_ caption: String) -> [[String]]? {
            tree.root.all("table").first { $0.all("caption").first?.text == caption }?
                .all("tbody").first?.cells
        }
        #expect(cells("Rows with the largest payloads") == [["Row 7", "4000", "4096", "96"]])
        #expect(cells("The first rows of each reason") == [["token is empty", "1", "Row 9"]])
        #expect(tree.root.all("li").first?.text == "payload.json has no 'aps'")
    }
}
