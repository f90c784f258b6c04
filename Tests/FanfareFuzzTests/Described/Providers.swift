import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareTLS

@testable import Fanfare

extension FuzzTarget {
    /// A file that describes a provider, and the request that it makes of a row with all of its columns.
    static let provider = FuzzTarget("provider", bytesMax: 8192) { bytes throws(Violation) in
        let file: ProviderFile
        do throws(ProviderFile.Faults) {
            file = try ProviderFile(bytes, name: "file")
        } catch {
            try Violation.check(!error.list.isEmpty, "a file is refused without a reason")
            for fault in error.list { try isSafe(fault.description) }
            return
        }
        for fault in ExampleRun.faults(of: file) { try isSafe(fault.description) }
        try Requests(file).check()
    }

    /// An answer to a shipped provider: a byte for the provider, one for the status and one for the rows, then
    /// the body.
    static let verdict = FuzzTarget("verdict", bytesMax: 8192) { bytes throws(Violation) in
        var input = InputReader(bytes)
        let file = Answers.files[input.byte() % Answers.files.count]
        let status = Answers.statuses[input.byte() % Answers.statuses.count]
        let count = 1 + input.byte() % (file.provider.batch == nil ? 1 : 3)
        let tokens = ["a", "b", "c"].prefix(count).map { Array($0.utf8) }
        let reply = file.reply(status: UInt16(status), body: Array(input.rest))
        let judge = DeclaredJudge(file.provider.answer)
        let found = judge.judge(reply, tokens: tokens)
        try Violation.check(
            found.rows.count == count, "\(found.rows.count) verdicts on \(count) rows")
        for row in found.rows {
            for text in [row.reason, row.id] {
                try Violation.check(
                    !text.unicodeScalars.contains { TerminalText.isObeyed($0) },
                    "a terminal would obey '\(text)'")
                // One of several rows has "shared: " before it.
                try Violation.check(
                    text.utf8.count <= Limits.reasonBytesMax + 8, "a text is longer than one may be"
                )
            }
        }
        try Violation.check(!found.splits || count > 1, "one row is halved")
        // The half of a body is no body.
        let half = judge.judge(
            file.reply(status: UInt16(status), body: Array(input.rest), isComplete: false),
            tokens: tokens)
        try Violation.check(
            half.rows.allSatisfy { $0.id.isEmpty }, "an id from a body that is not there")
    }
}

/// The request that a description makes of a row.
private struct Requests {
    private let file: ProviderFile
    private let row: KeptRow

    init(_ file: ProviderFile) {
        self.file = file
        let members = file.provider.columns.map {
            PlacedJSON.Member(key: $0, keyOffset: 0, value: PlacedJSON(.text("a\"\r\n{b}&é")))
        }
        row = KeptRow(PlacedJSON(.object(members)), columns: file.provider.columns)
    }

    func check() throws(Violation) {
        let provider = file.provider
        let given = provider.settings.filter { !$0.isSecret }.map { ($0.name, "s") }
        let secrets = provider.settings.filter(\.isSecret).map { ($0.name, Secret("s")) }
        guard let settings = try? ProviderSettings(provider, given: given, secrets: secrets) else {
            return
        }
        let renderer = DeclaredRenderer(
            provider, settings: settings, milliseconds: 0, requestID: Array("id".utf8),
            isJSON: ProviderFile.isJSON)
        let request: DeclaredRequest
        do throws(DeclaredRowProblem) {
            request = try renderer.request(ofAlike: [row], row)
        } catch {
            return
        }
        if case .json = provider.request.body {
            try Violation.check(ProviderFile.isJSON(request.body), "a body is no JSON")
        }
        for field in request.fields {
            try Violation.check(
                !field.value.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 },
                "a field's value ends the field")
        }
        try Violation.check(
            request.url.utf8.allSatisfy { 0x21...0x7E ~= $0 }, "a URL has a blank or a line break")
    }
}

/// Whose answers are judged.
private enum Answers {
    static let files = ShippedProvider.all.map { $0.file() }
    static let statuses = [200, 201, 204, 301, 400, 401, 403, 404, 408, 413, 421, 429, 500, 503]
}
