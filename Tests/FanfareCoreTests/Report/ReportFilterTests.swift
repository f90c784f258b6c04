import FanfareCore
import Testing

@Suite struct ReportFilterTests {
    private static func matches(_ filter: String, _ values: [String: String]) throws -> Bool {
        try ReportFilter(filter).alternatives.contains { alternative in
            var value = values[alternative.column] ?? ""
            return value.withUTF8 { value in
                alternative.patterns.contains { $0.matches(value) } != alternative.isNegated
            }
        }
    }

    static let line = [
        "outcome": "failed", "status": "503", "reason": "line 3: not UTF-8, field 3",
        "id": "a=b*\"c\"",
    ]

    @Test(arguments: [
        ("outcome=failed", true), ("outcome=fail", false), ("outcome=failed,unknown", true),
        ("outcome=unknown,failed", true), ("outcome=accepted,unknown", false),
        ("outcome=accepted,status=503", true), ("outcome=accepted,status=500", false),
        ("outcome!=accepted", true), ("outcome!=accepted,failed", false),
        ("outcome!=failed,status=503", true), ("token=", true), ("outcome=", false),
        ("token!=", false), ("reason=line*", true), ("reason=*field 3", true),
        ("reason=line*not*3", true), ("reason=line*not*UTF-16*", false), ("reason=*", true),
        ("reason=\"line 3: not UTF-8, field 3\"", true), ("reason=\"line*\"", false),
        ("outcome=x,\"y\",failed", true), ("id=\"a=b*\"\"c\"\"\"", true), ("id=a=b*", true),
        ("status=5*3", true), ("status=503*503", false), ("outcome=failed,", true),
        ("outcome=,failed", true),
    ])
    func `a line is wanted if it fits one of the alternatives`(
        _ filter: String, _ isWanted: Bool
    ) throws {
        #expect(try Self.matches(filter, Self.line) == isWanted)
    }

    @Test(arguments: [
        ("", "does not begin"), ("x", "does not begin"), ("=x", "no column"),
        ("!=x", "no column"), ("a=\"b", "never closed"), ("a=\"b\"c", "behind a closing quote"),
        ("\"a\"=b", "behind a closing quote"),
    ])
    func `what is no filter is told`(_ text: String, _ problem: String) {
        do {
            _ = try ReportFilter(text)
            Issue.record("\(text) was taken")
        } catch {
            #expect(error.problem.contains(problem))
        }
    }
}
