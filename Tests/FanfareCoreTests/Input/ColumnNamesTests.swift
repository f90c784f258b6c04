import Testing

@testable import FanfareCore

@Suite struct ColumnNamesTests {
    private func found(
        _ columns: [String], extra: [String] = [], mapping: [String: String] = [:]
    ) throws -> [String: String] {
        try ColumnNames.found(in: columns, for: RowSchema(extra: extra, mapping: mapping))
    }

    @Test(arguments: [
        "Token", "TOKEN", "device_token", "deviceToken", "Device Token", "push_token", "apns_token",
        "apns-token", "registration_id", "device-token",
    ])
    func `a token is found under its usual names`(name: String) throws {
        #expect(try found(["user", name]) == ["token": name])
    }

    @Test(arguments: [
        ("topic", "apns-topic"), ("topic", "bundle_id"), ("topic", "bundleId"),
        ("priority", "apns-priority"), ("push_type", "apns-push-type"), ("push_type", "pushType"),
        ("expiration", "apns-expiration"), ("collapse_id", "apns-collapse-id"),
        ("apns_id", "apns-id"), ("id", "ID"),
    ])
    func `so are header values`(ours: String, theirs: String) throws {
        #expect(try found(["token", theirs]) == [ours: theirs])
    }

    @Test func `an exact name wins, and so does a mapping`() throws {
        #expect(try found(["device_token", "token", "TOKEN"]).isEmpty)
        #expect(
            try found(["device_token", "push_token"], mapping: ["token": "push_token"]).isEmpty)
        // What another column is read from is not free.
        #expect(try found(["deviceToken"], mapping: ["id": "deviceToken"]).isEmpty)
    }

    @Test func `of two candidates none is chosen`() {
        #expect(
            throws: ColumnNames.Ambiguity(
                column: "token", candidates: ["device_token", "pushToken"])
        ) { _ = try found(["device_token", "name", "pushToken"]) }
    }

    @Test func `a value of the template is found in any letters, and keeps its column`() throws {
        #expect(
            try found(["token", "First_Name"], extra: ["first_name"])
                == ["first_name": "First_Name"])
        #expect(try found(["token", "firstname"], extra: ["first_name"]).isEmpty)
        #expect(try found(["token", "bundle_id"], extra: ["bundle_id"]).isEmpty)
    }

    /// `--report-token hash --carry DEVICETOKEN` would show what it is to hide.
    @Test func `the token's column is no other one's`() throws {
        #expect(
            try found(["deviceToken"], extra: ["DEVICETOKEN"]) == ["token": "deviceToken"])
        #expect(try found(["token"], extra: ["TOKEN"]).isEmpty)
        #expect(
            try found(["dt"], extra: ["DT"], mapping: ["token": "dt"]).isEmpty)
    }
}
