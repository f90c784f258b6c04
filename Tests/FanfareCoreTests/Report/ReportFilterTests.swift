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

    private static let person = [
        "age": "42", "score": "-1.5e2", "seen": "2026-03-29T01:30:00Z", "name": "Ada",
        "born": "1990-12-10",
        "empty": "", "spent": "0x10", "local": "2026-03-29 03:30:00.250+02:00",
    ]

    @Test(arguments: [
        ("age>41", true), ("age>42", false), ("age>=42", true), ("age<42", false),
        ("age<=42", true), ("age>41.9", true), ("age<1e2", true), ("score<-149", true),
        ("score>-150", false), ("age>=\"42\"", true), ("name>0", false), ("name<0", false),
        ("empty<1", false), ("spent>0", false), ("other>0", false),
        ("seen>=2026-03-29", true), ("seen<2026-03-29", false), ("seen<2026-03-30", true),
        ("seen>2026-03-29T01:29Z", true), ("seen>2026-03-29T01:30:00Z", false),
        ("seen>=2026-03-29 03:30+02:00", true), ("seen<2026-03-28T20:30:00.001-05:00", true),
        ("born<1990-12-11", true), ("born>1990", false), ("age>2026-01-01", false),
        ("local>2026-03-29T01:30:00.249Z", true), ("local>2026-03-29T01:30:00.250Z", false),
        ("age>50,name=Ada", true), ("name=Bob,age>=40", true), ("age>50,name=Bob", false),
    ])
    func `numbers and times are compared`(_ filter: String, _ isWanted: Bool) throws {
        #expect(try Self.matches(filter, Self.person) == isWanted)
    }

    @Test(arguments: [
        "age>", "age>old", "age<2026-02-30", "age>inf", "age>=2026-01-01T24:00", "age<0x10",
        "age>2026-01-01T10:00:00.Z", "age>2026-01-01T10:00+1:00", "age>>1",
    ])
    func `what has no order is no bound`(_ filter: String) {
        #expect(throws: ReportFilter.Fault.self) { try ReportFilter(filter) }
    }

    @Test(arguments: [
        ("", "does not begin"), ("x", "does not begin"), ("=x", "no column"),
        ("!=x", "no column"), (">1", "no column"), ("a>b", "neither a number nor a time"),
        ("a=\"b", "never closed"), ("a=\"b\"c", "behind a closing quote"),
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
