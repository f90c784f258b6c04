import FanfareBase
package import FanfareCore
import FanfareTLS

/// Runs the examples inside of a description: whether rows become the request that stands there, and answers
/// the outcomes.
package struct ExampleRun {
    private let file: ProviderFile
    private var faults: [DeclaredFault] = []

    private init(_ file: ProviderFile) {
        self.file = file
    }

    /// Runs all examples of a file.
    /// - Parameter file: The file.
    /// - Returns: The differences from the examples, in the order of the file.
    package static func faults(of file: ProviderFile) -> [DeclaredFault] {
        var run = ExampleRun(file)
        for example in file.provider.examples { run.run(example) }
        return run.faults
    }

    private mutating func fault(_ place: DeclaredPlace, _ text: String) {
        faults.append(DeclaredFault(place, text))
    }

    private mutating func run(_ example: DeclaredExample) {
        let rows = example.rows.map { KeptRow($0, columns: file.provider.columns) }
        do throws(ExampleFailure) {
            let request = try Self.request(of: rows, example, file.provider)
            if let problem = example.problem {
                fault(example.place, "expects '\(problem)', and the rows are sent")
            } else if let expected = example.request {
                compare(request, expected)
            }
        } catch {
            guard error.text != example.problem else { return }
            let expected = example.problem.map { "; the problem that it expects is '\($0)'" } ?? ""
            fault(example.place, "makes no request: \(error.text)\(expected)")
            return
        }
        let tokens = rows.map { row in
            unsafe row.lend(file.provider.token.column) { _, bytes in unsafe Array(bytes) }
        }
        for answer in example.answers { run(answer, tokens) }
    }

    // MARK: Requests

    private static func request(
        of rows: [KeptRow], _ example: DeclaredExample, _ provider: DeclaredProvider
    ) throws(ExampleFailure) -> DeclaredRequest {
        let isSecret = { (name: String) in
            provider.settings.contains { $0.name == name && $0.isSecret }
        }
        do {
            let settings = try ProviderSettings(
                provider, given: example.settings.filter { !isSecret($0.name) },
                secrets: example.settings.filter { isSecret($0.name) }
                    .map { ($0.name, Secret($0.value)) })
            var renderer = DeclaredRenderer(
                provider, settings: settings, milliseconds: example.seconds * 1000,
                requestID: requestID(example, provider), isJSON: ProviderFile.isJSON)
            renderer.token = Array((example.token ?? "").utf8)
            var request = try renderer.request(of: rows)
            if let first = rows.first {
                try RequestProof(renderer, settings).add(to: &request, of: first)
            }
            return request
        } catch let error as ProviderSettings.Fault {
            throw ExampleFailure(error.text)
        } catch let error as DeclaredRowProblem {
            throw ExampleFailure(error.text)
        } catch let error as RequestProof.Fault {
            throw ExampleFailure(error.text)
        } catch {
            preconditionFailure("BUG: no other errors are thrown")
        }
    }

    private static func requestID(
        _ example: DeclaredExample, _ provider: DeclaredProvider
    ) -> [UInt8] {
        if let id = example.requestID { return Array(id.utf8) }
        return provider.idempotency.map { RequestKey.make($0.form, job: "example", row: 1) } ?? []
    }

    private mutating func compare(
        _ request: DeclaredRequest, _ expected: DeclaredExample.Request
    ) {
        expect(request.method, expected.method, "method", expected)
        expect(request.url, expected.url, "url", expected)
        for (name, value) in expected.fields {
            let found = request.fields.first { $0.name == name }
            expect(found.map { Self.text($0.value) } ?? "", value, "headers/\(name)", expected)
        }
        for field in request.fields
        where !expected.fields.contains(where: { $0.name == field.name }) {
            fault(
                expected.place,
                "lacks the header field \(field.name), which is '\(Self.text(field.value))'")
        }
        expect(Self.text(request.body), Self.text(expected.body), "body", expected)
    }

    private mutating func expect(
        _ found: String, _ expected: String, _ what: String, _ request: DeclaredExample.Request
    ) {
        guard found != expected else { return }
        var place = request.place
        for key in what.split(separator: "/") {
            place.pointer = place.pointer.appending(String(key))
        }
        fault(
            place,
            "is not what the rows become: expected '\(Self.shown(expected))', made '\(Self.shown(found))'"
        )
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    private static func shown(_ wait: Duration) -> String {
        NumberText.duration(milliseconds: wait.wholeNanoseconds / 1_000_000)
    }

    private static func shown(_ text: String) -> String { TerminalText.shown(text, max: 1000) }

    // MARK: Answers

    private mutating func run(_ answer: DeclaredExample.Answer, _ tokens: [[UInt8]]) {
        let reply = file.reply(
            status: answer.status, body: answer.body, isComplete: answer.isComplete)
        let judgement = DeclaredJudge(file.provider.answer).judge(reply, tokens: tokens)
        for (index, pair) in zip(answer.outcomes, judgement.rows).enumerated() {
            let differences = Self.differences(pair.0, pair.1)
            guard !differences.isEmpty else { continue }
            var place = answer.place
            place.pointer = place.pointer.appending("outcomes").appending(String(index))
            let flaw = judgement.flaw.map { " (\($0))" } ?? ""
            fault(
                place,
                "is not what the answer means: \(differences.joined(separator: ", "))\(flaw)")
        }
        if judgement.splits != answer.splits {
            fault(
                answer.place,
                judgement.splits
                    ? #"is split, which "split" does not say"# : "is not split")
        }
        if judgement.strays != answer.strays {
            fault(
                answer.place,
                "names \(judgement.strays) tokens that were not sent, and not \(answer.strays)")
        }
    }

    private static func differences(
        _ expected: DeclaredExample.Expectation, _ found: DeclaredJudgement.Row
    ) -> [String] {
        var texts: [String] = []
        func expect<Part: Equatable>(_ expected: Part?, _ found: Part, _ what: String) {
            guard let expected, expected != found else { return }
            texts.append("expected \(what) '\(expected)', found '\(found)'")
        }
        expect(expected.outcome.name.description, found.class.outcome.name.description, "outcome")
        expect(expected.reason, found.reason, "reason")
        expect(expected.id, found.id, "id")
        expect(expected.retry, found.class.retry, "retry")
        expect(expected.job, found.class.job, "job")
        expect(expected.credential, found.class.credential, "credential")
        if let wait = expected.wait, wait != found.wait {
            let foundText = found.wait.map { "'\(shown($0))'" } ?? "none"
            texts.append("expected wait '\(shown(wait))', found \(foundText)")
        }
        return texts
    }
}

/// The reason why the rows of an example have no request.
private struct ExampleFailure: Error {
    var text: String

    init(_ text: String) { self.text = text }
}
