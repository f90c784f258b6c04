import FanfareBase
import FanfareCore
import FanfareFigures
import FanfareSimulator
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The figures of each provider of several: in summary, table, page and progress, and by a
/// rehearsal.
@Suite struct RouteFiguresTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func configuration(_ rows: String) -> Configuration {
        var configuration = Configuration()
        configuration.inputs = [.text(rows)]
        configuration.payload = .template(#"{"aps":{"alert":"Hi {{name|you}}"}}"#)
        configuration.routes.append(.fcm)
        configuration.routes[1].payload = .template(
            #"{"message":{"notification":{"title":"{{title|Hi}}"}}}"#)
        configuration.routes[1].project = "p"
        configuration.engine.lanes = 2
        return configuration
    }

    private func token(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 64 - digits.count) + digits
    }

    @Test func `a job counts by provider`() throws {
        let simulator = try Simulator()
        var rows = "token,name,title\n"
        for number in 0..<90 { rows += token(number) + ",n,t\n" }
        for number in 0..<10 { rows += "fcm-token-\(number):APA91b-x,n,t\n" }
        rows += "zz,n,t\n"
        var configuration = configuration(rows)
        configuration.report.path = folder.path("r.csv")
        configuration.report.keepsSeries = true
        for index in configuration.routes.indices {
            configuration.routes[index].endpoint = simulator.endpoint
            configuration.routes[index].caPEM = simulator.caPEM
        }
        configuration.routes[0].topic = "com.example.app"
        configuration.guards.stopIf = []
        let job = try Job(configuration)
        let result = try job.run()
        #expect(result.isComplete)
        let routes = result.summary.routes
        #expect(routes.map(\.name) == ["apns", "fcm"])
        #expect(routes[0].tally.count(.accepted) == 90)
        // "zz" is no token of APNs by its form.
        #expect(routes[1].tally.finished == 11)
        #expect(
            result.summaryJSON.contains(
                """
                  "routes": [
                    {
                      "provider": "apns",
                      "rows": 90,
                """))
        let table = result.table(usesColor: false)
        #expect(table.contains("  apns          90 rows, 100.0 % accepted"), "\(table)")
        #expect(table.contains("  fcm           11 rows, "), "\(table)")
        let page = String(decoding: result.html, as: UTF8.self)
        #expect(page.contains("Rows by provider"))
        let progress = job.progress.routes
        #expect(progress.map(\.provider) == [.apns, .fcm])
        #expect(progress.map(\.finished) == [90, 11])
        #expect(progress[0].accepted == 90 && progress[0].count(of: .accepted) == 90)
        #expect(job.progress.finished == 101)
        _ = simulator.stop()
    }

    @Test func `a provider that got no row has no share of accepted ones`() throws {
        let simulator = try Simulator()
        var configuration = configuration("token,name,title\n\(token(1)),n,t\n\(token(2)),n,t\n")
        configuration.report.path = folder.path("none.csv")
        for index in configuration.routes.indices {
            configuration.routes[index].endpoint = simulator.endpoint
            configuration.routes[index].caPEM = simulator.caPEM
        }
        configuration.routes[0].topic = "com.example.app"
        let table = try Job(configuration).run().table(usesColor: false)
        #expect(table.contains("  apns          2 rows, 100.0 % accepted"), "\(table)")
        #expect(table.contains("  fcm           0 rows\n"), "\(table)")
        _ = simulator.stop()
    }

    /// Half of an export is Android's, and those who send it to APNs learn where it belongs.
    @Test func `tokens of FCM in a job to APNs are told as such`() throws {
        let fcm = "dGhpcyBpcyBub3QgaGV4:APA91bHPRgkF3JUikC4E"
        var one = configuration("token,name\n\(token(1)),n\n\(fcm),n\nzz,n\n")
        one.routes.removeLast()
        one.report.path = ReportOptions.noFile
        let result = try Rehearsal(one).run()
        #expect(result.hints.count == 1)
        #expect(
            result.hints.first?.description.contains("tokens of FCM in a job to APNs: 1.") == true)
        var two = configuration("provider,token,name,title\nios,\(fcm),n,t\nandroid,\(fcm),n,t\n")
        two.report.path = ReportOptions.noFile
        let both = try Rehearsal(two).run()
        #expect(both.hints.isEmpty)
        #expect(both.summaryJSON.contains("token is one of FCM's"))
    }

    @Test func `the only provider is not told of twice`() throws {
        var one = configuration("token,name\n\(token(1)),n\n")
        one.routes.removeLast()
        one.report.path = ReportOptions.noFile
        let result = try Rehearsal(one).run()
        #expect(!result.summaryJSON.contains("routes"))
    }

    @Test func `a rehearsal says how rows were found, and what of their own template they lack`()
        throws
    {
        let rows = """
            os,token,name,title
            ios,\(token(1)),,t
            ,\(token(2)),n,
            android,abc:def,,
            ,abc:deg,,t
            symbian,abc,n,t

            """
        var configuration = configuration(rows)
        configuration.report.path = folder.path("check.csv")
        let rehearsal = try Rehearsal(configuration, samples: 4)
        let result = try rehearsal.run()
        #expect(
            result.summaryJSON.contains(
                """
                    "routes": [
                      {
                        "provider": "apns",
                        "rows_by_name": 1,
                        "rows_by_token": 1
                      },
                      {
                        "provider": "fcm",
                        "rows_by_name": 1,
                        "rows_by_token": 1
                      }
                    ],
                """))
        let table = result.table(usesColor: false)
        #expect(table.contains("  apns          2 rows: 1 by name, 1 by token"), "\(table)")
        // Of two rows of each one lacks its value; the row of no provider is held against the first one's.
        #expect(table.contains("1 row lacks name (20.0 %): line 2"), "\(table)")
        #expect(table.contains("1 row lacks title (20.0 %): line 4"), "\(table)")
        #expect(table.contains(#"{"aps":{"alert":"Hi you"}}"#))
        #expect(table.contains(#"{"message":{"token":"abc:def","notification":{"title":"Hi"}}}"#))
        #expect(result.outcomes["invalid"] == 1 && result.outcomes["skipped"] == 4)
        let lines = try folder.reportLines("check.csv")
        #expect(lines[5]?.contains { $0.contains("symbian") } == true)
    }
}
