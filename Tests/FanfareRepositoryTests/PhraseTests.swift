import Testing

/// Holds the phrases of comments against the table.
@Suite struct PhraseTests {
    @Test func `comments of each folder have the phrases of the table, and no more`() throws {
        var found: [String: DocPhrases] = [:]
        for file in try Tree.swift(in: "Sources", "Tests") {
            let folder = try #require(file.path.split(separator: "/").dropFirst().first)
            found[String(folder), default: DocPhrases()].count(file.lines)
        }
        for (folder, phrases) in found {
            #expect(
                phrases == DocPhrases.allowed[folder] ?? DocPhrases(),
                "\(folder): name the thing; if there are fewer, lower the table (STYLE: Comments)")
        }
    }

    @Test func `phrases are counted where a sentence begins, pronouns everywhere`() {
        let text = """
            /// What waits.
            ///
            /// What follows is no first sentence, and nobody reads it.
            /// - Parameters:
            ///   - name: Which.
            ///   - place: The file.
            /// - Returns: Whether it did.
            func first() {}
            // Whether a comment is one.
            let that = "it is"  // What stands behind code is none.
            // What to know:
            // Where a clause begins a sentence, it is one.
            /// The whole of `What`.
            func second() {}
                /// Whether there is one.
                var third: Bool
            """
        var phrases = DocPhrases()
        phrases.count(
            text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .map { ($0 + 1, String($1)) })
        #expect(phrases == DocPhrases(openings: 3, fields: 2, pronouns: 1))
    }
}
