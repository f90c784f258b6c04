import Fanfare
import FanfareSimulator

// The text between two markers is compiled here, and stands word for word in a document. This
// target sees only what is public.

struct User: Sendable {
    var token = ""
    var id = ""
    var name = ""
}

struct Database: Sendable {
    func forget(_ token: String) async throws {}
    func save(_ outcome: PushOutcome) async throws {}
    func users() -> AsyncStream<User> { AsyncStream { $0.finish() } }
}

private func library(users: [User], database: Database) async throws {
    // snippet: begin
    var configuration = Configuration()
    configuration.payload = .template(#"{"aps": {"alert": "Hi {{name|friend}}"}}"#)
    configuration.provider.credentials = .token(
        keyFile: "AuthKey.p8", keyID: "ABC123DEFG", teamID: "DEF123GHIJ")
    configuration.provider.topic = "com.example.app"
    configuration.report.path = "newsletter.csv"

    let rows = users.map { user in
        PushRow(token: user.token, id: user.id, values: ["name": .string(user.name)])
    }
    let job = PushJob(configuration, rows: rows)
    for try await outcome in job.outcomes where outcome.kind == .unregistered {
        try await database.forget(outcome.token)
    }
    let result = try await job.result
    print(result.count(of: .accepted), "of", result.rowsRead)
    // snippet: end
}

private func bothProviders() {
    var configuration = Configuration()
    // snippet: begin
    var android = ProviderOptions.fcm
    android.credentials = .serviceAccount(file: "firebase.json")
    android.rate = SendingRate(5000, per: .seconds(1))
    configuration.routes = [configuration.provider, android]
    configuration.payload = .message(Message(title: "Doors open", body: "Hello {{name|friend}}"))
    // snippet: end
}

private func job(configuration: Configuration, rows: [PushRow], database: Database) async throws {
    // snippet: begin
    let job = PushJob(configuration, rows: rows)
    for try await outcome in job.outcomes where outcome.kind == .unregistered {
        try await database.forget(outcome.token)
    }
    let result = try await job.result
    // snippet: end
    _ = result
}

private func row(user: User) -> PushRow {
    // snippet: begin
    PushRow(token: user.token, id: user.id, values: ["name": .string(user.name)])
    // snippet: end
}

private func message() {
    var configuration = Configuration()
    // snippet: begin
    configuration.payload = .message(
        Message(
            title: "Doors open", body: "Hello {{name|friend}}", link: "app://events/{{event}}",
            data: ["event": "{{event}}"], ttl: .seconds(3600), priority: .high))
    // snippet: end
    _ = configuration
}

private func files() async throws {
    var configuration = Configuration()
    // snippet: begin
    configuration.inputs = [.file("monday.csv"), .file("tuesday.ndjson.gz")]
    configuration.rows.mapping = ["token": "device_token"]
    let result = try await PushJob(configuration).run()
    // snippet: end
    _ = result
}

private func sequence(configuration: Configuration, database: Database) async throws {
    // snippet: begin
    let rows = database.users().map { @Sendable user in
        PushRow(token: user.token, id: user.id, values: ["name": .string(user.name)])
    }
    let job = PushJob(configuration, rows: rows)
    // snippet: end
    try await job.run()
}

private func values() -> PushRow {
    let token = ""
    // snippet: begin
    var row = PushRow(token: token)
    row.values = ["name": "Ada", "badge": 3, "user": ["city": "Graz", "tags": ["a", "b"]]]
    row.topic = "com.example.other"
    row.priority = 5
    // snippet: end
    return row
}

private func save(job: PushJob, database: Database) async throws {
    // snippet: begin
    for try await outcome in job.outcomes {
        try await database.save(outcome)
    }
    // snippet: end
}

private func progress(job: PushJob, database: Database) async throws {
    // snippet: begin
    let watching = Task {
        while !Task.isCancelled {
            let progress = job.progress
            print(progress.finished, "rows,", progress.inFlight, "in flight")
            try await Task.sleep(for: .seconds(1))
        }
    }
    defer { watching.cancel() }
    for try await outcome in job.outcomes {
        try await database.save(outcome)
    }
    // snippet: end
}

private func cancel(job: PushJob, database: Database) async throws {
    // snippet: begin
    let sending = Task {
        for try await outcome in job.outcomes {
            try? await database.save(outcome)
        }
    }
    // Later, when the service shuts down:
    sending.cancel()
    try await sending.value
    if try await job.result.isResumable { print("the rest is for the next start") }
    // snippet: end
}

private func resume(rows: [PushRow]) async throws {
    // snippet: begin
    var configuration = Configuration()
    configuration.report.path = "newsletter.csv"
    configuration.report.resumes = true
    let job = PushJob(configuration, rows: rows)
    // snippet: end
    try await job.run()
}

private func errors(job: PushJob) async throws {
    // snippet: begin
    do {
        for try await outcome in job.outcomes { print(outcome.row, outcome.kind) }
    } catch let error as FanfareError where error.code == .provider {
        // The key, the topic or the provider: the same for every row. The others wait.
        print(error.message)
    }
    // snippet: end
}

private func simulator() async throws {
    var configuration = Configuration()
    // snippet: begin
    let simulator = try Simulator()
    configuration.provider.endpoint = simulator.endpoint
    configuration.provider.caPEM = simulator.caPEM
    // snippet: end
    simulator.stop()
}

private func scenario(configuration: Configuration, rows: [PushRow]) async throws {
    var configuration = configuration
    // snippet: begin
    let simulator = try Simulator(
        scenario: """
            {"rules": [{"when": {"tokenPrefix": "dead"}, "then": {"status": 410}}]}
            """)
    configuration.provider.endpoint = simulator.endpoint
    configuration.provider.caPEM = simulator.caPEM
    configuration.report.path = ReportOptions.noFile

    let result = try await PushJob(configuration, rows: rows).run()
    assert(result.count(of: .unregistered) == 1)
    assert(simulator.stop().total == result.rowsRead)
    // snippet: end
}
