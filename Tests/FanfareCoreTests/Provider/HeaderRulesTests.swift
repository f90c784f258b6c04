import FanfareCore
import Testing

@Suite struct HeaderRulesTests {
    @Test func `each byte is a hexadecimal digit or not, at each place of a token`() {
        let digits = Set("0123456789abcdefABCDEF".utf8)
        for count in [2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 160, 163, 400] {
            for place in 0..<count {
                for byte in UInt8.min...UInt8.max {
                    var token = [UInt8](repeating: UInt8(ascii: "a"), count: count)
                    token[place] = byte
                    let problem = withBytes(token) { HeaderRules.problem(token: $0) }
                    let expected: RowProblem? =
                        digits.contains(byte)
                        ? count % 2 == 0 ? nil : .tokenCutOff : .tokenNotHexadecimal
                    if problem != expected {
                        Issue.record("byte \(byte) at \(place) of \(count): \(problem as Any)")
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            (0, RowProblem.tokenEmpty), (1, .tokenTooShort), (2, nil), (3, .tokenCutOff),
            (63, .tokenCutOff), (64, nil), (65, .tokenCutOff), (399, .tokenCutOff), (400, nil),
            (401, .tokenTooLong),
        ])
    func `a token has two to four hundred digits`(count: Int, problem: RowProblem?) {
        let token = [UInt8](repeating: UInt8(ascii: "0"), count: count)
        #expect(withBytes(token) { HeaderRules.problem(token: $0) } == problem)
    }

    @Test(
        arguments: [
            ("1.2E+63", RowProblem.tokenRounded), ("1,2E+63", .tokenRounded),
            ("1.2e63", .tokenRounded), ("12E+63", .tokenRounded),
            ("1.xE+63", .tokenNotHexadecimal), ("x.2E+63", .tokenNotHexadecimal),
            ("1.E+63", .tokenNotHexadecimal), (".2E+63", .tokenNotHexadecimal),
            ("1.2.3E+63", .tokenNotHexadecimal), ("1.2E+", .tokenNotHexadecimal),
            ("1.2E+6x", .tokenNotHexadecimal), ("1.2", .tokenNotHexadecimal),
            (
                "dGhpcyBpcyBub3QgaGV4:APA91bHPRgkF3JUikC4ENAHEeMrd41Zxv3hVZjC9KtT8OvPVGJ-hQMRKRrZuJAEcl7B",
                .tokenOfFCM
            ),
            ("abc:APA91", .tokenNotHexadecimal), ("APA91bHPRgkF3JUikC4E", .tokenNotHexadecimal),
            (":", .tokenNotHexadecimal),
        ])
    func `a token that a spreadsheet has made a number of is told as such, and one of FCM's`(
        token: String, problem: RowProblem
    ) {
        #expect(withBytes(token) { HeaderRules.problem(token: $0) } == problem)
    }

    @Test(
        arguments: [
            ("1", "alert", nil), ("5", "alert", nil), ("10", "alert", nil),
            ("5", "background", nil),
            ("10", "background", RowProblem.priorityNotAllowed),
            ("1", "background", .priorityNotAllowed),
            ("", "alert", .priorityInvalid), ("0", "alert", .priorityInvalid),
            ("05", "alert", .priorityInvalid), ("11", "alert", .priorityInvalid),
            ("high", "background", .priorityInvalid), ("10", "hologram", nil),
        ] as [(String, String, RowProblem?)])
    func `a priority is one of three, and 5 in the background`(
        priority: String, type: String, problem: RowProblem?
    ) {
        let rules = PushType(type).rules
        #expect(withBytes(priority) { HeaderRules.problem(priority: $0, rules: rules) } == problem)
    }

    @Test(
        arguments: [
            ("0", true), ("1790000000", true), ("9999999999", true), ("", false), ("-1", false),
            ("1790000000000", false), ("1e9", false), (" 1", false), ("12:", false), ("/", false),
        ])
    func `an expiration is a number of seconds`(expiration: String, isGood: Bool) {
        let problem = withBytes(expiration) { HeaderRules.problem(expiration: $0) }
        #expect(problem == (isGood ? nil : .expirationInvalid))
    }

    @Test(
        arguments: [
            ("a", nil), ("two words", nil), ("tab\tinside", nil), ("größe", nil),
            ("", RowProblem.collapseIDInvalid), (" a", .collapseIDInvalid),
            ("a ", .collapseIDInvalid), ("\ta", .collapseIDInvalid), ("a\n", .collapseIDInvalid),
            ("a\0b", .collapseIDInvalid), ("a\u{7F}b", .collapseIDInvalid),
            (String(repeating: "x", count: 64), nil),
            (String(repeating: "x", count: 65), .collapseIDTooLong),
            (String(repeating: "ä", count: 33), .collapseIDTooLong),
        ] as [(String, RowProblem?)])
    func `a collapse id is a header value of at most 64 bytes`(id: String, problem: RowProblem?) {
        #expect(withBytes(id) { HeaderRules.problem(collapseID: $0) } == problem)
    }

    @Test(
        arguments: [
            ("com.example.app", true), ("!~", true), ("", false), ("com.example app", false),
            (" com", false), ("com\r\nx: y", false), ("café", false), ("a\u{7F}", false),
        ])
    func `topic and push type are visible ASCII`(value: String, isGood: Bool) {
        #expect(
            withBytes(value) { HeaderRules.problem(topic: $0) } == (isGood ? nil : .topicInvalid))
        #expect(
            withBytes(value) { HeaderRules.problem(pushType: $0) }
                == (isGood ? nil : .pushTypeInvalid))
    }

    @Test(
        arguments: [
            ("eabeae54-14a8-11e5-b60b-1697f925ec7b", true),
            ("EABEAE54-14A8-11E5-B60B-1697F925EC7B", true),
            ("eabeae5414a811e5b60b1697f925ec7b", false),
            ("eabeae54-14a8-11e5-b60b-1697f925ec7", false),
            ("eabeae54-14a8-11e5-b60b-1697f925ec7bb", false),
            ("eabeae54-14a8-11e5-b60b-1697f925ec7g", false),
            ("eabeae541-4a8-11e5-b60b-1697f925ec7b", false),
            ("{abeae54-14a8-11e5-b60b-1697f925ec7}", false),
            ("", false),
        ])
    func `an apns-id is a UUID of either case`(id: String, isGood: Bool) {
        #expect(
            withBytes(id) { HeaderRules.problem(apnsID: $0) } == (isGood ? nil : .apnsIDInvalid))
    }

    @Test func `an apns-id goes out in small letters`() {
        let id = withBytes("EABEAE54-14a8-Z@[`") { id in
            appended { HeaderRules.appendLowercased(id, into: &$0) }
        }
        #expect(id == "eabeae54-14a8-z@[`")
    }

    @Test func `each problem has a text of its own, fit for a CSV field`() {
        let texts = RowProblem.allCases.map(\.text.description)
        #expect(Set(texts).count == texts.count)
        for text in texts {
            #expect(!text.isEmpty && !text.contains { ",\"\n".contains($0) })
        }
        #expect(RowProblem.tokenNotHexadecimal.text.description == "token is not hexadecimal")
        #expect(RowProblem.tokenDuplicate.outcome == .skipped)
        #expect(RowProblem.deadlinePassed.outcome == .skipped)
        #expect(RowProblem.expirationPassed.outcome == .skipped)
        #expect(RowProblem.tokenEmpty.outcome == .invalid)
    }
}
