import FanfareBase
import Testing

@testable import FanfareCore

/// Providers that files describe, beside those that are built in.
@Suite struct DeclaredNameTests {
    private func route(_ finder: RouteFinder, word: String, token: String) -> RouteFinder.Answer {
        Array(word.utf8).withUnsafeBufferPointer { word in
            Array(token.utf8).withUnsafeBufferPointer { finder.route(word: word, token: $0) }
        }
    }

    @Test func `a name is the same number each time, and no other's`() {
        let (first, second) = (DeclaredName("name-tests-a"), DeclaredName("name-tests-b"))
        #expect(first == DeclaredName("name-tests-a") && first != second)
        #expect(first.text == "name-tests-a" && second.text == "name-tests-b")
        #expect(DeclaredName(known: "name-tests-b") == second)
        #expect(DeclaredName(known: "name-tests-c") == nil)
        #expect(ProviderKind(rawValue: "name-tests-a") == .declared(first))
        #expect(ProviderKind(rawValue: "name-tests-c") == nil)
        #expect(ProviderKind(rawValue: "fcm") == .fcm)
        #expect(ProviderKind.declared(first).rawValue == "name-tests-a")
    }

    @Test func `rows with its name or a word for it go to a described provider`() {
        let acme = ProviderKind.declared(DeclaredName("acme"))
        let finder = RouteFinder([.apns, acme], slot: nil, words: ["shop": acme])
        #expect(route(finder, word: "acme", token: "x") == .route(1))
        #expect(route(finder, word: " Shop ", token: "x") == .route(1))
        #expect(route(finder, word: "ios", token: "x") == .route(0))
        #expect(route(finder, word: "ntfy", token: "x") == .unknownWord)
        #expect(route(finder, word: "", token: "x") == .unknownShape)
        let other = ProviderKind.declared(DeclaredName("other"))
        let without = RouteFinder([.apns, .fcm], slot: nil, words: ["other": other])
        #expect(route(without, word: "other", token: "x") == .notInJob(other))
    }

    @Test func `a report has its name`() {
        for (kind, text) in [
            (ReportFormat.Kind.csv, "7,,a1,acme,"),
            (.ndjson, #"{"row":7,"id":null,"token":"a1","provider":"acme","#),
        ] {
            let format = ReportFormat(kind, provider: .declared(DeclaredName("acme")))
            var buffer = ByteBuffer()
            Array("a1".utf8).withUnsafeBufferPointer {
                _ = format.appendPrefix(row: 7, id: nil, token: $0, into: &buffer)
            }
            #expect(String(decoding: buffer.bytes, as: UTF8.self) == text)
        }
    }
}
