import FanfareBase
import FanfareCore
import FanfareTestSupport
import Testing

@testable import Fanfare

/// The faults of a configuration, told before anything is sent.
@Suite struct PreparedJobTests {
    private func plan(
        _ text: String = "token,name\naa,Eva\n", payload: String? = #"{"aps":{}}"#,
        _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> PreparedJob {
        var configuration = Preparation.configuration(text, payload: payload)
        change(&configuration)
        return try PreparedJob(configuration, identity: Preparation.identity)
    }

    private func failure(
        _ text: String = "token,name\naa,Eva\n", payload: String? = #"{"aps":{}}"#,
        _ change: (inout Configuration) -> Void = { _ in }
    ) -> FanfareError? {
        fanfareError { _ = try plan(text, payload: payload, change).laneSettings() }
    }

    // MARK: Payload

    @Test(arguments: ["", "nonsense", "[1]", #"{"aps":{}"#, #""text""#])
    func `a template is a JSON object`(json: String) {
        let error = failure(payload: json)
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix("the template is not a JSON object") == true)
    }

    @Test(arguments: [
        (#"{"a":"{{name"}"#, "is never closed with }}"), (#"{"a":"{{}}"}"#, "has no name"),
        (#"{"a":"x{{name:json}}"}"#, "has :json, but is not the whole string"),
        (#"{"a":"{{name:json|x}}"}"#, "has :json and a default that is not JSON"),
    ])
    func `a placeholder's fault is told with its place`(json: String, fault: String) {
        let error = failure(payload: json)
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix("placeholder {{") == true)
        #expect(error?.message.contains("of the template \(fault)") == true)
    }

    @Test func `a template's column has to be in the header`() {
        let error = failure(payload: #"{"a":"{{nmae|friend}}"}"#)
        #expect(error?.code == .input)
        #expect(
            error?.message == "input has no column 'nmae', which the payload template wants; its "
                + "columns: token, name. To use one under another name: RowOptions.mapping = "
                + "[\"nmae\": \"name\"]")
        #expect(failure(#"{"token":"aa"}"#, payload: #"{"a":"{{nmae}}"}"#) == nil)
    }

    @Test func `without a template the payload is a column`() {
        let error = failure(payload: nil)
        #expect(error?.code == .input)
        #expect(error?.message.contains("no column 'payload'") == true)
        #expect(error?.message.contains("Configuration.payload") == true)
        #expect(failure("token,payload\naa,{}\n", payload: nil) == nil)
    }

    @Test func `a mapped column has to be there, and to be of use`() {
        let absent = failure { $0.rows.mapping = ["id": "user"] }
        #expect(absent?.code == .input)
        #expect(
            absent?.message.contains(
                "no column 'user', which RowOptions.mapping "
                    + "names") == true)
        let useless = failure { $0.rows.mapping = ["collapse-id": "name"] }
        #expect(useless?.code == .configuration)
        #expect(
            useless?.message.hasPrefix(
                "RowOptions.mapping = [\"collapse-id\": \"name\"]: nothing "
                    + "reads 'collapse-id'; ")
                == true)
        #expect(useless?.message.contains("collapse_id") == true)
        #expect(failure { $0.rows.mapping = ["id": "name"] } == nil)
        #expect(failure(#"{"token":"aa"}"#) { $0.rows.mapping = ["id": "user"] } == nil)
        #expect(
            failure(payload: #"{"a":"{{who}}"}"#) { $0.rows.mapping = ["who": "name"] } == nil)
    }

    @Test func `carried columns have to be there`() {
        let error = failure { $0.report.carriedColumns = ["name", "segment"] }
        #expect(
            error?.message.contains(
                "no column 'segment', which ReportOptions.carriedColumns "
                    + "names") == true)
    }

    // MARK: Inputs

    @Test func `a file that is named more than once is told`() throws {
        let folder = try TemporaryFolder()
        let rows = try folder.write("token\naa\n", to: "rows.csv")
        let others = try folder.write("token\nbb\n", to: "others.csv")
        try folder.link("link.csv", to: rows)
        let (link, dotted) = (folder.path("link.csv"), folder.path + "/./rows.csv")
        let advice = "; RowOptions.deduplication = .first sends to each token once"
        for (paths, told) in [
            ([rows, others], []),
            ([rows, others, rows], ["\(rows) is named twice, so each of its rows is sent twice"]),
            (
                [rows, link],
                ["\(rows) and \(link) are one file, so each of its rows is sent twice"]
            ),
            (
                [rows, rows, dotted],
                ["\(rows) and \(dotted) are one file, so each of its rows is sent 3 times"]
            ),
        ] as [([String], [String])] {
            let inputs = paths.map { RowInput.file($0) }
            #expect(
                try plan { $0.inputs = inputs }.notices.map(\.description)
                    == told.map { $0 + advice })
            let once = try plan {
                $0.inputs = inputs
                $0.rows.deduplication = .first
            }
            #expect(once.notices.isEmpty)
        }
        // The people of a seed list get it once in any case.
        let seeded = try plan {
            $0.inputs = [.file(rows), .file(rows)]
            $0.seeds = SeedOptions()
        }
        #expect(seeded.notices.isEmpty)
    }

    // MARK: Report

    @Test(arguments: [ReportToken.prefix, .hash])
    func `a hidden token is not carried along`(token: ReportToken) {
        for (columns, mapping) in [
            (["token"], [:]), (["device"], ["token": "device"]),
        ] as [([String], [String: String])] {
            let error = failure("token,device\naa,bb\n") {
                $0.report.token = token
                $0.report.carriedColumns = columns
                $0.rows.mapping = mapping
            }
            #expect(error?.code == .configuration)
            #expect(
                error?.message.hasPrefix(
                    "ReportOptions.carriedColumns \(columns[0]) would "
                        + "show") == true)
        }
        #expect(
            failure("token,device\naa,bb\n") {
                $0.report.carriedColumns = ["device"]
                $0.rows.mapping = ["token": "device"]
            } == nil)
    }

    /// A reader goes by names, and would take the one for the other.
    @Test func `a carried column is not called as one of the report, or as another one`() {
        for column in ReportFormat.columns {
            let error = failure("token,device,\(column)x,\(column)\n") {
                $0.report.carriedColumns = ["device", column]
            }
            #expect(error?.code == .configuration)
            #expect(
                error?.message.contains(
                    "ReportOptions.carriedColumns = [\"NAME\"] "
                        + "RowOptions.mapping = [\"NAME\": \"\(column)\"]") == true)
        }
        let twice = failure("token,device\n") { $0.report.carriedColumns = ["device", "device"] }
        #expect(twice?.message == "ReportOptions.carriedColumns names 'device' twice")
        // As the message says.
        #expect(
            failure("token,outcome\n") {
                $0.report.carriedColumns = ["last_outcome"]
                $0.rows.mapping = ["last_outcome": "outcome"]
            } == nil)
    }

    @Test(arguments: [
        "report.txt", "report", "report.gz", "report.txt.zst", "report.csv.bz2", "csv",
    ])
    func `a report's name tells its format`(path: String) {
        let error = failure { $0.report.path = path }
        #expect(error?.code == .configuration)
        #expect(
            error?.message
                == "ReportOptions.path \(path): the name must end in .csv or .ndjson, or that and "
                + ".gz or .zst, or in .sqlite or .db"
        )
    }

    @Test(arguments: [
        ("a.csv", ReportFormat.Kind.csv), ("A.CSV", .csv), ("-", .csv), ("", .csv),
        ("/dev/fd/3", .csv), ("a.csv.gz", .csv), ("a.ndjson.ZST", .ndjson), ("a.ndjson", .ndjson),
        ("A.NDJSON", .ndjson),
    ])
    func `good names are taken`(path: String, kind: ReportFormat.Kind) throws {
        #expect(try plan { $0.report.path = path }.preparation.report.kind == kind)
    }

    // MARK: Engine

    @Test(arguments: [0, -1, 1025])
    func `connections have bounds`(count: Int) {
        let error = failure { $0.engine.connections = count }
        #expect(error?.code == .configuration)
        #expect(error?.message == "connections: \(count) is not between 1 and 1024")
    }

    @Test(arguments: [0, -3])
    func `nothing can be done with less than one lane, stream or attempt`(count: Int) {
        let changes: [(String, (inout Configuration) -> Void)] = [
            ("lanes", { $0.engine.lanes = count }), ("streams", { $0.engine.streams = count }),
            ("attempts", { $0.engine.attemptsMax = count }),
        ]
        for (name, change) in changes {
            let error = failure { change(&$0) }
            #expect(error?.code == .configuration, "\(name)")
            #expect(error?.message.hasPrefix("\(name): \(count) is not between 1 and ") == true)
        }
    }

    @Test func `streams beyond what fits into memory are refused`() {
        #expect(failure { $0.engine.streams = 1 << 30 }?.code == .configuration)
        #expect(failure { $0.engine.streams = 10_000 } == nil)
    }

    @Test func `times have to be positive`() {
        #expect(failure { $0.engine.timeout = .zero }?.code == .configuration)
        #expect(failure { $0.engine.connectTimeout = .seconds(-1) }?.code == .configuration)
        #expect(failure { $0.engine.giveUpAfter = .zero }?.code == .configuration)
    }

    @Test(arguments: [(4, 2, [2, 2]), (5, 3, [2, 2, 1]), (1, 8, [1]), (3, 8, [1, 1, 1])])
    func `lanes share the connections, and none goes without`(
        connections: Int, lanes: Int, shares: [Int]
    ) throws {
        let plan = try plan {
            $0.engine.connections = connections
            $0.engine.lanes = lanes
        }
        #expect(plan.lanes == shares.count)
        #expect(try plan.laneSettings().map(\.dispatch.connections) == shares)
    }

    // MARK: Provider

    @Test(arguments: ["example.com", "10.0.0.1", "api.push.apple.com", "localhost.example.com"])
    func `an unchecked certificate is for loopback only`(host: String) {
        let error = failure {
            $0.provider.endpoint = Endpoint(host: host, port: 443)
            $0.provider.verifiesServer = false
        }
        #expect(error?.code == .configuration)
        #expect(
            error?.message == "ProviderOptions.verifiesServer = false is for loopback addresses "
                + "only; \(host) is none. "
                + "ProviderOptions.caFile trusts a certificate of your own")
    }

    @Test(arguments: ["localhost", "127.0.0.1", "127.9.9.9", "::1"])
    func `a loopback address may go unchecked`(host: String) {
        let error = failure {
            $0.provider.endpoint = Endpoint(host: host, port: 8443)
            $0.provider.verifiesServer = false
        }
        #expect(error == nil)
    }

    @Test func `a token service is reached as the provider is`() throws {
        let service = Endpoint(host: "oauth2.googleapis.com", port: 443)
        let local = Endpoint(host: "127.0.0.1", port: 9, usesTLS: false)
        let plan = try plan()
        #expect(
            try PreparedJob.way(to: service, by: plan.configuration.provider).tls?.serverName
                == "oauth2.googleapis.com")
        #expect(try PreparedJob.way(to: service, by: plan.configuration.provider).proxy == nil)
        #expect(try PreparedJob.way(to: local, by: plan.configuration.provider).tls == nil)
        let other = Endpoint(host: "192.168.0.1", port: 9, usesTLS: false)
        #expect(throws: FanfareError.self) {
            try PreparedJob.way(to: other, by: plan.configuration.provider)
        }

        let unverified = try self.plan {
            $0.provider.endpoint = Endpoint(host: "127.0.0.1", port: 443)
            $0.provider.verifiesServer = false
        }
        let error = #expect(throws: FanfareError.self) {
            try PreparedJob.way(to: service, by: unverified.configuration.provider)
        }
        #expect(error?.message.contains("oauth2.googleapis.com is none") == true)

        let proxied = try self.plan {
            $0.provider.proxy = Proxy(host: "proxy.example", port: 3128)
        }
        #expect(
            try PreparedJob.way(to: service, by: proxied.configuration.provider).proxy?.target
                == "oauth2.googleapis.com:443")
    }

    @Test(arguments: [
        ("api.push.apple.com", false), ("192.168.0.1", false), ("localhost", true), ("::1", true),
    ])
    func `credentials travel in the clear to a loopback address only`(
        host: String, isTaken: Bool
    ) {
        let error = failure {
            $0.provider.endpoint = Endpoint(host: host, port: 8080, usesTLS: false)
        }
        #expect((error == nil) == isTaken)
        guard !isTaken else { return }
        #expect(error?.code == .configuration)
        #expect(error?.message.hasPrefix("http://\(host):8080 is not encrypted") == true)
    }

    @Test func `the job's header values go through the rows' rules`() {
        let changes: [(String, (inout ProviderOptions) -> Void)] = [
            ("ProviderOptions.topic a b: topic is not a valid header value", { $0.topic = "a b" }),
            (
                "ProviderOptions.pushType a b: push_type is not a valid header "
                    + "value", { $0.pushType = "a b" }
            ),
            ("ProviderOptions.priority 7: priority must be 1 or 5 or 10", { $0.priority = "7" }),
            (
                "ProviderOptions.priority 10: priority must be 5 for background pushes",
                {
                    $0.pushType = "background"
                    $0.priority = "10"
                }
            ),
            (
                "ProviderOptions.expiration soon: expiration is not 0 or a time in unix seconds",
                { $0.expiration = "soon" }
            ),
            (
                "ProviderOptions.collapseID \(String(repeating: "x", count: 65)): collapse_id is "
                    + "longer than 64 bytes", { $0.collapseID = String(repeating: "x", count: 65) }
            ),
        ]
        for (message, change) in changes {
            let error = failure { change(&$0.provider) }
            #expect(error?.code == .configuration)
            #expect(error?.message == message)
        }
    }

    @Test func `the request has what the options say`() throws {
        let settings = try plan {
            $0.provider.endpoint = .apns(.sandbox, port: 2197)
            $0.provider.pushType = "voip"
            $0.provider.expiration = "0"
        }.laneSettings()
        let service = try #require(settings.first).connection.service
        let request = try #require(service as? APNs).settings
        #expect(request.scheme == "https")
        #expect(request.authority == "api.sandbox.push.apple.com:2197")
        #expect(request.topic == "com.example.app.voip")
        #expect(request.pushType == "voip")
        #expect(request.priority == nil && request.collapseID == nil)
        #expect(request.expiration == "0")
        #expect(settings.first?.connection.tls?.serverName == "api.sandbox.push.apple.com")
    }

    @Test func `a push type is always sent`() throws {
        let settings = try plan {
            $0.provider.endpoint = Endpoint(host: "::1", port: 80, usesTLS: false)
        }.laneSettings()
        let connection = try #require(settings.first).connection
        let request = try #require(connection.service as? APNs).settings
        #expect(request.pushType == "alert")
        #expect(request.scheme == "http" && request.authority == "[::1]")
        #expect(connection.tls == nil)
    }

    @Test func `keys and certificates that cannot be read are told`() throws {
        let folder = try TemporaryFolder()
        let missing = folder.path("none.p8")
        let key = failure {
            $0.provider.credentials = .token(keyFile: missing, keyID: "K", teamID: "T")
        }
        #expect(key?.code == .input)
        #expect(key?.message.contains(missing) == true)
        let certificate = failure {
            $0.provider.credentials = .certificate(
                file: missing, keyFile: nil, passphraseFile: nil)
        }
        #expect(certificate?.code == .input)
        #expect(certificate?.message.contains(missing) == true)
    }

    @Test func `a push type that takes one priority gets it`() throws {
        let plan = try plan("token\n") { $0.provider.pushType = "background" }
        #expect((plan.routes[0].service as? APNs)?.settings.priority == "5")
    }
}
