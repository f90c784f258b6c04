import FanfareTestSupport
import Testing

@testable import FanfareCore

/// The words of PostgreSQL's COPY, JSON, JavaScript, Python and spreadsheets for no value.
@Suite struct MissingWordTests {
    private func word(_ text: String) -> String? {
        withBytes(Array(text.utf8)) { unsafe MissingWord.word($0)?.description }
    }

    @Test(arguments: [
        "\\N", "NULL", "null", "undefined", "None", "NaN", "nan", "(null)", "<null>", "#N/A",
    ])
    func `a word for no value is found`(text: String) {
        #expect(word(text) == text)
        #expect(word(text + "x") == nil)
        #expect(word(String(text.dropLast())) == nil)
    }

    @Test(arguments: ["", "N", "Nora", "nul", "Ann", "undefined!", "NULL ", "Null"])
    func `names and other values are none`(text: String) {
        #expect(word(text) == nil)
    }

    /// `mayBegin` stands before the words, and may leave none out.
    @Test func `each word begins with one of the bytes that are looked at`() {
        #expect(MissingWord.words.allSatisfy { MissingWord.mayBegin($0.utf8Start[0]) })
    }
}
