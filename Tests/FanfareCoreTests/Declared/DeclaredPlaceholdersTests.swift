import Testing

@testable import FanfareCore

@Suite struct DeclaredPlaceholdersTests {
    private func shown(_ text: String) throws -> [String] {
        try DeclaredPlaceholders(text).pieces.map { piece in
            switch piece {
            case .literal(let text): "'\(text)'"
            case .placeholder(let place):
                "\(place.kind)/\(place.name)" + (place.isJSON ? "/json" : "")
                    + (place.isOptional ? "?" : "")
                    + (place.fallback.map { "|\($0)" } ?? "")
            }
        }
    }

    @Test(arguments: [
        ("", []), ("plain $5 {} ${'", ["!"]), ("a${row:b}c", ["'a'", "row/b", "'c'"]),
        ("${row:b}${set:c}", ["row/b", "set/c"]), ("${id}", ["id/"]), ("${time:ms}", ["time/ms"]),
        ("${row:b|}", ["row/b|"]), ("${row:b|x|y}", ["row/b|x|y"]), ("$${row:b}", ["'${row:b}'"]),
        ("$$$${", ["'$$${'"]), ("${row:a.b-c_é}", ["row/a.b-c_é"]),
        ("${row:b:json}", ["row/b/json"]), ("${row:b:json|{\"x\":{}}}", ["row/b/json|{\"x\":{}}"]),
        ("${row:json}", ["row/json"]), ("${row:json|a}", ["row/json|a"]),
        ("${row:a|{x}", ["row/a|{x"]), ("${row:b?}c", ["row/b?", "'c'"]),
        ("${row:b:json?}", ["row/b/json?"]), ("${row:b|?}", ["row/b|?"]),
    ])
    func `a text is taken apart`(text: String, pieces: [String]) throws {
        guard pieces != ["!"] else {
            #expect(throws: DeclaredTextFault.self) { try DeclaredPlaceholders(text) }
            return
        }
        #expect(try shown(text) == pieces)
    }

    @Test(arguments: [
        ("${row:b", "never closed"), ("a ${row:b:json}", "other text beside it"),
        ("${row:b:json} a", "other text beside it"), ("${row:a b}", "letters, digits"),
        ("${row:a/b}", "letters, digits"), ("${row:a??}", "letters, digits"),
        ("${row:a?|b}", "write one of them"),
    ])
    func `what is malformed is told`(text: String, words: String) {
        let fault = #expect(throws: DeclaredTextFault.self) { try DeclaredPlaceholders(text) }
        #expect(fault?.text.contains(words) == true)
    }
}
