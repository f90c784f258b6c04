import Fanfare
import Testing

@testable import FanfareCLI

@Suite struct SendPlanTests {
    private var plan: SendPlan {
        var plan = SendPlan()
        plan.rows = 2_913_201
        plan.routes = ["apns, production: com.example.app", "fcm, fcm.googleapis.com: my-app"]
        plan.sample = #"{"aps":{"alert":"Hi Ada"}}"#
        plan.rate = SendingRate(2000)
        plan.hours = "09:00-20:00 in the zone in column tz"
        return plan
    }

    @Test func `a person sees what is about to happen`() {
        #expect(
            plan.question == """
                About to send to about 2,913,201 rows:
                  to          apns, production: com.example.app
                              fcm, fcm.googleapis.com: my-app
                  first row   Hi Ada
                  hours       09:00-20:00 in the zone in column tz
                  time        about 24 min 17 s at 2000/s
                Type yes to send:\u{20}
                """)
    }

    /// 60 columns without the 14 of the names and the last one are 45.
    @Test func `a narrow terminal has shorter lines`() {
        var plan = plan
        let body = Array(repeating: "eight888", count: 10).joined(separator: " ")
        plan.sample = #"{"aps":{"alert":"\#(body)"}}"#
        plan.columns = 60
        // Five words and four blanks are 44.
        let line = Array(repeating: "eight888", count: 5).joined(separator: " ")
        #expect(
            plan.question.contains("  first row   \(line)\n              \(line)\n"))
    }

    /// 2,913,201 rows, of which a quarter are FCM's: 728,300.25 at 500/s take 1,456.6 s, and the others,
    /// 2,184,900.75 at 4000/s, 546.2 s.
    @Test func `rates of single providers make a time, too`() {
        var plan = plan
        plan.rate = nil
        plan.paces = [
            .init(route: "apns", rate: SendingRate(4000), share: 0.75),
            .init(route: "fcm", rate: SendingRate(500), share: 0.25),
        ]
        #expect(
            plan.question.contains(
                "  time        about 24 min 17 s: apns at 4000/s, fcm at 500/s\n"))
        // The rate of all together is the slower one here: 2,913,201 at 1000/s.
        plan.rate = SendingRate(1000)
        #expect(
            plan.question.contains(
                "  time        about 48 min 33 s at 1000/s, apns at 4000/s, fcm at 500/s\n"))
    }

    @Test func `the time of providers that are not known in full is a least one, or none`() {
        var plan = plan
        plan.rate = nil
        plan.paces = [.init(route: "fcm", rate: SendingRate(500), share: 0.25)]
        #expect(plan.question.contains("  time        at least about 24 min 17 s: fcm at 500/s\n"))
        plan.paces[0].share = nil
        #expect(plan.question.contains("  time        fcm at 500/s\n"))
    }

    /// 10 requests of 1,000 rows a second are 10,000 rows: 2,913,201 of them take 291.3 s.
    @Test func `the pace of a described provider has its own words`() {
        var plan = plan
        plan.rate = nil
        plan.routes = ["jpush, api.jpush.cn"]
        plan.paces = [
            .init(
                route: "jpush", rate: SendingRate(10_000), share: 1,
                words: "jpush asks for 10 requests a second")
        ]
        #expect(
            plan.question.contains(
                "  time        about 4 min 51 s: jpush asks for 10 requests a second\n"))
    }

    @Test func `what is not known is said so`() {
        var plan = SendPlan()
        plan.routes = ["apns, production: com.example.app"]
        #expect(
            plan.question == """
                About to send to an unknown number of rows:
                  to          apns, production: com.example.app
                  time        as fast as the provider takes them
                Type yes to send:\u{20}
                """)
        plan.rate = SendingRate(2000)
        #expect(plan.question.contains("  time        at 2000/s\n"))
    }

    @Test func `a job that is carried on says what is left`() {
        var plan = plan
        plan.resumes = true
        #expect(plan.isLarge)
        #expect(plan.question.hasPrefix("About to send to what is left of about 2,913,201 rows:\n"))
        plan.done = 2_900_000
        #expect(
            plan.question.hasPrefix(
                "About to send to about 13,201 rows, which are left of about 2,913,201 rows:\n"))
        plan.done = 2_912_201
        #expect(!plan.isLarge)
        plan.done = .max
        #expect(!plan.isLarge)
    }

    @Test func `a choice of rows says how many they may be, and what becomes of the others`() throws
    {
        var plan = plan
        plan.choice.conditions = [try RowCondition("platform=ios")]
        plan.choice.sample = try RowSample(percent: 1)
        let lines = plan.question.split(separator: "\n")
        #expect(lines[0] == "About to send to at most about 29,133 of about 2,913,201 rows:")
        #expect(
            lines[1]
                == "  only        platform=ios, a sample of 1%; --resume sends the others of those later"
        )
        #expect(plan.question.contains("about 14.6 s at 2000/s"))
        var others = plan
        others.choice.sample = nil
        #expect(others.question.contains("\n  only        platform=ios\n"))
        others.choice = RowChoice()
        others.choice.limit = 1000
        #expect(others.question.contains(" the first 1,000; --resume sends the others later\n"))
        plan.choice.limit = 1000
        #expect(!plan.isLarge)
        plan.choice.limit = 1001
        #expect(plan.isLarge)
        plan.rows = nil
        #expect(
            plan.question.hasPrefix("About to send to at most about 1,001 rows:\n"))
    }

    @Test(arguments: [(UInt64?.none, true), (0, false), (1000, false), (1001, true)])
    func `more than a thousand rows are asked about`(rows: UInt64?, isLarge: Bool) {
        var plan = SendPlan()
        plan.rows = rows
        #expect(plan.isLarge == isLarge)
    }

    @Test func `devices of users are behind the provider's own servers and others far away`() {
        func route(_ endpoint: Endpoint) -> ProviderOptions {
            var options = ProviderOptions()
            options.endpoint = endpoint
            return options
        }
        #expect(SendQuestion.isProduction(route(.apns(.production, port: 443))))
        #expect(SendQuestion.isProduction(route(.apns(.production, port: 2197))))
        #expect(
            SendQuestion.isProduction(
                route(Endpoint(host: "gateway.example", port: 443, usesTLS: true))))
        #expect(!SendQuestion.isProduction(route(.apns(.sandbox, port: 2197))))
        #expect(
            !SendQuestion.isProduction(
                route(Endpoint(host: "127.0.0.1", port: 8443, usesTLS: true))))
    }

    @Test(
        arguments: [
            ("", 0, true, 0), ("token\n", 6, true, 0), ("token\na\nb\n", 10, true, 2),
            ("token\na\nb", 9, true, 2), ("a\nb\n", 4, false, 2),
            ("{\"token\":1}\n{}\n", 15, true, 2),
            // Five bytes a line, so that 1,000 bytes have 200 lines and one of them is the header.
            ("aaaa\nbbbb\n", 1000, true, 199),
            ("\u{1F}\u{8B}", 1000, true, nil),
            // A million objects may be on one line.
            ("[{\"token\":1},{\"token\":2}]\n", 27, true, nil), (" \n[", 1000, true, nil),
            ("\u{EF}\u{BB}\u{BF}[{", 1000, true, nil),
            ("\u{EF}\u{BB}\u{BF}{\"token\":1}\n", 15, true, 1),
        ] as [(String, Int, Bool, UInt64?)])
    func `rows are estimated from the first lines`(
        head: String, size: Int, hasHeader: Bool, rows: UInt64?
    ) {
        let bytes = head.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(RowEstimate.rows(head: bytes, size: size, hasHeader: hasHeader) == rows)
    }
}
