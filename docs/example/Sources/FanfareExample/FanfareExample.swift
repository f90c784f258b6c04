import Dispatch
import Fanfare
import FanfareSimulator
import Foundation

/// Sends made-up notifications to a simulated provider, and counts what becomes of them.
///
/// With `--android` every second user has an Android phone, whose token is one of FCM's; the others' are of
/// APNs. With `--stop-after` its task is canceled in the midst, as Ctrl-C does at any time; with `--resume`
/// and the `--port` of then it carries on.
@main
struct FanfareExample {
    static func main() async {
        do {
            try await send(Options(CommandLine.arguments))
        } catch {
            try? FileHandle.standardError.write(contentsOf: Data("FanfareExample: \(error)\n".utf8))
            exit(1)
        }
    }

    static func send(_ options: Options) async throws {
        let simulator = try Simulator(
            scenario: """
                {"rules": [
                    {"when": {"tokenPrefix": "dead", "provider": "apns"}, "then": {"status": 410}},
                    {"when": {"tokenPrefix": "dead", "provider": "fcm"},
                     "then": {"status": 404, "reason": "UNREGISTERED"}},
                    {"when": {"tokenPrefix": "bad", "provider": "apns"},
                     "then": {"status": 400, "reason": "BadDeviceToken"}},
                    {"when": {"tokenPrefix": "bad", "provider": "fcm"},
                     "then": {"status": 400, "reason": "message.token"}}
                ]}
                """, port: options.port)

        var configuration = Configuration()
        // One message for both providers; each gets a payload of its own form.
        configuration.payload = .message(
            Message(title: "Hi {{name|friend}}", body: "Visit {{visit}}"))
        configuration.provider.endpoint = simulator.endpoint
        configuration.provider.caPEM = simulator.caPEM
        configuration.provider.topic = "com.example.app"
        if options.hasAndroid {
            configuration.routes.append(try android(simulator))
        }
        configuration.report.path = options.report
        configuration.report.resumes = options.resumes

        let job = PushJob(
            configuration, rows: Users(count: options.rows, hasAndroid: options.hasAndroid))
        let sending = Task {
            var counts: [PushOutcome.Kind: Int] = [:]
            for try await outcome in job.outcomes {
                // Here a program would write to its database; the job waits as long as that takes.
                counts[outcome.kind, default: 0] += 1
                if counts.values.reduce(0, +) == options.stopAfter {
                    withUnsafeCurrentTask { $0?.cancel() }
                }
            }
            return counts
        }
        let interrupts = whenInterrupted { sending.cancel() }
        defer { interrupts.cancel() }

        let counts = try await sending.value
        let result = try await job.result
        print("this run:")
        for kind in PushOutcome.Kind.allCases {
            if let count = counts[kind] { print("  \(kind.rawValue) \(count)") }
        }
        print("rows with an outcome: \(result.rowsRead) of \(options.rows)")
        print("requests: \(simulator.stop().total)")
        if result.isResumable {
            print("to carry on: --resume --port \(simulator.endpoint.port)")
        }
    }

    /// FCM, with the key file of a service account as Google's console gives it out.
    private static func android(_ simulator: Simulator) throws -> ProviderOptions {
        let file = FileManager.default.temporaryDirectory
            .appending(path: "fanfare-example-\(UUID().uuidString).json")
        try Data(simulator.serviceAccount().utf8).write(to: file)
        var android = ProviderOptions.fcm
        android.credentials = .serviceAccount(file: file.path)
        android.endpoint = simulator.endpoint
        android.caPEM = simulator.caPEM
        return android
    }

    /// Signals are the program's business, not the library's.
    private static func whenInterrupted(
        _ body: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }
}

/// The users of an app, as a query of a database would give them: the same ones in the same order
/// each time.
struct Users: AsyncSequence {
    var count: Int
    /// True if every second one has an Android phone.
    var hasAndroid = false

    struct AsyncIterator: AsyncIteratorProtocol {
        var number = 0
        var count: Int
        var hasAndroid: Bool

        mutating func next() async -> PushRow? {
            guard number < count else { return nil }
            number += 1
            // One of 100 has deleted the app, one of 1,000 never had it.
            let prefix = number % 1000 == 0 ? "bad0" : number % 100 == 0 ? "dead" : "cafe"
            let digits = String(number, radix: 16)
            // The form of a token says whose it is; a column `provider` could say so, too.
            let token =
                hasAndroid && (number / 100 + number) % 2 == 0
                ? "\(prefix)\(digits):APA91b" + String(repeating: "x", count: 130)
                : prefix + String(repeating: "0", count: 60 - digits.utf8.count) + digits
            var values: [String: PushRow.Value] = ["visit": .integer(number % 10)]
            if number % 3 != 0 { values["name"] = "user \(number)" }
            return PushRow(token: token, id: "user-\(number)", values: values)
        }
    }

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(count: count, hasAndroid: hasAndroid)
    }
}

/// What the command line says.
struct Options {
    var rows = 100_000
    var hasAndroid = false
    var stopAfter: Int?
    var report = "example-report.csv"
    var resumes = false
    var port: UInt16 = 0

    struct Misuse: Error, CustomStringConvertible {
        var description: String

        init(_ word: String) {
            description =
                "\(word) is not understood; what is: "
                + "--rows N --android --stop-after N --report FILE --resume --port N"
        }
    }

    init(_ arguments: [String]) throws {
        var words = arguments.dropFirst()
        func number<Number: FixedWidthInteger>(_ text: String?) throws -> Number {
            guard let number = text.flatMap({ Number($0) }) else { throw Misuse(text ?? "the end") }
            return number
        }
        while let word = words.popFirst() {
            switch word {
            case "--rows": rows = try number(words.popFirst())
            case "--android": hasAndroid = true
            case "--stop-after": stopAfter = try number(words.popFirst())
            case "--report": report = words.popFirst() ?? report
            case "--resume": resumes = true
            case "--port": port = try number(words.popFirst())
            default: throw Misuse(word)
            }
        }
    }
}
