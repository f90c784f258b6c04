import FanfareBase
import FanfareCore
import FanfareJSON
import FanfareTLS
import Testing

@testable import Fanfare

extension ProviderFile {
    /// Reads a file, and returns its faults; none for one that is right.
    static func faults(of text: String) -> [DeclaredFault] {
        do throws(ProviderFile.Faults) {
            _ = try ProviderFile(Array(text.utf8), name: "example.json")
            return []
        } catch {
            return error.list
        }
    }
}

/// A description of a test: members of JSON in place of those that are usual.
struct Described {
    let file: ProviderFile

    private static let usual = [
        "settings": "{}", "origin": #""https://api.example.com""#, "auth": #"{"kind": "none"}"#,
        "request": #"{"path": "/send", "body": {"to": "${row:token}"}}"#,
        "answer": #"{"rules": [], "otherwise": {"outcome": "rejected"}}"#,
    ]

    init(_ members: [String: String]) throws {
        do {
            try self.init(text: members)
        } catch let error as ProviderFile.Faults {
            Issue.record("\(error.list.map(\.description))")
            throw error
        }
    }

    /// The same where faults are what is looked for.
    init(text members: [String: String]) throws {
        let all = Self.usual.merging(members) { _, given in given }
            .filter { $0.key != "settings" || $0.value != "{}" }
        let text =
            #"{"fanfare_provider": 1, "name": "test""#
            + all.map { ",\n\"\($0.key)\": \($0.value)" }.joined() + "}"
        file = try ProviderFile(Array(text.utf8), name: "test.json")
    }

    func row(_ json: String) throws -> KeptRow {
        let text = Array(json.utf8)
        let object = try text.withUnsafeBufferPointer { try PlacedJSONParser().file($0) }
        return KeptRow(object, columns: file.provider.columns)
    }

    func renderer(
        settings: [(name: String, value: String)] = [], secrets: [String: String] = [:],
        masked: Bool = false
    ) throws -> DeclaredRenderer {
        return DeclaredRenderer(
            file.provider, settings: try values(settings, secrets, masked: masked),
            milliseconds: 1_614_265_330_123, requestID: Array("id-1".utf8),
            isJSON: ProviderFile.isJSON)
    }

    private func values(
        _ settings: [(name: String, value: String)], _ secrets: [String: String], masked: Bool
    ) throws -> ProviderSettings {
        let values = try ProviderSettings(
            file.provider, given: settings, secrets: secrets.map { ($0.key, Secret($0.value)) })
        return masked ? values.masked : values
    }

    /// The request of rows, with what proves who sends it.
    func request(
        _ rows: [String], settings: [(name: String, value: String)] = [],
        secrets: [String: String] = [:], masked: Bool = false
    ) throws -> DeclaredRequest {
        let renderer = try renderer(settings: settings, secrets: secrets, masked: masked)
        let rows = try rows.map { try row($0) }
        var request = try renderer.request(of: rows)
        let values = try values(settings, secrets, masked: masked)
        try RequestProof(renderer, values).add(to: &request, of: rows[0])
        return request
    }

    /// The meaning of an answer for rows with these tokens.
    func judge(
        _ status: UInt16, _ body: String, tokens: [String], isComplete: Bool = true
    ) -> DeclaredJudgement {
        let reply = file.reply(status: status, body: Array(body.utf8), isComplete: isComplete)
        return DeclaredJudge(file.provider.answer)
            .judge(reply, tokens: tokens.map { Array($0.utf8) })
    }
}

extension DeclaredRequest {
    var bodyText: String { String(decoding: body, as: UTF8.self) }

    func field(_ name: String) -> String? {
        fields.first { $0.name == name }.map { String(decoding: $0.value, as: UTF8.self) }
    }
}
